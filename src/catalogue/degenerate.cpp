// Degenerate components, derived from layouts, M-steps and statistics.
#include "catalogue/fitted_regularisation.hpp"
#include "catalogue/options.hpp"
#include "core/alike.hpp"
#include "core/change.hpp"
#include <thalweg/catalogue/degenerate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace thalweg {
namespace {

/// Rates and probabilities at their ends are ordinary maxima; what has another meaning may collapse.
bool may_collapse(const Layout& layout) {
  return std::ranges::any_of(layout.pieces(), [](const Piece& piece) {
    return !piece.constant && piece.meaning != Meaning::rate &&
           piece.meaning != Meaning::probability;
  });
}

/// The M-step of a fit once more, under floors of one's own.
class MStep {
 public:
  explicit MStep(const Fitted& fitted)
      : fitted_(fitted), regularisation_(regularisation_here(fitted)) {
    if (prior_in_statistics(fitted)) regularisation_.prior.reset();
  }
  double floor() const { return std::max(regularisation_.floor, 1e-12); }

  /// What is not wider is thin: twice the floor, and as much as is half a ridge. A ridge of more than a thousandth of the data's
  /// squared scale is there on purpose.
  double thin() const {
    const Scale scale(fitted_.parameters);
    double widest = scale[0] * scale[0];
    for (std::size_t j = 0; j < fitted_.plan.parameters->extent(Axis::column); ++j)
      widest = std::max(widest, scale[j] * scale[j]);
    const double ridge = 2 * regularisation_.ridge / widest;
    return std::max(2 * floor(), ridge < 1e-3 ? ridge : 0);
  }

  Parameters under(double floor, Events& events) {
    regularisation_.floor = floor;
    Parameters theta = fitted_.parameters;
    maximise(*fitted_.model, *fitted_.statistic,
             regularisation_.context(rows_behind(fitted_), &events), theta);
    return theta;
  }

 private:
  const Fitted& fitted_;
  Regularisation regularisation_;
};

constexpr std::size_t everyone = Place::unknown;

/// component -> columns in which it is thin; `everyone`: they share it.
using Thin = std::map<std::size_t, std::set<std::size_t>>;

/// Where two M-steps differ. Of a matrix that is thin in some direction, the columns that this direction is about.
void differences(const Piece& piece, const Parameters& low, const Parameters& high, Thin& found) {
  const bool matrix = piece.domain == Domain::covariance;
  const Scale scale(low);
  const auto gain = [&](std::size_t i) {
    const double a = low.data()[piece.offset + i];
    const double b = high.data()[piece.offset + i];
    if (std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b))) return 0.0;
    const EntryAt at = entry_at(piece, i);
    if (matrix && at.row != at.column) return 0.0;
    const double unit = matrix ? scale[at.column.value_or(0)] : 1;
    return std::abs(a - b) / (unit * unit);
  };
  std::map<std::size_t, double> most;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    double& of_component = most[entry_at(piece, i).component.value_or(everyone)];
    of_component = std::max(of_component, gain(i));
  }
  for (std::size_t i = 0; i < piece.size(); ++i) {
    const EntryAt at = entry_at(piece, i);
    const std::size_t component = at.component.value_or(everyone);
    if (!(gain(i) > (matrix ? 0.1 * most[component] : 0))) continue;
    std::set<std::size_t>& columns = found[component];
    if (at.column) columns.insert(*at.column);
  }
}

/// Far from where the data lie rounding sets a limit above the floor, which only events tell.
void repaired(const Events& events, std::size_t K, Thin& found) {
  for (const Event event : {Event::floor_reached, Event::covariance_repaired})
    for (std::size_t k = 0; k < std::min(K, Marks::others); ++k)
      if (events.components(event).has(k)) found[k];
}

std::vector<Degeneracy> thin(const Fitted& fitted) {
  const Layout& layout = *fitted.plan.parameters;
  const bool told = layout.extent(Axis::component) > 0 || layout.extent(Axis::column) > 0;
  if (!told || !may_collapse(layout) || !fitted.statistic || !(fitted.statistic->weight > 0))
    return {};
  MStep step(fitted);
  Events events;
  Events ignored;
  const double floor = step.floor();
  const double limit = step.thin();
  const Parameters low = step.under(floor, events);
  const Parameters high = step.under(limit, ignored);
  Thin found;
  for (const Piece& piece : layout.pieces())
    if (!piece.constant && piece.meaning != Meaning::location) differences(piece, low, high, found);
  repaired(events, layout.extent(Axis::component), found);
  std::map<std::set<std::size_t>, std::vector<std::size_t>> together;  // by columns
  for (const auto& [component, columns] : found) together[columns].push_back(component);
  std::vector<Degeneracy> all;
  for (const auto& [columns, components] : together) {
    Degeneracy& one = all.emplace_back();
    if (components.back() != everyone) one.components = components;
    one.columns.assign(columns.begin(), columns.end());
  }
  std::ranges::sort(all, {}, &Degeneracy::components);
  return all;
}

/// Rows of a weight column of frequencies count as often as they say, others once.
std::vector<Degeneracy> light(const Fitted& fitted) {
  if (!fitted.training || !fitted.statistic) return {};
  const Piece* const piece = row_counts(*fitted.plan.statistic);
  if (!piece) return {};
  const auto counts = (*fitted.statistic)[piece->name];
  double total = 0;
  for (const double count : counts) total += count;
  const double rows =
      std::max(static_cast<double>(fitted.training->rows), fitted.training->observations);
  std::vector<Degeneracy> all;
  for (std::size_t k = 0; k < counts.size() && total > 0; ++k)
    if (const double mine = rows * counts[k] / total; mine < 1 - 1e-9)
      all.push_back({.kind = Degeneracy::Kind::light, .components = {k}, .rows = mine});
  return all;
}

std::vector<Degeneracy> alike(const Fitted& fitted) {
  std::vector<Degeneracy> all;
  for (std::vector<std::size_t>& group : alike_components(fitted.parameters))
    all.push_back({.kind = Degeneracy::Kind::alike, .components = std::move(group)});
  return all;
}

/// "components 1, 3 and 5", "columns width and length", with an end.
std::string list_of(const std::string& what, const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  if (names.size() == 1) return what + " " + names[0];
  const std::size_t shown = std::min(names.size(), most);
  const bool all = shown == names.size();
  std::string text = what + "s ";
  for (std::size_t i = 0; i < shown; ++i)
    text += (i == 0 ? "" : all && i + 1 == shown ? " and " : ", ") + names[i];
  return all ? text : fmt::format("{} and {} more", text, names.size() - shown);
}

std::string list_of(const std::string& what, const std::vector<std::size_t>& numbers) {
  std::vector<std::string> names;
  names.reserve(numbers.size());
  for (const std::size_t number : numbers) names.push_back(std::to_string(number));
  return list_of(what, names);
}

}  // namespace

std::vector<Degeneracy> degeneracies(const Fitted& fitted) {
  std::vector<Degeneracy> all = thin(fitted);
  for (const auto& more : {light(fitted), alike(fitted)})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::string_view name(Degeneracy::Kind kind) {
  constexpr std::array<std::string_view, 3> names = {"thin", "light", "alike"};
  return names[static_cast<std::size_t>(kind)];
}

std::string sentence(const Degeneracy& found, const Fitted& fitted) {
  const bool states = fitted.entry && fitted.entry->latent == Latent::states;
  const std::string what = states ? "state" : "component";
  const bool several = found.components.size() > 1;
  std::string who = list_of(what, found.components);
  if (found.components.empty())
    who = fitted.plan.parameters->extent(Axis::component) > 0 ? "every " + what : "the noise";
  if (found.kind == Degeneracy::Kind::alike) return who + " are alike";
  if (found.kind == Degeneracy::Kind::light)
    return fmt::format("{} has less than one row ({:.2g} of one)", who, found.rows);
  std::vector<std::string> columns;
  for (const std::size_t j : found.columns) columns.push_back(fitted.schema.columns[j]);
  return who + (several ? " have" : " has") + " a variance at its floor" +
         (columns.empty() ? "" : " in " + list_of("column", columns));
}

std::vector<Message> ways_out(const std::vector<Degeneracy>& found, const Fitted& fitted) {
  std::vector<Message> ways;
  const bool several = component_count(fitted) > 1;
  if (several) ways.emplace_back("use fewer");
  const bool collapsed = std::ranges::any_of(
      found, [](const Degeneracy& one) { return one.kind == Degeneracy::Kind::thin; });
  if (!collapsed || !fitted.entry) return ways;
  if (several) ways.push_back(option("prior"));
  const OptionId ridge = "ridge";
  if (knows(*fitted.entry, *ridge)) ways.push_back("a larger " + option("ridge"));
  return ways;
}

}  // namespace thalweg
