// What is saved of an online fit, at any moment.
#include <thalweg/estimators/online.hpp>

#include <utility>

namespace thalweg {

Archive Online::save() const {
  Archive archive;
  archive.put("buffer", first_rows());
  if (catches_up()) {
    Table rest(schema_.width());
    rest.append(waiting_.block().slice(caught_up_, waiting()));
    archive.put("waiting", rest);
    archive.put("paying", paying_);
    archive.put("work", work_);
  }
  archive.put("counts", std::vector<std::uint64_t>{runs_.size(), raced_, given_ ? 1U : 0U});
  archive.put("offered", offered_);
  if (given_) archive.put("given", *given_);
  for (std::size_t r = 0; r < runs_.size(); ++r)
    archive.put("run" + std::to_string(r) + "/", runs_[r].save());
  save_prior(recursion_.regularisation, archive);
  save_starts(records_, archive);
  if (sample_) sample_->save(archive);
  if (scored_) archive.put("scored/theta", scored_->theta);
  if (scored_) archive.put("scored/statistic", scored_->statistic);
  return archive;
}

void Online::load(const Archive& archive) {
  const auto& counts = archive.counts("counts");
  std::vector<StartRecord> records = load_starts(archive);
  if (counts.size() != 3 || counts[0] > options_.racers + 1 ||
      (plan_.unit == Unit::row && counts[1] > race_rows_))
    throw Error("saved online fit is damaged");
  if (counts[0] > records.size() && (counts[0] > 1 || !records.empty()))
    throw Error("saved online fit has runs without a start");
  archive.get("buffer", buffer_);
  offered_ = archive.count_or("offered", 0);
  border_ = Admission(plan_.unit);
  border_.admit(*model_, schema_, buffer_.block());
  const bool longer = plan_.unit == Unit::row && buffer_.rows() > buffer_size_;
  if (longer && !few_distinct(buffer_.block().slice(0, buffer_size_)))
    throw Error("saved online fit is damaged, or had a larger buffer");
  raced_ = counts[1];
  given_.reset();
  if (counts[2] == 1) archive.get("given", given_.emplace(plan_.parameters));
  load_prior(archive, plan_, recursion_.regularisation);
  runs_.clear();
  for (std::size_t r = 0; r < counts[0]; ++r) {
    runs_.emplace_back(model_, schema_, recursion_);
    runs_.back().load(archive.nested("run" + std::to_string(r) + "/"));
  }
  if (!runs_.empty()) border_.admit(*model_, schema_, runs_.front().waiting());
  records_ = std::move(records);
  load_waiting(archive);
  load_scored(archive);
  watch_first();
}

/// A search that was under way is done again as far as it was.
void Online::load_waiting(const Archive& archive) {
  early_.reset();
  search_.reset();
  waiting_ = Table(schema_.width());
  caught_up_ = 0;
  work_ = 0;
  paying_ = archive.count_or("paying", 0);
  if (!archive.has_count("paying")) return;
  archive.get("waiting", waiting_);
  border_.admit(*model_, schema_, waiting_.block());
  work_ = archive.number("work");
  if (!runs_.empty()) return;
  if (buffer_.empty() || buffer_.rows() < buffer_size_ || given_)
    throw Error("saved online fit is damaged");
  launch();
  search_->reach(credit());
}

/// States of earlier versions have neither; their runs have no path to score.
void Online::load_scored(const Archive& archive) {
  scored_.reset();
  if (!sample_ || !archive.has_count("sample/places")) return;
  sample_->load(archive);
  border_.admit(*model_, schema_, sample_->block());
  if (archive.nested("scored/").empty()) return;
  scored_.emplace(Scored{Parameters(plan_.parameters), Statistic(plan_.statistic)});
  archive.get("scored/theta", scored_->theta);
  archive.get("scored/statistic", scored_->statistic);
}

}  // namespace thalweg
