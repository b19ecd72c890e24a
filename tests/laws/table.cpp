// The table law × estimator, as data.
#include "known.hpp"
#include "laws.hpp"

namespace laws {

const std::vector<Law>& table() {
  constexpr Strength bits = Strength::exact;
  constexpr Strength near = Strength::tolerance;
  constexpr Strength stat = Strength::statistical;
  constexpr Strength none = Strength::not_applicable;
  // clang-format off
  static const std::vector<Law> laws = {
      //                                                      model  batch  recursion online fit
      {"statistics_add", "statistics at one theta add: shards merged are one pass",
       statistics_add,                                       {near, near, none, none, none},
       "theta moves while they read; plain_average holds them still"},
      {"plain_average", "rate 1/n at fixed theta gives the plain average",
       plain_average,                                        {none, near, near, near, near},
       "has no rate"},
      {"first_rate_one", "gamma_1 = 1 makes S_0 irrelevant",
       first_rate_one,                                       {none, none, near, none, none},
       "no S_0 can be given"},
      {"one_row", "absorbing one row is expect, blend, maximise, whatever the shape",
       one_row,                                              {near, none, none, none, none},
       "calls absorb of the model"},
      {"textbook", "the same numbers as a slow version written from the formulas",
       textbook,                                             {near, near, near, near, near}, ""},
      {"race", "the start with the best progressive likelihood wins, and goes on as if alone",
       race,                                                 {none, none, none, bits, none},
       "does not race; fit races through online", draws_starts},
      {"likelihood_never_falls", "without a repair no EM iteration lowers the likelihood",
       likelihood_never_falls,                               {none, near, none, none, near},
       "a stochastic step may lower it"},
      {"truth_is_fixed", "the truth is a fixed point on many rows",
       truth_is_fixed,                                       {none, stat, stat, stat, stat},
       "makes no steps"},
      {"methods_agree", "all methods end at the maximum that batch EM finds",
       methods_agree,                                        {none, none, near, near, near},
       "is what the others are compared with"},
      {"weight_is_repetition", "weight 2 is the row twice, weight 0 is no row",
       weight_is_repetition,                                 {near, near, none, none, near},
       "steps count rows: a weight changes one rate, a repetition adds a step"},
      {"unit_of_weight", "weights have no unit: all of them times 3 changes no parameter",
       unit_of_weight,                                       {near, near, near, near, near}, ""},
      {"row_order", "the order of rows does not matter",
       row_order,                                            {near, near, none, none, near},
       "forgets: later rows count more"},
      {"units", "shifted and rescaled columns give shifted and rescaled parameters",
       units,                                                {near, near, near, near, near},
       "", has_units},
      {"cut", "the same bits however the input is cut into blocks",
       cut,                                                  {none, bits, bits, bits, bits},
       "sees one block; how blocks add is statistics_add"},
      {"erased_is_direct", "AnyModel gives the same bits as the concrete type",
       erased_is_direct,                                     {bits, bits, bits, bits, bits}, ""},
      {"seeds", "the same seed gives the same bits, another seed another start",
       seeds,                                                {bits, none, none, bits, bits},
       "draws nothing at random", draws_starts},
      {"resume", "saved, loaded and continued: the same future bit for bit",
       resume,                                               {none, bits, bits, bits, none},
       "has no state of its own"},
      {"damaged_state", "a saved state that is cut, changed or another model's is refused",
       damaged_state,                                        {none, bits, bits, bits, none},
       "has no state of its own"},
      {"permutation", "permuting the components of the start permutes everything",
       permutation,                                          {near, near, near, near, near},
       "", has_components},
      {"explanation", "posteriors sum to 1, log densities to the likelihood, before a row is learned",
       explanation,                                          {near, near, near, near, near}, ""},
      {"truth_is_likely", "rows drawn from a truth are likeliest there",
       truth_is_likely,                                      {stat, none, none, none, none},
       "draws no rows"},
      {"drawn_moments", "drawn rows have the mean and variance of the formula",
       drawn_moments,                                        {stat, none, none, none, none},
       "draws no rows"},
      {"threads", "the same bits for a crew of 1, 2 or 8",
       threads,                                              {none, bits, bits, bits, bits},
       "sees one slice of rows; who computes it is the estimators' business"},
      {"prior", "penalised EM never falls; a strong prior wins, one of strength 0 changes no bit",
       prior,                                                {none, near, near, near, near},
       "the estimators weigh a prior against their rows"},
      {"fixed", "what is held does not move by a bit, the rest does, and EM still never falls",
       fixed,                                                {bits, bits, bits, bits, bits}, ""},
      {"labels", "rows labelled by their truth give the complete-data fit; unknown labels no bit",
       labels,                                               {near, near, near, near, near},
       "", has_components},
      {"file_round_trip", "model files read back bit for bit; parameters alone are enough",
       file_round_trip,                                      {bits, none, none, none, none},
       "writes no model file"},
      {"damaged_file", "a damaged model file is refused, or is another valid model: never a NaN",
       damaged_file,                                         {bits, none, none, none, none},
       "writes no model file"},
      {"bad_row", "a row outside the domain is refused by number, and nothing of its block is learned",
       bad_row,                                              {bits, none, none, bits, bits},
       "trusts its caller to have checked the rows"},
      {"far_row", "a row that no component explains never makes a NaN",
       far_row,                                              {bits, bits, bits, bits, bits}, ""},
  };
  // clang-format on
  return laws;
}

}  // namespace laws
