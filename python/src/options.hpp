// The table of options as Python sees it.
#pragma once

#include "catalogue/options.hpp"

#include <pybind11/pybind11.h>

namespace thalweg::python {

/// Everything that a signature, its documentation, its checks and its type hints are made from.
pybind11::dict option_dict(const Option& row);

/// What Python takes of a number or count.
Interval python_range(const Option& row);

}  // namespace thalweg::python
