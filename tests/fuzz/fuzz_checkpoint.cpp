// Any bytes are the state of a fit that goes on to its end, or one line of refusal. The first byte chooses the method.
#include "sealed.hpp"
#include "sources/journal.hpp"
#include <thalweg/catalogue/mixtures.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/estimators/fit.hpp>
#include <thalweg/sources/memory.hpp>

#include <sstream>

using namespace thalweg;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr Method methods[] = {Method::automatic,   Method::online,           Method::batch,
                                Method::incremental, Method::variance_reduced, Method::gradient};
  const std::vector<double> rows = {0, 1, 1, 2, 9, 7, 8, 0, 1, 5, 6, 7, 3, 2, 2};
  MemorySource source(Schema::numbered(1), dense_block(rows.data(), rows.size(), 1), 4);
  Journal journal(source);
  std::istringstream in(sealed({reinterpret_cast<const char*>(data) + 1, size - 1}));
  try {
    Fit fit(poisson_mixture({.components = 2}), {.method = methods[data[0] % 6U],
                                                 .online = {.batch_size = 4, .buffer = 8},
                                                 .batch = {.max_iterations = 50},
                                                 .passes = 3});
    fit.load(Archive::read(in));
    fit.run(journal);
  } catch (const Error&) {
  }
  return 0;
}
