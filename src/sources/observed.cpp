// Tells the listeners of a source what passes, and keeps what they know with its position.
#include <thalweg/sources/observed.hpp>

namespace thalweg {

RowObserver::~RowObserver() = default;

void RowObserver::save(Archive& /*archive*/) const {}

void RowObserver::load(const Archive& /*archive*/) {}

bool Observed::next(Block& block) {
  if (!source().next(block)) return false;
  for (RowObserver* observer : observers_) observer->see(block);
  return true;
}

void Observed::save_own(Archive& archive) const {
  for (const RowObserver* observer : observers_) observer->save(archive);
}

void Observed::load_own(const Archive& archive) {
  for (RowObserver* observer : observers_) observer->load(archive);
}

}  // namespace thalweg
