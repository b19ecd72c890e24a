// Any bytes are a state that an online fit can continue from, or one line of refusal.
//
// The first byte chooses: the rest as it stands, or sealed with the right beginning and checksum, so that what stands
// behind them is reached too.
#include "sealed.hpp"
#include <thalweg/catalogue/mixtures.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/estimators/online.hpp>

#include <sstream>
#include <string>

using namespace thalweg;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::istringstream in(data[0] == 'r' ? std::string(rest) : sealed(rest));
  try {
    Online online(poisson_mixture({.components = 2}), Schema::numbered(1),
                  {.batch_size = 4, .buffer = 10});
    online.load(Archive::read(in));
    const std::vector<double> rows = {0, 1, 1, 2, 9, 7, 8, 0, 1, 5, 6, 7, 3, 2, 2};
    for (int i = 0; i < 5; ++i) online.learn(dense_block(rows.data(), rows.size(), 1));
    online.finish();
    online.reported();
    online.starts();
    online.save();
  } catch (const Error&) {
  }
  return 0;
}
