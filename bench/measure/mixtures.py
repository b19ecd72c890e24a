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


def apart(ours, theirs):
    """The largest relative difference of log-likelihoods: do both do the same thing?"""
    return max(abs(ratio - 1) for ratio in ratios(ours.all("log_likelihood"), theirs.all("log_likelihood")))


def report_apart(table, ours, theirs, name):
    difference = apart(ours, theirs)
    table.at_most(f"— log-likelihoods of {len(ours.seconds)} passes apart from {name}'s", difference, 1e-9,
                  f"{difference:.1e} relative")


def report_kmeans(table, ours, kmeans):
    cost = median(ratios(ours.seconds, kmeans.seconds))
    table.add("— an EM pass beside a pass of MiniBatchKMeans, batches of 1024", f"{cost:.2f} × its time")


def full_pass(table, build, work, case, blas, rounds=5):
    ours = Turns(build / "bench/mixture_pass", *case, 1)
    theirs = Turns(*peer("sklearn_pass.py", *case))
    kmeans = Turns(*peer("sklearn_kmeans.py", *case))
    dgemm = Turns(*peer("numpy_dgemm.py"))
    take_turns(rounds, theirs, ours, dgemm, kmeans)

    speed = median(ratios(theirs.seconds, ours.seconds))
    table.at_least(f"EM pass, {work.text}, one core", speed, 8,
                   f"{speed:.1f} × scikit-learn ({blas}); the aim is 12")
    report_apart(table, ours, theirs, "scikit-learn")
    flops = 2 * 2 * work.N * work.K * work.features  # scores and statistics
    share = median(flops / our / (count / seconds)
                   for our, count, seconds in zip(ours.seconds, dgemm.all("flops"), dgemm.seconds))
    table.at_least("— the two products, the whole pass in the time", share, 0.6,
                   f"{share:.0%} of NumPy's DGEMM rate ({blas})", "60%")
    report_kmeans(table, ours, kmeans)


def two_cores(table, build, work, case, rounds=7):
    what = "— on two cores, wall time"
    if len(os.sched_getaffinity(0)) < 2:
        return table.add(what, "not measured: this machine has one core")
    one, two = (Turns(build / "bench/mixture_pass", *case, threads) for threads in (1, 2))
    take_turns(rounds, one, two)
    gain = median(ratios(one.all("wall"), two.all("wall")))
    table.at_least(what, gain, 1.8, f"{gain:.2f} × one core")


def diagonal_pass(table, build, work, case, blas, rounds=5):
    ours = Turns(build / "bench/mixture_pass", *case, 1)
    theirs = Turns(*peer("sklearn_pass.py", *case))
    armadillo = Turns(build / "bench/armadillo_pass", *case)
    kmeans = Turns(*peer("sklearn_kmeans.py", *case))
    take_turns(rounds, theirs, ours, armadillo, kmeans)

    speeds = [median(ratios(peer.seconds, ours.seconds)) for peer in (theirs, armadillo)]
    table.at_least(f"EM pass, {work.text}, one core", min(speeds), 8,
                   f"{speeds[0]:.1f} × scikit-learn ({blas}), {speeds[1]:.1f} × Armadillo")
    report_apart(table, ours, theirs, "scikit-learn")
    report_apart(table, ours, armadillo, "Armadillo")
    peak = answer(build / "bench/multiply_add")["multiply_adds_a_second"]
    share = 2 * work.N * work.K * work.features / median(ours.seconds) / peak
    table.add("— the two products, softmax included in the time",
              f"{share:.0%} of the core's multiply-add rate")
    report_kmeans(table, ours, kmeans)


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
