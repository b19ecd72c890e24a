// Any text is a model that can be used and written again, or one line of refusal.
#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/core/error.hpp>

#include <cstdlib>
#include <string>

using namespace thalweg;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const Fitted fitted = from_file(model_from_json(text, "f"), "f");
    const std::string written = to_json(to_file(fitted));
    if (to_json(to_file(from_file(model_from_json(written, "g"), "g"))) != written) std::abort();
    const std::vector<double> row(fitted.schema.width(), 1.0);
    Explanation explanation;
    explain(*fitted.model, fitted.parameters, dense_block(row.data(), 1, row.size()), explanation);
  } catch (const Error& error) {
    const std::string what = error.what();
    if (!what.starts_with("f: ") || what.find('\n') != std::string::npos) std::abort();
  }
  return 0;
}
