// The gamma function's relatives against exact values, and inverses against what they invert.
#include <thalweg/kernels/special.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace test_special {

using namespace thalweg::kernels;

TEST(Special, log_factorials) {
  long double sum = 0;
  EXPECT_EQ(log_factorial(0), 0.0);
  for (int y = 1; y <= 3000; ++y) {  // past the end of any table
    sum += std::log(static_cast<long double>(y));
    ASSERT_NEAR(log_factorial(y), static_cast<double>(sum), 1e-14 * (1 + static_cast<double>(sum)))
        << y;
  }
  // Stirling: log y! = y log y - y + ½ log(2 pi y) + 1/(12 y)
  const double y = 1e12;
  EXPECT_NEAR(log_factorial(y), y * std::log(y) - y + 0.5 * std::log(2 * M_PI * y), 1e-3);
}

// Values from arithmetic of 113 bits.
TEST(Special, digamma_and_trigamma) {
  struct Known {
    double x, digamma, trigamma;
  };
  for (const Known& at : {Known{1e-3, -1000.5755719318102797, 1000001.6425331958274},
                          Known{0.1, -10.423754940411076232, 101.4332991507927477},
                          Known{1, -0.57721566490153286061, 1.6449340668482264365},
                          Known{2.5, 0.70315664064524318723, 0.49035775610023486497},
                          Known{10, 2.2517525890667211077, 0.10516633568168574612},
                          Known{1e6, 13.815510057964190771, 1.0000005000001666667e-06}}) {
    EXPECT_NEAR(digamma(at.x), at.digamma, 1e-14 * (1 + std::abs(at.digamma))) << at.x;
    EXPECT_NEAR(trigamma(at.x), at.trigamma, 1e-14 * at.trigamma) << at.x;
  }
}

// psi(x + 1) = psi(x) + 1/x, and what is left of log x - psi(x) has all its digits where psi has none for it.
TEST(Special, log_less_digamma_keeps_its_digits) {
  for (double x = 1e-6; x < 1e12; x *= 1.37) {
    const double step = 1 / x - std::log1p(1 / x);
    const double next = log_less_digamma(x + 1);
    EXPECT_NEAR(log_less_digamma(x), next + step, 3e-14 * (next + 1 / x)) << x;
    const double h = 1e-4 * x;
    const double slope = (log_less_digamma(x + h) - log_less_digamma(x - h)) / (2 * h);
    EXPECT_NEAR(log_less_digamma_slope(x) / slope, 1, 1e-7) << x;
  }
  EXPECT_NEAR(log_less_digamma(1e10), 0.5e-10 + 1e-20 / 12, 1e-25);
}

// R(x) = R(x + 1) + (x + ½) log(1 + 1/x) - 1, which one step of x changes; and it keeps its digits where log Gamma has none for it.
TEST(Special, stirling_remainder) {
  for (double x = 1e-6; x < 1e3; x *= 1.37) {
    const long double step = (x + 0.5L) * std::log1p(1 / static_cast<long double>(x)) - 1;
    EXPECT_NEAR(stirling_remainder(x), stirling_remainder(x + 1) + static_cast<double>(step),
                2e-14 * (1 + std::abs(static_cast<double>(step))))
        << x;
    const long double whole = (x - 0.5L) * std::log(static_cast<long double>(x)) - x +
                              0.91893853320467274178032973640561763986L;
    EXPECT_NEAR(stirling_remainder(x),
                static_cast<double>(std::lgamma(static_cast<long double>(x)) - whole), 2e-14)
        << x;
  }
  EXPECT_NEAR(stirling_remainder(1e10), 1e-10 / 12, 1e-25);
}

TEST(Special, inverses) {
  for (double x = 1e-6; x < 1e12; x *= 1.37) {
    EXPECT_NEAR(inverse_log_less_digamma(log_less_digamma(x)) / x, 1, 1e-13) << x;
    const double slope = x * trigamma(x);  // how much of a relative change of x psi shows
    EXPECT_NEAR(inverse_digamma(digamma(x)) / x, 1, 1e-14 * (1 + std::abs(digamma(x)) / slope))
        << x;
  }
}

}  // namespace test_special
