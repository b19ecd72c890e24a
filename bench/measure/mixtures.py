"""Gaussian mixtures beside scikit-learn, Armadillo and the machine: what a pass costs."""
import os
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

from .processes import Turns, answer, output, peer, ratios, take_turns


@dataclass
class Workload:
    covariance: str
    N: int
    d: int
    K: int
    held_out: int = 200_000

    @property
    def free_parameters(self):
        spread = self.d * (self.d + 1) // 2 if self.covariance == "full" else self.d
        return self.K - 1 + self.K * (self.d + spread)

    @property
    def features(self):
        """D: what a row becomes before the products."""
        return 1 + self.d + (self.d * (self.d + 1) // 2 if self.covariance == "full" else self.d)

    @property
    def text(self):
        kind = {"full": "full", "diag": "diagonal"}[self.covariance]
        return f"{kind} Gaussian, N = {self.N:.0e}, d = {self.d}, K = {self.K}".replace("e+0", "e")

    @contextmanager
    def drawn(self):
        """The arguments that tell a program where the rows are and what they look like."""
        with tempfile.TemporaryDirectory() as folder:
            case = [folder, self.covariance, self.d, self.K]
            output(*peer("draw_mixture.py", *case, self.N, self.held_out))
            yield case


def em_pass(table, build, work, case, blas, rounds=5):
    ours = Turns(build / "bench/mixture_pass", *case, 1)
    sklearn = Turns(*peer("sklearn_pass.py", *case))
    armadillo = Turns(build / "bench/armadillo_pass", *case)
    kmeans = Turns(*peer("sklearn_kmeans.py", *case))
    dgemm = Turns(*peer("numpy_dgemm.py"))
    products = Turns(build / "bench/products", work.features, work.K)
    take_turns(rounds, sklearn, ours, armadillo, dgemm, products, kmeans)

    speeds = [median(ratios(theirs.seconds, ours.seconds)) for theirs in (sklearn, armadillo)]
    counts = speeds[0] if work.covariance == "full" else min(speeds)
    table.at_least(f"EM pass, {work.text}, one core", counts, 8,
                   f"{speeds[0]:.1f} × scikit-learn ({blas}), {speeds[1]:.1f} × Armadillo"
                   + ("; the aim is 12 × scikit-learn" if work.covariance == "full" else ""))
    report_apart(table, ours, sklearn, "scikit-learn")
    report_apart(table, ours, armadillo, "Armadillo")
    report_products(table, build, work, ours, products, dgemm)
    cost = median(ratios(ours.seconds, kmeans.seconds))
    table.add("— beside a pass of MiniBatchKMeans, batches of 1024", f"{cost:.2f} × its time")


def report_apart(table, ours, theirs, name):
    """Do both do the same thing?"""
    apart = max(abs(ratio - 1) for ratio in ratios(ours.all("log_likelihood"), theirs.all("log_likelihood")))
    table.at_most(f"— log-likelihoods of {len(ours.seconds)} passes apart from {name}'s", apart, 1e-9,
                  f"{apart:.1e} relative")


def report_products(table, build, work, ours, products, dgemm):
    def rates(turns):
        return [flops / seconds for flops, seconds in zip(turns.all("flops"), turns.seconds)]

    inside = median(ratios(rates(products), rates(dgemm)))
    what = "— inside the two products"
    text = f"{inside:.0%} of NumPy's DGEMM rate"
    if work.covariance == "full":
        table.at_least(what, inside, 0.6, text, "60%")
    else:
        table.add(what, text)
    flops = 4 * work.N * work.K * work.features  # scores and statistics
    whole = median(ratios([flops / seconds for seconds in ours.seconds], rates(dgemm)))
    peak = 2 * answer(build / "bench/multiply_add")["multiply_adds_a_second"]
    table.add("— the products' flops over the whole pass' time",
              f"{whole:.0%} of the DGEMM rate, {flops / median(ours.seconds) / peak:.0%} of the core's peak")


def two_cores(table, build, case, rounds=7):
    what = "— on two cores, wall time"
    if len(os.sched_getaffinity(0)) < 2:
        return table.add(what, "not measured: this machine has one core")
    one, two = (Turns(build / "bench/mixture_pass", *case, threads) for threads in (1, 2))
    take_turns(rounds, one, two)
    gain = median(ratios(one.all("wall"), two.all("wall")))
    table.at_least(what, gain, 1.8, f"{gain:.2f} × one core")


def small_pass(table, build, work, blas, rounds=5):
    """So few numbers a row that everything beside the products shows."""
    theirs_N = work.N // 10
    with work.drawn() as case:
        ours = Turns(build / "bench/mixture_pass", *case, 1)
        theirs = Turns(*peer("sklearn_pass.py", *case, theirs_N))
        take_turns(rounds, theirs, ours)
    rate = work.N / median(ours.seconds)
    speed = median(ratios(theirs.seconds, ours.seconds)) * work.N / theirs_N
    table.at_least(f"EM pass, {work.text}, one core", rate, 20e6,
                   f"{rate / 1e6:.1f} million rows/s, {speed:.1f} × scikit-learn ({blas})", "20 million/s")
