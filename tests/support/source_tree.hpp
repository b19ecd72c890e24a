// Where the sources lie, for tests that read shipped data and golden files.
#pragma once

#include <filesystem>

/// The only place that knows: a path in every command line would keep a compiler cache from serving two checkouts.
std::filesystem::path source_tree();
