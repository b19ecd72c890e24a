// Laws whose parameters are to be found again.
#pragma once

#include <thalweg/thalweg.hpp>

#include <memory>
#include <string>

namespace efficiency {

struct Design {
  std::string name;
  std::shared_ptr<const thalweg::Model> model;
  thalweg::Schema schema;
  thalweg::Parameters truth;

  std::size_t free_parameters() const { return model->plan(schema).free_parameters; }
};

/// (.8; 1, 3), the mixture of the paper.
Design two_poissons();
/// In one column, of equal variance, so many standard deviations apart.
Design two_gaussians(double apart);
/// In two columns, three standard deviations apart.
Design three_gaussians();
/// In four columns, with variances and places drawn by the seed.
Design eight_gaussians(std::uint64_t seed);
/// Two factors in ten columns.
Design two_factors();

}  // namespace efficiency
