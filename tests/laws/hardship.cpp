// Rows that are wrong, and rows that are merely far away.
#include "known.hpp"
#include "laws.hpp"

#include <cmath>
#include <limits>

namespace laws {

void bad_row(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Schema& schema = subject.example.schema;
  const Table good = subject.draw(400, 101);
  for (const double outside : {known_of(subject).outside, std::nan("")}) {
    if (std::isnan(outside) && subject.entry->takes_missing) continue;
    Table table = good;
    std::vector<double> row(good.block().row(0), good.block().row(0) + subject.columns());
    row.back() = outside;
    table.append_row(row.data());
    MemorySource source(schema, table, 90);  // blocks of 90: the bad one is the fifth
    const auto refuses = [&](const auto& act) {
      try {
        act();
        ADD_FAILURE() << "took " << outside;
      } catch (const RowError& error) {
        EXPECT_EQ(error.row(), 400U);
        EXPECT_NE(error.reason().text().find(schema.columns.back()), std::string::npos)
            << error.what();
      }
    };
    if (trial.who == Who::model) {
      EXPECT_NO_THROW(subject.model->check(schema, good.block()));
      refuses([&] { subject.model->check(schema, table.block()); });
    } else if (trial.who == Who::online) {
      Online online(subject.model, schema, online_options({}));
      std::string before;
      refuses([&] {
        for (Block block : source) {
          before = (Bytes() << online.save()).text();
          online.learn(block);
        }
      });
      EXPECT_TRUE(same_bits((Bytes() << online.save()).text(), before));
    } else {
      for (const Method method :
           {Method::automatic, Method::online, Method::batch, Method::incremental,
            Method::variance_reduced, Method::gradient}) {
        if (method == Method::gradient && !tells_moments(subject)) continue;
        Fit fit(subject.model, {.method = method});
        source.rewind();
        refuses([&] { fit.run(source); });
      }
    }
  }
}

void far_row(const Trial& trial) {
  const Subject& subject = trial.subject;
  Table table = subject.draw(300, 102);
  const std::vector<double> far(subject.columns(), known_of(subject).far);
  const Table near = subject.draw(300, 103);
  subject.append_unit(table, far);
  table.append(near.block());
  subject.append_unit(table, far, 2.5);
  Setting setting{.start = subject.blurred(near.block()), .iterations = 50};
  if (trial.who == Who::model) {
    Explanation e;
    explain(*subject.model, *setting.start, table.block(), e);
    for (const double x : e.log_density) EXPECT_TRUE(std::isfinite(x));
    for (const double z : e.scores) EXPECT_TRUE(std::isfinite(z));
    for (const double p : e.posterior) EXPECT_TRUE(p >= 0 && p <= 1 + 1e-12);
    return;
  }
  for (const std::size_t m : {1U, 7U}) {
    for (const bool given : {true, false}) {
      if (!finds_starts(trial.who) && !given) continue;
      setting.batch_size = m;
      if (!given) setting.start.reset();
      const Outcome all = run(trial, table.block(), setting);
      EXPECT_TRUE(all.theta.finite());
      EXPECT_TRUE(all.statistic.finite());
      EXPECT_TRUE(std::isfinite(all.log_likelihood));
    }
    setting.start = subject.blurred(near.block());
  }
}

}  // namespace laws
