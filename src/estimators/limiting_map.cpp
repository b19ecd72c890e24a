// One batch iteration over a law: where EM goes from theta.
#include <thalweg/estimators/limiting_map.hpp>

namespace thalweg {

LimitingMap::LimitingMap(const ModelHandle& model, Source& law, Regularisation regularisation,
                         ThreadPool pool)
    : model_(model.shared()),
      law_(law),
      regularisation_(std::move(regularisation)),
      pool_(std::move(pool)),
      plan_(model_->plan(law.schema())) {
  require_settled(regularisation_);
}

Parameters LimitingMap::operator()(const Parameters& theta) {
  const Expectation e = expectation(theta);
  Parameters image = theta;
  const Regularisation regularisation = settled_at(*model_, regularisation_, theta);
  maximise(*model_, mean(e.sums()), regularisation.context(e.weight(), &events_), image);
  return image;
}

double LimitingMap::expected_log_density(const Parameters& theta) {
  expectation(theta);
  return expected_;
}

Expectation LimitingMap::expectation(const Parameters& theta) {
  if (!law_.rewind()) throw Error("a limiting map needs a law whose rows can be read again");
  Expectation e = expect_all(*model_, theta, plan_, law_, pool_);
  expected_ = e.log_likelihood() / e.weight();
  return e;
}

}  // namespace thalweg
