// The nearest of some names, for "did you mean".
#include "core/nearest.hpp"

#include <algorithm>
#include <cstddef>

namespace thalweg {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

/// Optimal string alignment; rows i-2, i-1 and i of the table are enough.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) now[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(now);
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
  }
  return now[b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view wanted,
                                        const std::vector<std::string>& known) {
  const std::string mine = lower(wanted);
  std::optional<std::string> nearest;
  std::size_t fewest = 0;
  for (const std::string& name : known) {
    const std::string theirs = lower(name);
    const std::size_t longer = std::max(mine.size(), theirs.size());
    const bool begins = mine.size() > 1 && theirs.starts_with(mine) && theirs != mine;
    const std::size_t distance = begins ? 1 : edits(mine, theirs);
    if (distance >= longer || distance > std::max<std::size_t>(longer / 3, 1)) continue;
    if (nearest && distance >= fewest) continue;
    nearest = name;
    fewest = distance;
  }
  return nearest;
}

}  // namespace thalweg
