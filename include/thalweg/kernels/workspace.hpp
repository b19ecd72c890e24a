// Workspace for one thread: it grows to what is asked for and is never given back, so that hot loops do not allocate.
#pragma once

#include <thalweg/export.hpp>

#include <cstddef>

namespace thalweg::kernels {

/// At least `count` doubles, aligned to 64 bytes, for as long as this lives. Contents are arbitrary. Workspaces nest: one that is taken
/// while another is in use lies elsewhere, and they are given back in the opposite order.
class THALWEG_API Workspace {
 public:
  explicit Workspace(std::size_t count);
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace();

  double* data() const { return doubles_; }

 private:
  double* doubles_;
  std::size_t chunk_;  // where the thread's workspace stood before
  std::size_t used_;
};

}  // namespace thalweg::kernels
