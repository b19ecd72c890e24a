// Draws blocks of rows from a model, each row from its own random stream.
#include <thalweg/core/error.hpp>
#include <thalweg/core/random.hpp>
#include <thalweg/sources/simulated.hpp>

#include <algorithm>
#include <utility>

namespace thalweg {

SimulatedSource::SimulatedSource(std::shared_ptr<const Model> model, Schema schema,
                                 Parameters theta, SimulatedOptions options)
    : model_(std::move(model)),
      schema_(std::move(schema)),
      theta_(std::move(theta)),
      options_(options),
      unit_(model_->plan(schema_).unit) {
  if (options_.block_rows == 0) throw UsageError("a block needs at least one row");
}

bool SimulatedSource::next(Block& block) {
  const auto count =
      static_cast<std::size_t>(std::min<std::uint64_t>(options_.block_rows, options_.rows - read_));
  if (count == 0) return false;
  const std::size_t d = schema_.width();
  values_.resize(count * d);
  unit_starts_.assign(unit_ == Unit::row ? 0 : count, 0);
  for (std::size_t t = 0; t < count; ++t) {
    const std::uint64_t row = read_ + t;
    if (unit_ != Unit::row &&
        (row == 0 || (options_.unit_rows > 0 && row % options_.unit_rows == 0))) {
      unit_starts_[t] = 1;
      carry_ = {};
    }
    Random random(options_.seed, row);
    model_->draw(theta_, Block{}, carry_, random, values_.data() + t * d);
  }
  block = dense_block(values_.data(), count, d);
  if (unit_ != Unit::row) block.side.unit_start = unit_starts_.data();
  block.number_from(read_);
  read_ += count;
  return true;
}

bool SimulatedSource::rewind() {
  read_ = 0;
  return true;
}

std::optional<double> SimulatedSource::share_read() const {
  if (options_.rows == 0) return 1.0;
  return static_cast<double>(read_) / static_cast<double>(options_.rows);
}

}  // namespace thalweg
