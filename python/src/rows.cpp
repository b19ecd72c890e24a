// Rows from NumPy arrays and Python iterators as sources.
#include "rows.hpp"

#include "bind.hpp"
#include "core/slices.hpp"
#include "files.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/sources/memory.hpp>

#include <pybind11/stl.h>

#include <algorithm>

namespace thalweg::python {
namespace {

/// Some megabytes, in whole compute slices: what lies in one block is never copied, and between blocks Ctrl-C is heard.
std::size_t rows_in_a_block(std::size_t columns) {
  constexpr std::size_t bytes = std::size_t{4} << 20U;
  return std::max<std::size_t>(1, bytes / sizeof(double) / (columns + 1) / slice_rows) * slice_rows;
}

/// Blocks that Python makes when they are wanted.
class BlocksFromPython final : public Source {
 public:
  BlocksFromPython(py::object next, py::object rewind, Schema schema,
                   std::optional<std::uint64_t> rows)
      : next_(std::move(next)),
        rewind_(std::move(rewind)),
        schema_(std::move(schema)),
        rows_(rows) {}
  BlocksFromPython(const BlocksFromPython&) = delete;
  BlocksFromPython& operator=(const BlocksFromPython&) = delete;
  ~BlocksFromPython() override {
    const py::gil_scoped_acquire gil;
    next_ = rewind_ = values_ = weight_ = py::object();
  }

  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> rows() const override { return rows_; }

  bool next(Block& block) override {
    const py::gil_scoped_acquire gil;
    const py::object given = next_();
    if (given.is_none()) return false;
    const bool pair = py::isinstance<py::tuple>(given);
    values_ = pair ? py::object(given[py::int_(0)]) : given;
    weight_ = pair ? py::object(given[py::int_(1)]) : py::object(py::none());
    const auto values = py::cast<py::array>(values_);
    if (!is_plain(values) || values.ndim() != 2)
      throw Error("a block of rows has to be an array of doubles");
    if (static_cast<std::size_t>(values.shape(1)) != schema_.width())
      throw Error("a block of rows has " + std::to_string(values.shape(1)) + " columns, expected " +
                  std::to_string(schema_.width()));
    const py::array weight = weight_.is_none() ? py::array() : py::cast<py::array>(weight_);
    block = block_of(values, weight_.is_none() ? nullptr : &weight);
    block.number_from(read_);
    read_ += block.rows;
    return true;
  }

  bool rewind() override {
    const py::gil_scoped_acquire gil;
    if (rewind_.is_none()) return false;
    rewind_();
    read_ = 0;
    return true;
  }

 private:
  py::object next_;
  py::object rewind_;
  Schema schema_;
  std::optional<std::uint64_t> rows_;
  std::uint64_t read_ = 0;
  py::object values_;  // of the current block
  py::object weight_;
};

}  // namespace

bool is_plain(const py::array& array) {
  constexpr auto one = static_cast<py::ssize_t>(sizeof(double));
  if (!py::isinstance<py::array_t<double>>(array) || array.ndim() == 0) return false;
  const auto last = array.ndim() - 1;
  if (array.shape(last) > 1 && array.strides(last) != one) return false;
  if (array.ndim() == 2 && array.shape(0) > 1 &&
      (array.strides(0) < one * array.shape(1) || array.strides(0) % one != 0))
    return false;
  return reinterpret_cast<std::uintptr_t>(array.data()) % alignof(double) == 0;
}

Block block_of(const py::array& values, const py::array* weight) {
  Block block = dense_block(static_cast<const double*>(values.data()),
                            static_cast<std::size_t>(values.shape(0)),
                            static_cast<std::size_t>(values.shape(1)));
  if (block.rows > 1) block.stride = static_cast<std::size_t>(values.strides(0)) / sizeof(double);
  if (weight) {
    if (!is_plain(*weight) || weight->ndim() != 1 || weight->shape(0) != values.shape(0))
      throw Error("sample_weight has to be one number for each row");
    block.side.weight = static_cast<const double*>(weight->data());
  }
  return block;
}

Rows rows_of_array(const py::array& values, const py::object& weight,
                   std::vector<std::string> names) {
  if (!is_plain(values) || values.ndim() != 2) throw Error("rows have to be an array of doubles");
  const py::array weights = weight.is_none() ? py::array() : py::cast<py::array>(weight);
  const Block block = block_of(values, weight.is_none() ? nullptr : &weights);
  return {std::make_unique<MemorySource>(Schema{std::move(names)}, block,
                                         rows_in_a_block(block.columns)),
          py::make_tuple(values, weight)};
}

Rows rows_of_blocks(py::object next, py::object rewind, std::vector<std::string> names,
                    std::optional<std::uint64_t> rows) {
  const bool once = rewind.is_none();
  return {std::make_unique<BlocksFromPython>(std::move(next), std::move(rewind),
                                             Schema{std::move(names)}, rows),
          py::none(), once};
}

void bind_rows(py::module_& module) {
  py::class_<Rows>(module, "Rows",
                   "Rows that can be read once or again, of arrays, blocks or files.")
      .def_static("of_array", &rows_of_array, py::arg("values"), py::arg("weight"),
                  py::arg("names"))
      .def_static("of_blocks", &rows_of_blocks, py::arg("next"), py::arg("rewind"),
                  py::arg("names"), py::arg("rows"))
      .def_static("of_files", &rows_of_files, py::arg("files"), py::arg("reading"),
                  py::arg("levels") = py::none(), py::arg("others_are_missing") = false)
      .def_property_readonly("names",
                             [](const Rows& rows) { return rows.source->schema().columns; })
      .def_property_readonly("levels",
                             [](const Rows& rows) { return rows.source->schema().levels; })
      .def_property_readonly("unknown_levels", &unknown_levels)
      .def_property_readonly("faults", &faults)
      .def_property_readonly("fields", &fields)
      .def_property_readonly("length", [](const Rows& rows) { return rows.source->rows(); });
}

}  // namespace thalweg::python
