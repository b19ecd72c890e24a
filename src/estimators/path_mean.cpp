// Means of S and of what steps ask for, along the path of an online run.
#include <thalweg/core/error.hpp>
#include <thalweg/estimators/path_mean.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace thalweg {

void PathMean::trust(const Statistic& S, const Statistic* prior, double pull) {
  for (std::size_t i = 0; i < S.size(); ++i) {
    asked_.data()[i] = prior ? pull * (S.data()[i] - prior->data()[i]) : 0;
    where_.data()[i] = S.data()[i] - asked_.data()[i];
  }
  weight_ = S.weight;
  before_ = S;
  pull_ = pull;
  placed_ = true;
}

void PathMean::follow(const Statistic& S, double rate, double weight, bool moved,
                      const Statistic* prior, double pull) {
  if (placed_ && rate > 0) {
    weight_ += weight;
    const double share = weight / weight_;
    for (std::size_t i = 0; i < S.size(); ++i) {
      const double before = before_.data()[i];
      const double pulled = prior ? pull_ * (before - prior->data()[i]) : 0;  // S - T
      where_.data()[i] += share * (before - pulled - where_.data()[i]);
      asked_.data()[i] += share * ((S.data()[i] - before) / rate + pulled - asked_.data()[i]);
    }
  }
  before_ = S;
  pull_ = pull;
  placed_ = moved;
}

void PathMean::save(Archive& archive) const {
  archive.put("path/before", before_);
  archive.put("path/where", where_);
  archive.put("path/asked", asked_);
  archive.put("path/state", std::vector<double>{weight_, pull_, placed_ ? 1.0 : 0.0});
}

bool PathMean::saved_in(const Archive& archive) { return !archive.nested("path/").empty(); }

void PathMean::load(const Archive& archive) {
  const auto& state = archive.numbers("path/state");
  if (state.size() != 3) throw Error("saved online run is damaged");
  archive.get("path/before", before_);
  archive.get("path/where", where_);
  archive.get("path/asked", asked_);
  weight_ = state[0];
  pull_ = state[1];
  placed_ = state[2] == 1;
}

}  // namespace thalweg
