// Named vectors, and the one update of statistics: blend.
#include <thalweg/core/error.hpp>
#include <thalweg/core/statistic.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>

namespace thalweg {
namespace {

const Piece& piece_called(const Layout& layout, std::string_view name) {
  if (const Piece* piece = layout.find(name)) return *piece;
  std::string known;
  for (const Piece& piece : layout.pieces()) known += (known.empty() ? "" : ", ") + piece.name;
  throw Error("no piece \"" + std::string(name) + "\" here (there are: " + known + ")");
}

void blend_values(std::span<double> into, std::span<const double> from, double scale, double rate) {
  assert(into.size() == from.size());
  for (std::size_t i = 0; i < into.size(); ++i) into[i] += rate * (from[i] * scale - into[i]);
}

}  // namespace

std::span<double> Named::operator[](std::string_view name) & {
  const Piece& piece = piece_called(*layout_, name);
  return values().subspan(piece.offset, piece.size());
}

std::span<const double> Named::operator[](std::string_view name) const& {
  const Piece& piece = piece_called(*layout_, name);
  return values().subspan(piece.offset, piece.size());
}

std::vector<double> Named::operator[](std::string_view name) && {
  const auto piece = (*this)[name];  // *this is an lvalue here
  return {piece.begin(), piece.end()};
}

bool Named::finite() const {
  return std::all_of(values_.begin(), values_.end(), [](double x) { return std::isfinite(x); });
}

void Sums::clear() {
  std::fill(values().begin(), values().end(), 0.0);
  weight = 0;
}

void Sums::add(const Sums& other) {
  assert(size() == other.size());
  for (std::size_t i = 0; i < size(); ++i) data()[i] += other.data()[i];
  weight += other.weight;
}

void blend(Statistic& into, const Statistic& from, double rate) {
  blend_values(into.values(), from.values(), 1.0, rate);
  into.weight += from.weight;
}

void blend(Statistic& into, const Sums& from, double rate) {
  blend_values(into.values(), from.values(), 1.0 / from.weight, rate);
  into.weight += from.weight;
}

void blend(Parameters& into, const Parameters& from, double rate) {
  blend_values(into.values(), from.values(), 1.0, rate);
}

Statistic mean(const Sums& sums) {
  Statistic statistic(sums.shared_layout());
  blend(statistic, sums, 1.0);
  return statistic;
}

}  // namespace thalweg
