// Every recorded PPCA of complete data: by the exact method and by EM, likelihood, noise, eigenvalues and BIC.
#include "reference.hpp"
#include "samples.hpp"
#include <thalweg/catalogue/factors.hpp>
#include <thalweg/estimators/fit.hpp>
#include <thalweg/sources/memory.hpp>

#include <gtest/gtest.h>

namespace test_ppca {

using namespace thalweg;

struct Entry {
  std::string set;
  std::size_t rank;
  std::size_t columns;
  bool quick_em = true;  // EM finds it in seconds

  std::string name() const { return "ppca_q" + std::to_string(rank); }
};

void PrintTo(const Entry& entry, std::ostream* out) { *out << entry.set << " " << entry.name(); }

/// Pixels are divided by 255 where the entry says so; labels come after the columns.
Table rows_of(const Entry& entry, const nlohmann::json& fit) {
  const auto text = reference::lines(reference::folder(entry.set) / "data.csv");
  const double unit = fit.value("columns", "") == "pixels / 255" ? 255 : 1;
  Table table(entry.columns);
  std::vector<double> row(entry.columns);
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char* at = text[i].c_str();
    for (double& cell : row) {
      char* end = nullptr;
      cell = std::strtod(at, &end) / unit;
      at = end + 1;
    }
    table.append_row(row.data());
  }
  return table;
}

void expect_recorded(const Entry& entry) {
  if (reference::folder(entry.set).empty())
    GTEST_SKIP() << entry.set << " is not here: set THALWEG_DATA to the folder of the data sets";
  const nlohmann::json fit = reference::fits(entry.set).at(entry.name());
  const Table table = rows_of(entry, fit);
  const auto n = static_cast<double>(table.rows());
  ASSERT_EQ(table.rows(), fit.at("n").get<std::size_t>());
  const auto model = ppca({.rank = entry.rank});
  std::vector<Method> methods = {Method::exact};
  if (entry.quick_em) methods.insert(methods.end(), {Method::batch, Method::automatic});
  for (const Method method : methods) {
    MemorySource source(Schema::numbered(entry.columns), table.block());
    // Rows of a third start EM, so that it has a way to go.
    FitOptions options{.method = method, .online = {.buffer = table.rows() / 3}};
    if (method == Method::automatic) {
      const FitResult soon = Fit(model, options).run(source);
      EXPECT_NEAR(*soon.log_likelihood, fit.at("loglik").get<double>(), 0.5);
      source.rewind();
      options.to_the_end = true;
    }
    FitResult result = Fit(model, options).run(source);
    EXPECT_FALSE(result.events.any());
    EXPECT_NEAR(*result.log_likelihood / n, fit.at("loglik").get<double>() / n, 1e-6)
        << name(method);
    align(*model, result.parameters, result.statistic);
    const double noise = fit.at("sigma2");
    EXPECT_NEAR(result.parameters["noise_variance"][0], noise, 1e-4 * noise) << name(method);
    const std::vector<double> squared = fit.at("loading_singular_values_squared");
    for (std::size_t k = 0; k < entry.rank; ++k) {
      double length = 0;
      for (std::size_t j = 0; j < entry.columns; ++j) {
        const double w = result.parameters["loadings"][j * entry.rank + k];
        length += w * w;
      }
      EXPECT_NEAR(length, squared[k], 2e-3 * squared[k]) << name(method) << ", factor " << k;
    }
    const std::size_t p = model->plan(source.schema()).free_parameters;
    EXPECT_EQ(p, fit.at("n_params").get<std::size_t>());
    EXPECT_NEAR(static_cast<double>(p) * std::log(n) - 2 * *result.log_likelihood,
                fit.at("bic").get<double>(), 2e-6 * n);
  }
}

class ReferencePpca : public ::testing::TestWithParam<Entry> {};
class SlowReferencePpca : public ::testing::TestWithParam<Entry> {};
TEST_P(ReferencePpca, is_found) { expect_recorded(GetParam()); }
TEST_P(SlowReferencePpca, is_found) { expect_recorded(GetParam()); }

const auto title = [](const auto& test) { return test.param.set + "_" + test.param.name(); };
INSTANTIATE_TEST_SUITE_P(Data, ReferencePpca,
                         ::testing::Values(Entry{"iris", 1, 4}, Entry{"iris", 2, 4},
                                           Entry{"digits", 5, 64}, Entry{"digits", 10, 64},
                                           Entry{"digits", 20, 64}, Entry{"oilflow", 2, 12},
                                           Entry{"oilflow", 3, 12}, Entry{"oilflow", 5, 12},
                                           Entry{"tobamovirus", 1, 18}, Entry{"tobamovirus", 2, 18},
                                           Entry{"tobamovirus", 3, 18}),
                         title);
INSTANTIATE_TEST_SUITE_P(Data, SlowReferencePpca,
                         ::testing::Values(Entry{"mnist_t10k", 10, 784, false},
                                           Entry{"mnist_t10k", 50, 784, false}),
                         title);

}  // namespace test_ppca
