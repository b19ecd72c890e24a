// The whole default fit of rows in memory: search, passes and polish.
//
//   default_fit DIR COVARIANCE D K SEED
//     prints {"seconds", "search", "stream", "log_likelihood", "iterations", "starts", "buffer"}: processor time of all and until search
//     and stream had ended, and the mean log-likelihood of the rows
#include "mixture_case.hpp"
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/estimators/fit.hpp>
#include <thalweg/sources/memory.hpp>

#include <cstdio>

namespace {

using namespace thalweg;

/// Processor time at which the search and the stream came to their ends.
class Stages final : public Observer {
 public:
  void on(const Step& step) override {
    if (step.phase == Phase::buffer) return;
    if (search_ == 0) search_ = watch_.processor();
    if (step.phase == Phase::online) stream_ = watch_.processor();
  }
  double search() const { return search_; }
  double stream() const { return stream_; }

 private:
  bench::Stopwatch watch_;
  double search_ = 0;
  double stream_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return std::fputs("usage: default_fit DIR COVARIANCE D K SEED\n", stderr), 2;
  const bench::MixtureCase mixture(argv + 1);
  const auto model = mixture.model();
  const std::vector<double> rows = mixture.rows("rows");
  MemorySource source(mixture.schema(), mixture.block(rows), 4096);
  Fit fit(model, {.online = {.seed = bench::number(argv[5])},
                  .batch = {.accelerate = Acceleration::squarem}});
  Stages stages;
  fit.observe(stages);

  const bench::Stopwatch watch;
  const FitResult result = fit.run(source);
  const double seconds = watch.processor();
  const Expectation e =
      expect_all(*model, result.parameters, model->plan(mixture.schema()), mixture.block(rows));
  std::printf(
      "{\"seconds\": %.6f, \"search\": %.6f, \"stream\": %.6f, \"log_likelihood\": %.17g, "
      "\"iterations\": %llu, \"starts\": %zu, \"buffer\": %llu}\n",
      seconds, stages.search(), stages.stream(), e.log_likelihood() / e.weight(),
      static_cast<unsigned long long>(result.iterations), result.starts.size(),
      static_cast<unsigned long long>(result.buffer));
}
