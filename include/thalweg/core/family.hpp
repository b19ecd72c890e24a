// What a mixture asks of a component's family, and the words in which a family refuses a value.
#pragma once

#include <thalweg/core/context.hpp>
#include <thalweg/core/random.hpp>
#include <thalweg/data/block.hpp>
#include <thalweg/export.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thalweg {

/// K components, d columns.
struct Extent {
  std::size_t K = 0;
  std::size_t d = 0;
};

/// An exponential family of densities g(y) = h(y) exp(<s(y), psi> - A): a small class of plain functions.
///
///   name, domain                        "poisson"; "whole numbers from 0 on"
///   contains(y)                         is one cell in the domain?
///   statistics(e)                       names of the pieces of s(y) and how many numbers each has
///   width(e)                            D = 1 + their total
///   parameters(e), free_parameters(e)   pieces of theta (constants flagged) and how many are free
///   calibrate(buffer, e, weights, theta)   constants from the first rows, from theta where there are none
///   features(theta, e, y, out, stride)  s(y) at out[0], out[stride], …
///   natural(theta, e, k, psi, stride)   component k: -A_k at psi[0], the others at psi[stride], psi[2 stride], …
///   log_base(y, d)                      log h(y)
///   maximise(S, e, k, context, theta)   component k; S points to its column: S[0] weight, S[j K] entry j
///   draw(theta, e, k, random, y)        a row of component k
///   coordinate(y)                       where start-up measures distances (variance-stabilised)
template <class F>
concept Family = requires(const F& family, Extent e, const Block& block, const Context& context,
                          Random& random, const double* in, double* out, std::size_t n, double y) {
  { F::name } -> std::convertible_to<std::string_view>;
  { F::domain } -> std::convertible_to<std::string_view>;
  { family.contains(y) } -> std::same_as<bool>;
  { family.statistics(e) } -> std::same_as<std::vector<std::pair<std::string, std::size_t>>>;
  { family.width(e) } -> std::same_as<std::size_t>;
  { family.parameters(e) } -> std::same_as<std::vector<Piece>>;
  { family.free_parameters(e) } -> std::same_as<std::size_t>;
  family.calibrate(block, e, in, out);
  family.features(in, e, in, out, n);
  family.natural(in, e, n, out, n);
  { family.log_base(in, n) } -> std::same_as<double>;
  family.maximise(in, e, n, context, out);
  family.draw(in, e, n, random, out);
  { family.coordinate(y) } -> std::same_as<double>;
};

/// "missing value; poisson needs whole numbers from 0 on in every cell".
THALWEG_API std::string refusal(double y, std::string_view family, std::string_view domain);

}  // namespace thalweg
