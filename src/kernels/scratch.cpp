#include <thalweg/kernels/scratch.hpp>

#include <memory>
#include <new>

namespace thalweg::kernels {
namespace {

struct Release {
  void operator()(double* doubles) const { ::operator delete[](doubles, std::align_val_t{64}); }
};

struct Paper {
  std::unique_ptr<double, Release> doubles;
  std::size_t capacity = 0;
};

}  // namespace

double* scratch(std::size_t count) {
  thread_local Paper paper;
  if (count > paper.capacity) {
    paper.doubles.reset(
        static_cast<double*>(::operator new[](count * sizeof(double), std::align_val_t{64})));
    paper.capacity = count;
  }
  return paper.doubles.get();
}

}  // namespace thalweg::kernels
