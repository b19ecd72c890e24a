// What was decided without being asked, said once the first rows went well: an error stays one line.
#pragma once

#include <thalweg/core/step.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace thalweg::app {

class Notes final : public Observer {
 public:
  explicit Notes(bool quiet) : quiet_(quiet) {}
  void add(std::string text) { waiting_.push_back(std::move(text)); }
  void on(const Step&) override { say(); }
  void say() {
    if (!quiet_)
      for (const std::string& text : waiting_) fmt::print(stderr, "note: {}\n", text);
    waiting_.clear();
  }

 private:
  bool quiet_;
  std::vector<std::string> waiting_;
};

}  // namespace thalweg::app
