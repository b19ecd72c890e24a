"""Text tables: reading beside pandas, on two cores, and beside the work that follows."""
import os
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

from .processes import PEER_PYTHON, Turns, output, peer, ratios, take_turns

TO_NPY = "import sys, numpy; numpy.save(sys.argv[2], numpy.loadtxt(sys.argv[1], delimiter=',', skiprows=1))"


def csv(table, build, work):
    with work.drawn() as case, tempfile.TemporaryDirectory() as folder:
        for digits in (6, 17):
            file = Path(folder) / f"{digits}.csv"
            output(*peer("draw_csv.py", case[0], work.d, digits, file))
            parse(table, build, f"CSV, {work.d} columns, {digits} digits", file)
        predict(table, build, work, case, Path(folder) / "6.csv")
        fit(table, build, work, Path(folder) / "6.csv")


def parse(table, build, what, file, rounds=15):
    pandas = Turns(*peer("pandas_csv.py", file))
    one, two = (Turns(build / "bench/csv_parse", file, threads) for threads in (1, 2))
    take_turns(rounds, pandas, one, two)
    size = os.path.getsize(file) / 1e6
    gain = median(ratios(pandas.seconds, one.all("processor")))
    table.at_least(f"{what}, one core", gain, 4,
                   f"{gain:.1f} × pandas.read_csv ({size / median(one.all('processor')):.0f} and "
                   f"{size / median(pandas.seconds):.0f} MB/s)")
    gain = median(ratios(one.seconds, two.seconds))
    table.at_least("— two cores", gain, 1.8,
                   f"{gain:.2f} × one ({size / median(two.seconds):.0f} MB/s)")


def predict(table, build, work, case, file, rounds=3):
    """Parsing overlaps with the E-step and formatting. The larger of these two is at least half of what they take together, so that
    the ratio cannot be larger than told."""
    model = file.with_suffix(".json")
    output(build / "thalweg", "fit", file, "-k", work.K, "--method", "online", "--quiet", "-o", model)

    def seconds(threads):
        begin = time.perf_counter()
        output("sh", "-c", f"'{build}/thalweg' predict '{model}' '{file}' --threads {threads} >/dev/null")
        return time.perf_counter() - begin

    parsing = Turns(build / "bench/csv_parse", file, 1)
    shares = []
    for _ in range(rounds):
        parsing.next()
        alone, together = seconds(1), seconds(2)
        read = parsing.seconds[-1]
        shares.append(together / max(read, (alone - read) / 2))
    parsing.end()
    table.at_most(f"predict from CSV on two cores, d = {work.d}, K = {work.K}", median(shares), 1.5,
                  f"at most {median(shares):.2f} × the largest of parsing, E-step and formatting on one")


def fit(table, build, work, file, rounds=3):
    """One online pass with its starts. Rows of an .npy file cost next to nothing to read: that is the fit alone."""
    mapped = file.with_suffix(".npy")
    output(PEER_PYTHON, "-c", TO_NPY, file, mapped)

    def seconds(source, threads):
        begin = time.perf_counter()
        output(build / "thalweg", "fit", source, "-k", work.K, "--method", "online", "--quiet", "--threads", threads)
        return time.perf_counter() - begin

    parsing = Turns(build / "bench/csv_parse", file, 1)
    shares = []
    for _ in range(rounds):
        parsing.next()
        alone, together = seconds(mapped, 1), seconds(file, 2)
        shares.append(together / max(parsing.seconds[-1], alone))
    parsing.end()
    table.at_most(f"online fit from CSV on two cores, d = {work.d}, K = {work.K}", median(shares), 1.25,
                  f"{median(shares):.2f} × the larger of parsing and of the fit alone on one")
    peaks = [peak_through_pipe(build, work, file, copies) for copies in (1, 8)]
    table.at_most(f"— peak memory through a pipe, {8 * work.N:.0e} rows".replace("e+0", "e"), peaks[1] / 1e6, 200,
                  f"{peaks[1] / 1e6:.0f} MB ({peaks[0] / 1e6:.0f} MB for an eighth of them)", "200 MB")


def peak_through_pipe(build, work, file, copies):
    """Bytes. The header comes once."""
    script = f"cat '{file}'; for i in $(seq 2 {copies}); do tail -n +2 '{file}'; done"
    feeder = subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE)
    command = [build / "thalweg", "fit", "-", "-k", work.K, "--quiet", "--threads", "2"]
    child = subprocess.Popen([str(word) for word in command], stdin=feeder.stdout)
    feeder.stdout.close()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    feeder.wait()
    if child.returncode:
        raise RuntimeError(f"{command} ended with {child.returncode}")
    return usage.ru_maxrss * 1024
