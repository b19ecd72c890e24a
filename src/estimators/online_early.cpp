// The provisional model of a stream: which rows are behind it, and how it becomes a run that can be asked.
#include "estimators/early.hpp"
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/estimators/online.hpp>

#include <algorithm>
#include <utility>

namespace thalweg {

std::uint64_t Online::first_early_rows() const {
  if (given_) return 1;
  return std::min(rows_of_early_model(plan_), buffer_size_);
}

std::uint64_t Online::rows_until_model() const {
  const std::uint64_t first = first_early_rows();
  return started() || first_rows().rows() > first ? 0 : first - first_rows().rows();
}

std::size_t Online::early_rows() const {
  const Block rows = first_rows().block();
  if (search_) return rows.rows;
  std::size_t found = 0;
  for (std::uint64_t wanted = first_early_rows(); wanted > 0 && wanted <= rows.rows; wanted *= 2) {
    const auto end = unit_after(rows, wanted, plan_.unit);
    if (!end) break;
    found = *end;
  }
  return found;
}

const Recursion& Online::early() const {
  const std::size_t rows = early_rows();
  if (rows == 0)
    throw Error("no parameters yet: " + std::to_string(rows_until_model()) +
                " more rows give a first model (or finish)");
  if (!early_ || early_->rows() != rows)
    early_ = find_early_run(first_rows().block().slice(0, rows));
  return *early_;
}

Recursion Online::find_early_run(const Block& rows) const {
  RecursionOptions options = recursion_;
  Parameters theta = given_.value_or(Parameters(plan_.parameters));
  Statistic statistic(plan_.statistic);
  if (given_) {
    calibrate(*model_, rows, theta);
  } else {
    Start start = find_early(model_, schema_, plan_, rows, options_.regularisation, options_.seed,
                             options_.pool);
    theta = std::move(start.theta);
    statistic = std::move(start.statistic);
  }
  if (!given_ && options_.impose) options_.impose(theta);
  if (given_ || options_.impose)
    statistic = mean(expect_all(*model_, theta, plan_, rows, options_.pool).sums());
  options.regularisation = settle(*model_, options_.regularisation, plan_, rows, &theta);
  Recursion run(model_, schema_, options);
  run.begin(std::move(theta), std::move(statistic), rows.rows);
  return run;
}

}  // namespace thalweg
