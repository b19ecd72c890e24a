// The limiting EM recursion: what batch EM becomes when the rows are a whole law pi,
// T(theta) = theta-bar( E_pi E_theta[s(X,Y) | Y] ).
#pragma once

#include <thalweg/core/model.hpp>
#include <thalweg/core/regularisation.hpp>
#include <thalweg/estimators/expectation.hpp>

#include <memory>
#include <utility>

namespace thalweg {

/// The law is a source that can be rewound: a simulated one (row t comes from its own stream, so that every visit sees the same
/// rows and T is a plain function), a large sample, or a few weighted rows where they say all that the model asks of pi (every
/// count with its probability; for a model of second moments any design with the right covariance).
class THALWEG_API LimitingMap {
 public:
  LimitingMap(const ModelHandle& model, Source& law, Regularisation regularisation = {},
              ThreadPool pool = {});

  /// T(theta), and on the way the expected log density of theta.
  Parameters operator()(const Parameters& theta);

  /// E_pi log f_theta(Y) of the theta that was mapped or measured last. Minus this is the Kullback–Leibler divergence D(pi | f_theta)
  /// up to the entropy of pi, which no theta changes: it never rises along T.
  double expected_log_density() const { return expected_; }
  double expected_log_density(const Parameters& theta);
  const Events& events() const { return events_; }

 private:
  Expectation expectation(const Parameters& theta);

  std::shared_ptr<const Model> model_;
  Source& law_;
  Regularisation regularisation_;
  ThreadPool pool_;
  Plan plan_;
  double expected_ = 0;
  Events events_;
};

}  // namespace thalweg
