// What a model file tells by the shapes of its parameters where it gives no options, columns or levels.
#pragma once

#include <thalweg/catalogue/entry.hpp>
#include <thalweg/catalogue/model_file.hpp>

namespace thalweg {

/// Those of the file; where it has none, the number of components or factors and what else the entry knows to read off.
ModelOptions options_of(const ModelFile& file, const Entry& entry);

/// The columns of the file, or as many numbered ones as its parameters are wide; levels likewise, called 0, 1, …
Schema schema_of(const ModelFile& file, const Entry& entry);

}  // namespace thalweg
