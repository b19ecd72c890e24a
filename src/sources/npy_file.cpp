// Maps a window of an .npy file, or reads and converts what cannot be mapped.
#include "npy_file.hpp"

#include <thalweg/core/error.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <system_error>

namespace thalweg {
namespace {

// A window is mapped at once: page faults one by one would cost as much as the reading. It bounds what of a file is resident.
constexpr std::uint64_t window_bytes = 1U << 23U;

std::string cut_short(const Input& input) {
  return input.name + ": cut short: fewer numbers than the header says (copy the file again)";
}

}  // namespace

NpyFile::NpyFile(const Input& input, const std::function<bool()>& stop) : input_(input) {
  const bool plain = input.size && input.rewindable && !input.compressed;
  bytes_ = open_bytes(input, stop);
  read_on(12);
  std::string head(raw_.begin(), raw_.end());
  const std::size_t size = npy_header_size(head, input.name);
  read_on(std::max<std::size_t>(size, 12) - 12);
  head.append(raw_.begin(), raw_.end());
  header_ = read_npy_header(head, input.name);
  if (plain) {
    const std::uint64_t expected = header_.bytes + header_.data_bytes();
    if (*input.size < expected) throw Error(cut_short(input));
    if (*input.size > expected)
      throw Error(input.name + ": " + std::to_string(*input.size - expected) +
                  " bytes more than the shape in the header needs");
    file_ = ::open(input.path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ < 0) throw Error(input.name + ": " + std::generic_category().message(errno));
    bytes_.reset();
  } else if (header_.fortran) {
    throw Error(input.name +
                ": columns lie one after the other (Fortran order), which cannot be read packed or "
                "through a pipe (unpack to a file, or save np.ascontiguousarray of it)");
  }
}

NpyFile::~NpyFile() {
  unmap();
  if (file_ >= 0) ::close(file_);
}

void NpyFile::unmap() {
  if (map_) ::munmap(map_, map_bytes_);
  map_ = nullptr;
}

const double* NpyFile::rows(std::uint64_t row, std::size_t& count) {
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, header_.rows - row));
  const bool as_it_lies = header_.kind == NpyHeader::Kind::real && header_.item == 8 &&
                          !header_.fortran && header_.bytes % alignof(double) == 0 &&
                          header_.big_endian == (std::endian::native == std::endian::big);
  return file_ >= 0 && as_it_lies ? mapped(row, count) : converted(row, count);
}

const double* NpyFile::mapped(std::uint64_t row, std::size_t& count) {
  const std::uint64_t begin = header_.bytes + row * header_.row_bytes();
  std::uint64_t end = begin + count * header_.row_bytes();
  if (!map_ || begin < map_begin_ || end > map_begin_ + map_bytes_) {
    unmap();
    // Whoever cuts a file that is mapped ends its readers by SIGBUS: look before every window.
    struct stat status {};
    const std::uint64_t whole = header_.bytes + header_.data_bytes();
    if (::fstat(file_, &status) != 0 || static_cast<std::uint64_t>(status.st_size) < whole)
      throw Error(cut_short(input_));
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    map_begin_ = begin / page * page;
    map_bytes_ =
        static_cast<std::size_t>(std::min(std::max(end, begin + window_bytes), whole) - map_begin_);
    map_ = ::mmap(nullptr, map_bytes_, PROT_READ, MAP_SHARED | MAP_POPULATE, file_,
                  static_cast<off_t>(map_begin_));
    if (map_ == MAP_FAILED) {  // some file systems cannot
      map_ = nullptr;
      return converted(row, count);
    }
  }
  return reinterpret_cast<const double*>(static_cast<const char*>(map_) + (begin - map_begin_));
}

const double* NpyFile::converted(std::uint64_t row, std::size_t& count) {
  const std::size_t columns = header_.columns;
  values_.resize(count * columns);
  if (header_.fortran) {
    for (std::size_t j = 0; j < columns; ++j) {
      read_at(header_.bytes + (j * header_.rows + row) * header_.item, count * header_.item);
      read_npy_numbers(header_, raw_.data(), count, values_.data() + j, columns);
    }
    return values_.data();
  }
  const auto bytes = static_cast<std::size_t>(count * header_.row_bytes());
  if (file_ >= 0) {
    read_at(header_.bytes + row * header_.row_bytes(), bytes);
  } else {
    read_on(bytes);
    if (raw_.size() < bytes) throw Error(cut_short(input_));
  }
  read_npy_numbers(header_, raw_.data(), count * columns, values_.data(), 1);
  return values_.data();
}

void NpyFile::read_at(std::uint64_t offset, std::size_t count) {
  raw_.resize(count);
  for (std::size_t done = 0; done < count;) {
    const ssize_t got =
        ::pread(file_, raw_.data() + done, count - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(input_.name + ": " + std::generic_category().message(errno));
    if (got == 0) throw Error(cut_short(input_));
    done += static_cast<std::size_t>(got);
  }
}

/// As many bytes of a pipe, or what there is.
void NpyFile::read_on(std::size_t count) {
  raw_.resize(count);
  std::size_t done = 0;
  while (done < count) {
    const std::size_t got = bytes_->read(raw_.data() + done, count - done);
    if (got == 0) break;
    done += got;
  }
  raw_.resize(done);
}

}  // namespace thalweg
