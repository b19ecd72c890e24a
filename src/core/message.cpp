// Messages that mention options, and what each face makes of them.
#include <thalweg/core/message.hpp>

#include <algorithm>
#include <iterator>

namespace thalweg {

Message::Message(std::string text) {
  if (!text.empty()) pieces_.push_back({.option = {}, .value = std::move(text)});
}

Message Message::parse(std::string_view text) {
  Message message;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('{'), text.size());
    message += Message(std::string(text.substr(0, open)));
    text.remove_prefix(open);
    const std::size_t close = text.find('}');
    if (close == std::string_view::npos) return message += Message(std::string(text));
    const std::string_view inside = text.substr(1, close - 1);
    const std::size_t sign = std::min(inside.find('='), inside.size());
    message += option(std::string(inside.substr(0, sign)),
                      std::string(inside.substr(std::min(sign + 1, inside.size()))));
    text.remove_prefix(close + 1);
  }
  return message;
}

Message& Message::advise(Message way) {
  advice_.push_back(std::move(way));
  return *this;
}

Message operator+(Message left, const Message& right) {
  left.pieces_.insert(left.pieces_.end(), right.pieces_.begin(), right.pieces_.end());
  left.advice_.insert(left.advice_.end(), right.advice_.begin(), right.advice_.end());
  return left;
}

std::string Message::text() const {
  return text([](const Mention& mention) -> Spelled {
    return {mention.option + (mention.value.empty() ? "" : "=" + mention.value)};
  });
}

std::string Message::text(const Spelling& spelling) const {
  std::string said;
  for (const Mention& piece : pieces_)
    said += piece.option.empty() ? piece.value : spelling(piece).text;
  std::string ways;
  for (const Message& way : advice_)
    if (way.usable(spelling)) ways += (ways.empty() ? "" : ", or ") + way.text(spelling);
  return ways.empty() ? said : said + " (" + ways + ")";
}

bool Message::usable(const Spelling& spelling) const {
  return std::ranges::all_of(pieces_, [&spelling](const Mention& piece) {
    return piece.option.empty() || spelling(piece).usable;
  });
}

std::vector<Mention> Message::mentions() const {
  std::vector<Mention> all;
  std::ranges::copy_if(pieces_, std::back_inserter(all),
                       [](const Mention& piece) { return !piece.option.empty(); });
  for (const Message& way : advice_)
    for (Mention& mention : way.mentions()) all.push_back(std::move(mention));
  return all;
}

}  // namespace thalweg
