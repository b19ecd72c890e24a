// Scratch paper for one thread: it grows to what is asked for and is never given back, so that hot loops do not allocate.
#pragma once

#include <thalweg/export.hpp>

#include <cstddef>

namespace thalweg::kernels {

/// At least `count` doubles, aligned to 64 bytes, for as long as this lives. Contents are arbitrary. Sheets nest: one that is taken
/// while another is in use lies elsewhere, and they are given back in the opposite order.
class THALWEG_API Scratch {
 public:
  explicit Scratch(std::size_t count);
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  double* data() const { return doubles_; }

 private:
  double* doubles_;
  std::size_t chunk_;  // where the thread's paper stood before
  std::size_t used_;
};

}  // namespace thalweg::kernels
