#include <thalweg/families/categorical.hpp>
#include <thalweg/kernels/tile.hpp>

#include <limits>

namespace thalweg {

using kernels::tile_rows;
using kernels::tile_stride;

CategoricalForm::CategoricalForm(const Categorical& family, const double* theta, Extent e,
                                 const double* offset)
    : K_(e.K), d_(family.levels.size()), cells_(d_ * tile_rows), psi_((family.width(e) + 1) * K_) {
  std::size_t place = 1;
  for (const std::size_t size : family.levels) {
    first_.push_back(static_cast<double>(place));
    place += size;
  }
  nothing_ = static_cast<double>(place);
  for (std::size_t k = 0; k < K_; ++k) {
    family.natural(theta, e, k, psi_.data() + k, K_);
    if (offset) psi_[k] += offset[k];
  }
}

/// The rows of psi that each row of the block needs; that of zeros for a missing cell.
void CategoricalForm::read(const Block& block, std::size_t begin, std::size_t rows,
                           double* paper) const {
  for (std::size_t t = 0; t < rows; ++t) {
    const double* y = block.row(begin + t);
    for (std::size_t j = 0; j < d_; ++j, ++paper)
      *paper = std::isnan(y[j]) ? nothing_ : first_[j] + y[j];
  }
}

void CategoricalForm::score(double* paper, std::size_t rows, double* scores) const {
  double* const sum = paper + cells_;
  for (std::size_t t = 0; t < rows; ++t) {
    std::copy_n(psi_.data(), K_, sum);
    for (std::size_t j = 0; j < d_; ++j) {
      const double* log_p = row_of(*paper++);
      for (std::size_t k = 0; k < K_; ++k) sum[k] += log_p[k];
    }
    for (std::size_t k = 0; k < K_; ++k) scores[k * tile_stride + t] = sum[k];
  }
  for (std::size_t k = 0; k < K_; ++k)
    std::fill(scores + k * tile_stride + rows, scores + k * tile_stride + kernels::padded(rows),
              0.0);
}

void CategoricalForm::accumulate(double* paper, const double* posterior, std::size_t rows,
                                 double* /*memory*/, double* sums) const {
  double* const one_row = paper + cells_;
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t k = 0; k < K_; ++k) {
      one_row[k] = posterior[k * tile_stride + t];
      sums[k] += one_row[k];
    }
    for (std::size_t j = 0; j < d_; ++j, ++paper) {
      if (*paper == nothing_) continue;
      double* into = sums + static_cast<std::size_t>(*paper) * K_;
      for (std::size_t k = 0; k < K_; ++k) into[k] += one_row[k];
    }
  }
}

namespace {

constexpr int steps = 3;
constexpr std::size_t unknown = static_cast<std::size_t>(-1);

std::size_t label_of(const Block& buffer, std::size_t t) {
  if (!buffer.side.label || std::isnan(buffer.side.label[t])) return unknown;
  return static_cast<std::size_t>(buffer.side.label[t]);
}

/// Clusters by the shares of their levels. Rows are points that have 1 at their levels and 0 elsewhere; a missing cell is at no
/// distance from anything.
class Shares {
 public:
  Shares(const Categorical& family, const Block& buffer, std::size_t K)
      : buffer_(buffer),
        levels_(family.levels),
        total_(family.total()),
        p_(K * total_),
        squares_(K * levels_.size()) {}

  void place(std::size_t k, std::size_t t) {
    std::fill_n(p_.begin() + static_cast<std::ptrdiff_t>(k * total_), total_, 0.0);
    add(k, t, 1.0);
    settle(k, {});
  }

  void move_to_means(const std::vector<std::size_t>& cluster) {
    const std::size_t K = p_.size() / total_;
    const std::vector<double> before = p_;
    std::fill(p_.begin(), p_.end(), 0.0);
    for (std::size_t t = 0; t < buffer_.rows; ++t)
      if (cluster[t] != unknown) add(cluster[t], t, buffer_.weight(t));
    for (std::size_t k = 0; k < K; ++k) settle(k, {before.data() + k * total_, total_});
  }

  /// Squared, halved: the number of cells that differ, where the cluster is one row.
  double distance(std::size_t k, std::size_t t) const {
    const double* y = buffer_.row(t);
    const double* p = p_.data() + k * total_;
    double sum = 0;
    for (std::size_t j = 0; j < levels_.size(); p += levels_[j++])
      if (!std::isnan(y[j]))
        sum += 0.5 * (1 + squares_[k * levels_.size() + j]) - p[static_cast<std::size_t>(y[j])];
    return std::max(sum, 0.0);
  }

 private:
  void add(std::size_t k, std::size_t t, double weight) {
    const double* y = buffer_.row(t);
    double* p = p_.data() + k * total_;
    for (std::size_t j = 0; j < levels_.size(); p += levels_[j++])
      if (!std::isnan(y[j])) p[static_cast<std::size_t>(y[j])] += weight;
  }

  /// Counts become shares; where there are none, those of before or of all levels alike.
  void settle(std::size_t k, std::span<const double> before) {
    double* p = p_.data() + k * total_;
    for (std::size_t j = 0; j < levels_.size(); p += levels_[j++]) {
      const double sum = std::accumulate(p, p + levels_[j], 0.0);
      double squares = 0;
      for (std::size_t l = 0; l < levels_[j]; ++l) {
        if (sum > 0) {
          p[l] /= sum;
        } else if (before.empty()) {
          p[l] = 1.0 / static_cast<double>(levels_[j]);
        } else {
          p[l] = before[static_cast<std::size_t>(p - p_.data()) - k * total_ + l];
        }
        squares += p[l] * p[l];
      }
      squares_[k * levels_.size() + j] = squares;
    }
  }

  const Block& buffer_;
  const std::vector<std::size_t>& levels_;
  std::size_t total_;
  std::vector<double> p_;        // K × levels
  std::vector<double> squares_;  // K × columns: their sums of squares
};

std::size_t draw_row(const std::vector<double>& mass, Random& random) {
  const double all = std::accumulate(mass.begin(), mass.end(), 0.0);
  if (!(all > 0)) return random.index(mass.size());
  double u = random.uniform() * all;
  for (std::size_t t = 0; t < mass.size(); ++t) {
    u -= mass[t];
    if (u < 0) return t;
  }
  return mass.size() - 1;
}

}  // namespace

/// k-means++ (Arthur & Vassilvitskii 2007) on how many cells differ, now and then random rows instead; then a few steps of
/// k-means on the shares of the levels. Rows with a label keep it.
std::vector<std::size_t> Categorical::seed_clusters(const Block& buffer, std::size_t K,
                                                    Random& random) const {
  const std::size_t n = buffer.rows;
  Shares shares(*this, buffer, K);
  std::vector<std::size_t> cluster(n);
  std::vector<bool> labelled(K, false);
  for (std::size_t t = 0; t < n; ++t) {
    cluster[t] = label_of(buffer, t);
    if (cluster[t] != unknown) labelled[cluster[t]] = true;
  }
  if (buffer.side.label) shares.move_to_means(cluster);
  const bool anywhere = random.index(4) == 0;
  std::vector<double> nearest(n, std::numeric_limits<double>::max());
  const auto look_at = [&](std::size_t k) {
    for (std::size_t t = 0; t < n; ++t) nearest[t] = std::min(nearest[t], shares.distance(k, t));
  };
  bool first = true;
  for (std::size_t k = 0; k < K; ++k)
    if (labelled[k]) {
      look_at(k);
      first = false;
    }
  for (std::size_t k = 0; k < K; ++k) {
    if (labelled[k]) continue;
    std::vector<double> mass(n);
    for (std::size_t t = 0; t < n; ++t)
      mass[t] = buffer.weight(t) * (first || anywhere ? 1.0 : nearest[t]);
    shares.place(k, draw_row(mass, random));
    look_at(k);
    first = false;
  }
  for (int step = 0;; ++step) {
    for (std::size_t t = 0; t < n; ++t) {
      cluster[t] = label_of(buffer, t);
      if (cluster[t] != unknown) continue;
      std::size_t best = 0;
      for (std::size_t k = 1; k < K; ++k)
        if (shares.distance(k, t) < shares.distance(best, t)) best = k;
      cluster[t] = best;
    }
    if (step == steps) return cluster;
    shares.move_to_means(cluster);
  }
}

}  // namespace thalweg
