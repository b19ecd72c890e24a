// Peak memory of a command that reads rows from a pipe: memory ROWS COMMAND… feeds it ROWS counts as CSV and prints JSON.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

namespace {

// Our own memory is no part of the child's peak (Linux counts what stood before exec), so this stays small.
constexpr std::size_t rows_in_text = 1 << 16;

/// Two Poissons, (.8; 1, 3), a count a line.
std::string draw_text() {
  std::mt19937_64 random(1);
  std::bernoulli_distribution second(0.2);
  std::array<std::poisson_distribution<long>, 2> count = {std::poisson_distribution<long>(1.0),
                                                          std::poisson_distribution<long>(3.0)};
  std::string text;
  for (std::size_t t = 0; t < rows_in_text; ++t)
    text += std::to_string(count[second(random) ? 1 : 0](random)) + '\n';
  return text;
}

/// The first `rows` lines.
std::string_view head(std::string_view text, std::size_t rows) {
  std::size_t end = 0;
  for (; rows > 0; --rows) end = text.find('\n', end) + 1;
  return text.substr(0, end);
}

bool write_all(int pipe, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(pipe, text.data(), text.size());
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// The same text again and again: what matters is how much there is.
bool feed(int pipe, std::size_t rows) {
  const std::string text = draw_text();
  if (!write_all(pipe, "y\n")) return false;
  for (; rows >= rows_in_text; rows -= rows_in_text)
    if (!write_all(pipe, text)) return false;
  return write_all(pipe, head(text, rows));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fputs("usage: memory ROWS COMMAND...\n", stderr), 2;
  const std::size_t rows = std::strtoul(argv[1], nullptr, 10);
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return std::perror("memory: pipe"), 1;
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child < 0) return std::perror("memory: fork"), 1;
  if (child == 0) {
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    ::execvp(argv[2], argv + 2);
    std::perror(argv[2]);
    ::_exit(127);
  }
  ::close(ends[0]);
  std::signal(SIGPIPE, SIG_IGN);
  const bool fed = feed(ends[1], rows);
  ::close(ends[1]);
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (!fed || status != 0) return std::fputs("memory: the command failed\n", stderr), 1;
  std::printf("{\"rows\": %zu, \"peak_bytes\": %ld, \"rows_a_second\": %.0f}\n", rows,
              usage.ru_maxrss * 1024, static_cast<double>(rows) / seconds.count());
}
