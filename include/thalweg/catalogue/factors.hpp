// The factor models of the catalogue for C++ programs, with options by name.
#pragma once

#include <thalweg/core/model.hpp>
#include <thalweg/export.hpp>
#include <thalweg/models/ppca.hpp>

#include <memory>

namespace thalweg {

THALWEG_API std::shared_ptr<const Model> ppca(PpcaOptions options);

}  // namespace thalweg
