// How an estimator learns, from a dictionary of Python values to the options of the library.
#pragma once

#include "learner.hpp"

#include <pybind11/pybind11.h>

namespace thalweg::python {

/// Unknown names and values out of range are UsageErrors; what is absent or None keeps its default.
Setting setting_of(const pybind11::dict& given);

}  // namespace thalweg::python
