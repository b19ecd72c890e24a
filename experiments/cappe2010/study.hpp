// What all experiments share: independent replications on all cores, boxes and curves, and where they are written.
#pragma once

#include <thalweg/thalweg.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace cappe2010 {

using namespace thalweg;

/// Numbers by quantile of replications, a row for each box: panel, x, then the five numbers of a box plot and the extremes.
class Boxes {
 public:
  void add(const std::string& panel, double x, std::vector<double> values);
  void write(const std::string& path) const;

 private:
  std::string rows_;
};

/// Curves: panel, series, x, y.
class Curves {
 public:
  void add(const std::string& panel, const std::string& series, double x, double y);
  void write(const std::string& path) const;

 private:
  std::string rows_;
};

class Study {
 public:
  Study(std::string folder, double share, std::size_t threads);

  /// A share of the replications that the figures are made of, at least 20.
  std::size_t replications(std::size_t wanted) const;

  /// task(r) for every replication, in parallel; each must draw from streams of its own.
  void replicate(std::size_t count, const std::function<void(std::size_t)>& task) const;

  std::string path(const std::string& name) const { return folder_ + "/" + name + ".csv"; }

 private:
  std::string folder_;
  double share_;
  ThreadPool pool_;
};

/// The rows of a model at its truth, as a table.
Table draw(const std::shared_ptr<const Model>& model, const Schema& schema, const Parameters& truth,
           std::size_t rows, std::uint64_t seed);

// One function for each file: what it measures is in its first line.
void batch_ppca(const Study&);
void online_ppca(const Study&);
void trajectories(const Study&);
void tours(const Study&);
void limiting(const Study&);
void efficiency(const Study&);
void mini_batches(const Study&);
void passes(const Study&);
void gradient(const Study&);

}  // namespace cappe2010
