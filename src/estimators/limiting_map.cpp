#include <thalweg/estimators/limiting_map.hpp>

namespace thalweg {

LimitingMap::LimitingMap(const ModelHandle& model, Source& law, Terms terms)
    : model_(model.shared()),
      law_(law),
      terms_(std::move(terms)),
      plan_(model_->plan(law.schema())) {
  require_settled(terms_);
}

Parameters LimitingMap::operator()(const Parameters& theta) {
  const Expectation e = expectation(theta);
  Parameters image = theta;
  const Terms terms = settled_at(*model_, terms_, theta);
  maximise(*model_, mean(e.sums()), terms.context(e.weight(), &events_), image);
  return image;
}

double LimitingMap::expected_log_density(const Parameters& theta) {
  expectation(theta);
  return expected_;
}

Expectation LimitingMap::expectation(const Parameters& theta) {
  if (!law_.rewind()) throw Error("a limiting map needs a law whose rows can be read again");
  Expectation e = expect_all(*model_, theta, plan_, law_, terms_.crew);
  expected_ = e.log_likelihood() / e.weight();
  return e;
}

}  // namespace thalweg
