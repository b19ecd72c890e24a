// A stream that two processes learn: the first saves its state, the second goes on, and no bit differs from one that learned it all.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

using namespace thalweg;

/// The estimator is made from the same model, columns and options in every process; only its state is in the file.
Online estimator() { return {poisson_mixture({.components = 2}), Schema{{"calls"}}, {.seed = 3}}; }

/// Rows begin … end-1 of the day.
void learn(Online& online, int begin, int end) {
  for (int t = begin; t < end; ++t) {
    Random random(11, static_cast<std::uint64_t>(t));  // every row has a stream of its own
    const double calls = std::poisson_distribution<>(t % 3 == 0 ? 12 : 2)(random);
    online.learn(dense_block(&calls, 1, 1));
  }
}

void save(const Online& online, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  online.save().write(file);
}

void load(Online& online, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  online.load(Archive::read(file));  // a damaged file is an Error
}

int main(int count, char** arguments) {
  Online online = estimator();
  if (count == 2) {  // the second process
    load(online, arguments[1]);
    learn(online, 3000, 9000);
    save(online, arguments[1]);
    return 0;
  }

  const std::string name = "thalweg-" + std::to_string(std::random_device{}()) + ".state";
  const std::string path = (std::filesystem::temp_directory_path() / name).string();
  learn(online, 0, 3000);
  save(online, path);
  const std::string again = std::string("\"") + arguments[0] + "\" \"" + path + "\"";
  const int status = std::system(again.c_str());
  Online resumed = estimator();
  if (status == 0) load(resumed, path);
  std::filesystem::remove(path);
  if (status != 0) return 1;
  resumed.finish();

  Online undisturbed = estimator();
  learn(undisturbed, 0, 9000);
  undisturbed.finish();
  const Parameters theta = resumed.reported();
  for (std::size_t k = 0; k < 2; ++k)
    std::printf("share %.4f, calls %.4f\n", theta["weights"][k], theta["rates"][k]);
  const bool same = std::ranges::equal(theta.values(), undisturbed.reported().values());
  std::puts(same ? "the same bits" : "other bits");
  return same ? 0 : 1;
}
