// Where in its source a row that a model refuses came from.
#pragma once

#include <thalweg/core/error.hpp>
#include <thalweg/core/source.hpp>

namespace thalweg {

/// Runs `work`; a row that a model refuses is reported with its place in the source.
template <class Work>
auto with_places(const Source& source, Work&& work) {
  try {
    return work();
  } catch (const RowError& error) {
    throw Error(source.where(error.row()) + ": " + error.reason());
  }
}

}  // namespace thalweg
