"""What a person is shown while an estimator learns: the table of `verbose`, the bar of `progress`, the callback `on_step`."""

import contextlib
import sys
import time

from . import _native


def wanted(estimator):
    return estimator.verbose or estimator.progress or estimator.on_step is not None


@contextlib.contextmanager
def watching(estimator, rows, table=None, passes=1):
    """The listener of one run, None where nothing is to be shown. A table goes on where it is given."""
    if not wanted(estimator):
        yield None
        return
    learner = estimator._learner
    before = learner.rows
    bar = Bar(estimator.max_iter, rows.length, passes) if estimator.progress else None

    def write(text):
        if bar is not None:
            bar.clear()
        sys.stdout.write(text)

    if not estimator.verbose:
        table = None
    elif table is None:
        table = new_table(estimator)
    tick = None if bar is None else bar.tick
    done = False
    try:
        yield _native.Listener(table, write, estimator.on_step, tick)
        done = True
    finally:
        if bar is not None:
            bar.close(done, learner.rows - before)


def new_table(estimator):
    return _native.PrintedTable(max(1, int(estimator.verbose_interval)))


def conclusion(report):
    """How a fit ended, in a line."""
    mean = report["lower_bound"]
    tail = "" if mean is None else f", mean log-likelihood {mean:.6f}"
    iterations = f"{report['n_iter']} iteration{'s' if report['n_iter'] != 1 else ''}"
    if report["stopped"]:
        return f"stopped early{tail}"
    if report["method"] == "exact":
        return f"the maximum, in closed form{tail}"
    if report["method"] in ("online", "gradient"):
        return f"{report['passes']} online pass{'es' if report['passes'] != 1 else ''}{tail}"
    if report["converged"]:
        return f"converged after {iterations}{tail}"
    return f"not converged after {iterations}{tail} (raise max_iter or tol)"


class Bar:
    """How far a run is: iterations, rows, or the share of files that was read."""

    def __init__(self, max_iter, length, passes):
        self.max_iter = max_iter
        self.length = None if length is None else length * passes
        self.passes = passes
        self.passes_done = 0
        self.share = 0.0
        self.kind = None
        self.drawn = None
        self.n = 0
        self.facts = ""

    def tick(self, step, rows, share):
        if step.phase == "batch":
            self.show("iteration", step.number, self.max_iter, step.mean_log_likelihood)
        elif self.length is not None:
            self.show("row", rows, self.length, step.mean_log_likelihood)
        elif share is not None:
            if share < self.share:
                self.passes_done += 1
            self.share = share
            part = (self.passes_done + share) / self.passes
            self.show("share", part, 1, step.mean_log_likelihood, rows)
        else:
            self.show("row", rows, None, step.mean_log_likelihood)

    def show(self, kind, n, total, mean, rows=None):
        if self.drawn is None or kind != self.kind or n < self.n:
            if self.drawn is not None:
                self.drawn.close()
            self.drawn = open_bar(kind, total)
        self.kind, self.n = kind, n
        self.facts = self.about(rows, mean)
        self.drawn.draw(n, self.facts)

    @staticmethod
    def about(rows, mean):
        facts = [] if rows is None else [f"{rows:,} rows"]
        facts += [] if mean is None else [f"log-lik {mean:.4f}"]
        return ", ".join(facts)

    def clear(self):
        if self.drawn is not None:
            self.drawn.clear()

    def close(self, done, rows):
        """The end: iterations end where they end, rows were all read. Else it stays where it was."""
        if self.drawn is None:
            return
        if done and self.kind == "iteration":
            self.drawn.total = self.n
            self.drawn.draw(self.n, self.facts)
        elif done and self.kind == "share":
            self.drawn.draw(1, self.about(rows, None))
        elif done:
            self.drawn.draw(self.length or rows, self.facts)
        self.drawn.close()
        self.drawn = None


def open_bar(kind, total):
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return PlainBar(kind, total)
    return TqdmBar(tqdm, kind, total)


class TqdmBar:
    def __init__(self, tqdm, kind, total):
        share = {"bar_format": "{percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}"} if kind == "share" else {}
        self.bar = tqdm(total=total, unit=" " + kind, unit_scale=kind == "row", dynamic_ncols=True, **share)

    def draw(self, n, facts):
        self.bar.n = n
        self.bar.set_postfix_str(facts, refresh=True)

    def clear(self):
        self.bar.clear()

    @property
    def total(self):
        return self.bar.total

    @total.setter
    def total(self, total):
        self.bar.total = total

    def close(self):
        self.bar.close()


class PlainBar:
    """A line that is overwritten, on terminals only."""

    WIDTH = 20

    def __init__(self, kind, total):
        self.kind, self.total = kind, total
        self.begun = time.monotonic()
        self.shown = False

    def draw(self, n, facts):
        if not sys.stderr.isatty():
            return
        if self.total is None:
            text = f"{n:,} {self.kind}s"
        else:
            part = min(n / self.total, 1.0)
            full = int(part * self.WIDTH)
            left = (time.monotonic() - self.begun) * (1 - part) / part if part > 0 else 0
            text = f"{part:4.0%} [{'=' * full}{' ' * (self.WIDTH - full)}]"
            text += f" iteration {n}" if self.kind == "iteration" else f" {left:.0f} s left"
        sys.stderr.write("\r\033[K" + ", ".join(filter(None, [text, facts])))
        sys.stderr.flush()
        self.shown = True

    def clear(self):
        if self.shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
            self.shown = False

    def close(self):
        self.clear()
