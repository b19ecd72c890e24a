// What was decided without being asked, said once the first rows went well: an error stays one line.
#pragma once

#include <thalweg/core/step.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace thalweg::app {

class Notes final : public Observer {
 public:
  explicit Notes(bool quiet) : quiet_(quiet) {}
  void add(std::string text) {
    if (!quiet_) say_once("note: " + std::move(text));
  }
  void warn(std::string text) { say_once("warning: " + std::move(text)); }
  void on(const Step&) override { say(); }
  void say() {
    for (const std::string& text : waiting_) fmt::print(stderr, "{}\n", text);
    waiting_.clear();
  }

 private:
  void say_once(std::string text) {
    if (said_.insert(text).second) waiting_.push_back(std::move(text));
  }

  bool quiet_;
  std::vector<std::string> waiting_;
  std::set<std::string> said_;
};

}  // namespace thalweg::app
