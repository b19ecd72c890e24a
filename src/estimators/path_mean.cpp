// Means of S and of what steps ask for, along the path of an online run.
#include <thalweg/core/error.hpp>
#include <thalweg/estimators/path_mean.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace thalweg {

void PathMean::trust(const Statistic& S) {
  where_ = S;
  weight_ = S.weight;
}

void PathMean::follow(const Statistic& S, double rate, double weight, bool moved) {
  if (placed_ && rate > 0) {
    weight_ += weight;
    const double share = weight / weight_;
    for (std::size_t i = 0; i < S.size(); ++i) {
      const double before = before_.data()[i];
      where_.data()[i] += share * (before - where_.data()[i]);
      asked_.data()[i] += share * ((S.data()[i] - before) / rate - asked_.data()[i]);
    }
  }
  before_ = S;
  placed_ = moved;
}

void PathMean::save(Archive& archive) const {
  archive.put("path/before", before_);
  archive.put("path/where", where_);
  archive.put("path/asked", asked_);
  archive.put("path/state", std::vector<double>{weight_, placed_ ? 1.0 : 0.0});
}

bool PathMean::saved_in(const Archive& archive) { return !archive.nested("path/").empty(); }

void PathMean::load(const Archive& archive) {
  const auto& state = archive.numbers("path/state");
  if (state.size() != 2) throw Error("saved online run is damaged");
  archive.get("path/before", before_);
  archive.get("path/where", where_);
  archive.get("path/asked", asked_);
  weight_ = state[0];
  placed_ = state[1] == 1;
}

}  // namespace thalweg
