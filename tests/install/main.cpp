// A user's program, built against the installed library.
#include <thalweg/thalweg.hpp>

int main() {}
