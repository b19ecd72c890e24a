#include "source_tree.hpp"

std::filesystem::path source_tree() { return THALWEG_SOURCE_DIR; }
