"""Rows of what, result, bar and verdict."""


class Table:
    def __init__(self):
        self.rows = [("measured", "result", "bar", "")]
        self.missed = False

    def add(self, what, text, bar="", holds=None):
        verdict = "" if holds is None else "holds" if holds else "MISSED"
        self.missed |= holds is False
        self.rows.append((what, text, bar, verdict))
        print(f"{what:72} {text:62} {bar:12} {verdict}", flush=True)

    def at_most(self, what, value, bar, text, bar_text=None):
        self.add(what, text, f"≤ {bar_text or format(bar, 'g')}", value <= bar)

    def at_least(self, what, value, bar, text, bar_text=None):
        self.add(what, text, f"≥ {bar_text or format(bar, 'g')}", value >= bar)

    def markdown(self):
        head, *body = ["| " + " | ".join(row) + " |" for row in self.rows]
        return "\n".join([head, "|---|---|---|---|", *body])
