// Rows in three places: every place takes the E-step over its own, the statistics are added up, and it is batch EM over all rows.
#include <thalweg/thalweg.hpp>

#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

using namespace thalweg;

int main() {
  const Schema schema{{"calls"}};
  std::vector<Table> shards(3, Table(1));
  Table all(1);
  for (std::size_t t = 0; t < 6000; ++t) {
    Random random(5, t);
    const double calls = std::poisson_distribution<>(t % 4 == 0 ? 9 : 3)(random);
    shards[t % 3].append_row(&calls);
    all.append_row(&calls);
  }

  // A model of the catalogue with parameters: what a model file holds.
  Fitted model = prepare(find_entry("poisson"), {{"components", "2"}}, schema);
  Random random(1);
  model.parameters = model.model->start(model.plan, shards[0].block(), random);

  Batch batch(model.model, schema);  // what the shards have to agree with
  batch.begin(model.parameters);

  double before = -HUGE_VAL;
  bool right = true;
  for (int iteration = 0; iteration < 20; ++iteration) {
    // Each worker gets the model, as a text if it lives elsewhere, and sends back its own.
    const std::string sent = to_json(to_file(model));
    std::vector<Fitted> parts;
    for (const Table& shard : shards) {
      const Fitted base = from_file(model_from_json(sent, "the model"), "the model");
      MemorySource rows(schema, shard);
      parts.push_back(one_step(base, rows));
    }
    const Merged merged = merge(parts, {"shard 1", "shard 2", "shard 3"});
    model = merged.fitted;

    batch.iterate(all.block());
    const double log_likelihood = *model.training->log_likelihood;
    for (std::size_t j = 0; j < model.parameters.size(); ++j)
      right =
          right && std::abs(model.parameters.values()[j] - batch.parameters().values()[j]) < 1e-9;
    right = right && merged.exact && log_likelihood >= before - 1e-9;
    before = log_likelihood;
    if (iteration % 5 == 4)
      std::printf("iteration %2d: log-likelihood %.4f\n", iteration + 1, log_likelihood);
  }
  for (std::size_t k = 0; k < 2; ++k)
    std::printf("share %.4f, calls %.4f\n", model.parameters["weights"][k],
                model.parameters["rates"][k]);
  return right ? 0 : 1;
}
