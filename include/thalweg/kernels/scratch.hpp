// Scratch paper for one thread: grows to the largest request and is never given back, so hot loops do not allocate.
#pragma once

#include <thalweg/export.hpp>

#include <cstddef>

namespace thalweg::kernels {

/// At least `count` doubles, aligned to 64 bytes, valid until this thread's next call. Contents are arbitrary.
THALWEG_API double* scratch(std::size_t count);

}  // namespace thalweg::kernels
