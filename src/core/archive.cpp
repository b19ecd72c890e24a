// Named values written to bytes and read back, damage noticed.
#include <thalweg/core/archive.hpp>
#include <thalweg/core/error.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <istream>
#include <iterator>
#include <ostream>
#include <string_view>

namespace thalweg {
namespace {

constexpr std::string_view first_line = "thalweg-state 1\n";
static_assert(std::endian::native == std::endian::little, "the format is little-endian");

// Fowler–Noll–Vo 1a, 64 bits: catches damage, not malice.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char byte : bytes) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 1099511628211U;
  }
  return hash;
}

void append_word(std::string& bytes, std::uint64_t word) {
  std::array<char, sizeof word> raw{};
  std::memcpy(raw.data(), &word, sizeof word);
  bytes.append(raw.data(), raw.size());
}

template <class Value>
void append_section(std::string& bytes, const std::map<std::string, std::vector<Value>>& section) {
  append_word(bytes, section.size());
  for (const auto& [name, values] : section) {
    append_word(bytes, name.size());
    bytes += name;
    append_word(bytes, values.size());
    for (const Value value : values) append_word(bytes, std::bit_cast<std::uint64_t>(value));
  }
}

/// Takes the bytes apart and never reads or allocates beyond them.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) throw Error("saved state is cut short");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::uint64_t word() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  template <class Value>
  void section(std::map<std::string, std::vector<Value>>& into) {
    const std::uint64_t entries = word();
    for (std::uint64_t i = 0; i < entries; ++i) {
      std::string name(take(word()));
      const std::uint64_t size = word();
      if (size > rest_.size() / sizeof(Value)) throw Error("saved state is cut short");
      std::vector<Value> values(size);
      for (Value& value : values) value = std::bit_cast<Value>(word());
      into.emplace(std::move(name), std::move(values));
    }
  }

  bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

template <class Map>
const typename Map::mapped_type& entry(const Map& map, const std::string& name) {
  const auto found = map.find(name);
  if (found == map.end()) throw Error("saved state has no \"" + name + "\"");
  return found->second;
}

void fill(const std::string& name, const std::vector<double>& from, std::span<double> into) {
  if (from.size() != into.size())
    throw Error("saved state \"" + name + "\" has " + std::to_string(from.size()) +
                " numbers, this model needs " + std::to_string(into.size()));
  std::copy(from.begin(), from.end(), into.begin());
}

std::vector<double> copy(std::span<const double> values) { return {values.begin(), values.end()}; }

}  // namespace

void Archive::put(const std::string& name, std::vector<double> numbers) {
  numbers_[name] = std::move(numbers);
}

void Archive::put(const std::string& name, std::vector<std::uint64_t> counts) {
  counts_[name] = std::move(counts);
}

void Archive::put(const std::string& name, const Parameters& parameters) {
  put(name, copy(parameters.values()));
}

void Archive::put(const std::string& name, const Statistic& statistic) {
  put(name, copy(statistic.values()));
  put(name + "/weight", statistic.weight);
}

/// Each text is its length and its bytes, eight to a word.
void Archive::put(const std::string& name, const std::vector<std::string>& texts) {
  std::vector<std::uint64_t> words;
  for (const std::string& text : texts) {
    words.push_back(text.size());
    for (std::size_t i = 0; i < text.size(); i += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + i, std::min(sizeof word, text.size() - i));
      words.push_back(word);
    }
  }
  put(name, std::move(words));
}

void Archive::put(const std::string& prefix, const Archive& nested) {
  for (const auto& [name, values] : nested.numbers_) numbers_[prefix + name] = values;
  for (const auto& [name, values] : nested.counts_) counts_[prefix + name] = values;
}

const std::vector<double>& Archive::numbers(const std::string& name) const {
  return entry(numbers_, name);
}

const std::vector<std::uint64_t>& Archive::counts(const std::string& name) const {
  return entry(counts_, name);
}

double Archive::number(const std::string& name) const {
  double value = 0;
  fill(name, numbers(name), {&value, 1});
  return value;
}

std::uint64_t Archive::count(const std::string& name) const {
  const auto& values = counts(name);
  if (values.size() != 1) throw Error("saved state \"" + name + "\" is not one count");
  return values.front();
}

std::uint64_t Archive::count_or(const std::string& name, std::uint64_t otherwise) const {
  return counts_.contains(name) ? count(name) : otherwise;
}

void Archive::get(const std::string& name, Parameters& parameters) const {
  fill(name, numbers(name), parameters.values());
}

void Archive::get(const std::string& name, Statistic& statistic) const {
  fill(name, numbers(name), statistic.values());
  statistic.weight = number(name + "/weight");
}

std::vector<std::string> Archive::texts(const std::string& name) const {
  const std::vector<std::uint64_t>& words = counts(name);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < words.size();) {
    const std::uint64_t size = words[i++];
    if (size > (words.size() - i) * sizeof(std::uint64_t))
      throw Error("saved state \"" + name + "\" is no text");
    std::string& text = texts.emplace_back(size, '\0');
    std::memcpy(text.data(), words.data() + i, size);
    i += (size + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
  }
  return texts;
}

Archive Archive::nested(const std::string& prefix) const {
  Archive part;
  for (const auto& [name, values] : numbers_)
    if (name.starts_with(prefix)) part.numbers_[name.substr(prefix.size())] = values;
  for (const auto& [name, values] : counts_)
    if (name.starts_with(prefix)) part.counts_[name.substr(prefix.size())] = values;
  return part;
}

std::string_view Archive::magic() { return first_line; }

void Archive::write(std::ostream& out) const {
  std::string bytes;
  append_section(bytes, numbers_);
  append_section(bytes, counts_);
  std::string end;
  append_word(end, checksum(bytes));
  out << first_line << bytes << end;
}

Archive Archive::read(std::istream& in) {
  const std::string all{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!all.starts_with(first_line)) throw Error("this is not a saved thalweg state of version 1");
  std::string_view body = std::string_view(all).substr(first_line.size());
  if (body.size() < sizeof(std::uint64_t)) throw Error("saved state is cut short");
  const std::string_view end = body.substr(body.size() - sizeof(std::uint64_t));
  body.remove_suffix(sizeof(std::uint64_t));
  if (Reader(end).word() != checksum(body)) throw Error("saved state is damaged (checksum)");

  Archive archive;
  Reader reader(body);
  reader.section(archive.numbers_);
  reader.section(archive.counts_);
  if (!reader.done()) throw Error("saved state has bytes that belong to nothing");
  return archive;
}

}  // namespace thalweg
