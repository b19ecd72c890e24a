// All laws by name; table.cpp says who is held to which.
#pragma once

#include "law.hpp"
#include "outcome.hpp"

namespace laws {

// statistics.cpp
void statistics_add(const Trial&);
void plain_average(const Trial&);
void first_rate_one(const Trial&);
void one_row(const Trial&);
// textbook.cpp
void textbook(const Trial&);
// race.cpp
void race(const Trial&);
// likelihood.cpp
void likelihood_never_falls(const Trial&);
void truth_is_fixed(const Trial&);
void methods_agree(const Trial&);
// rows.cpp
void weight_is_repetition(const Trial&);
void unit_of_weight(const Trial&);
void row_order(const Trial&);
void units(const Trial&);
// bits.cpp
void cut(const Trial&);
void prepared_once(const Trial&);
void seeds(const Trial&);
// resume.cpp
void resume(const Trial&);
void damaged_state(const Trial&);
// components.cpp
void permutation(const Trial&);
void explanation(const Trial&);
// simulation.cpp
void truth_is_likely(const Trial&);
void drawn_moments(const Trial&);
// methods.cpp
void moments(const Trial&);
void tangent(const Trial&);
void gathered(const Trial&);
void domain(const Trial&);
bool tells_moments(const Subject&);
bool makes_statistics(const Subject&);
// textbook_methods.cpp
void textbook_squarem(const Trial&, const Block&, const Setting&);
void textbook_incremental(const Trial&, const Block&, Setting);
void textbook_variance_reduced(const Trial&, const Block&, Setting);
void textbook_gradient(const Trial&, const Block&, const Setting&);
// files.cpp
void file_round_trip(const Trial&);
void damaged_file(const Trial&);
// threads.cpp
void threads(const Trial&);
// regularisation.cpp
void prior(const Trial&);
void fixed(const Trial&);
void labels(const Trial&);
// hardship.cpp
void bad_row(const Trial&);
void far_row(const Trial&);

}  // namespace laws
