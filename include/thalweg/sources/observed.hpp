// Who is told of the rows of a source: listeners that see every block on its way, and change nothing.
#pragma once

#include <thalweg/core/forwarding.hpp>

#include <utility>
#include <vector>

namespace thalweg {

class THALWEG_API RowObserver {
 public:
  virtual ~RowObserver();

  /// A block as it is handed out, valid for the call. Rows that come again in another pass, or in a run that goes on, are
  /// told again: by their numbers.
  virtual void see(const Block& block) = 0;

  /// What it has to know when the rows go on from a saved position; under names of its own.
  virtual void save(Archive& archive) const;
  virtual void load(const Archive& archive);
};

/// The source itself, with listeners, who have to outlive it.
class THALWEG_API Observed final : public Forwarding<> {
 public:
  Observed(Source& source, std::vector<RowObserver*> observers)
      : Forwarding(source), observers_(std::move(observers)) {}

  bool next(Block& block) override;

 private:
  void save_own(Archive& archive) const override;
  void load_own(const Archive& archive) override;

  std::vector<RowObserver*> observers_;
};

}  // namespace thalweg
