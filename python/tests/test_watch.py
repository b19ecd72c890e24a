"""What is seen of a run: the table, the bar, the callback; and that all of them stop cleanly."""

import pickle
import sys
import threading

import numpy as np
import pytest
from sklearn.base import clone
from thalweg import PPCA, Error, GaussianMixture, NotFittedError


def tables(out):
    """Lines of numbers."""
    return [line for line in out.splitlines() if line.split() and line.split()[0].isdigit()]


def test_batch_table(three_clusters, capsys):
    model = GaussianMixture(3, random_state=0, verbose=1, verbose_interval=4, tol=0, max_iter=9).fit(three_clusters)
    out = capsys.readouterr().out
    assert out.splitlines()[0].split() == ["iteration", "rows/s", "mean", "log-lik", "gain", "min", "weight"]
    lines = tables(out)
    assert [int(line.split()[0]) for line in lines] == [1, 4, 8]
    assert float(lines[-1].split()[-1]) == pytest.approx(model.weights_.min(), abs=0.01)
    assert out.splitlines()[-1] == f"not converged after 9 iterations, mean log-likelihood {model.lower_bound_:.6f} (raise max_iter or tol)"


def test_every_start_has_its_table(three_clusters, capsys):
    GaussianMixture(3, random_state=0, verbose=1, tol=0, max_iter=3, n_init=2).fit(three_clusters)
    assert [int(line.split()[0]) for line in tables(capsys.readouterr().out)] == [1, 1]


def test_online_table_goes_on_from_portion_to_portion(three_clusters, capsys):
    model = GaussianMixture(3, random_state=0, verbose=1)
    for begin in range(0, 3000, 100):
        model.partial_fit(three_clusters[begin : begin + 100])
    out = capsys.readouterr().out
    assert out.count("since last") == 1
    rows = [int(line.split()[0]) for line in tables(out)]
    assert len(rows) >= 2 and (np.diff(np.log2(rows)) > 0.5).all()
    last = tables(out)[-1].split()
    assert float(last[3]) == pytest.approx(model.lower_bound_, abs=0.1)


def test_quiet_unless_asked(three_clusters, capsys):
    GaussianMixture(3, random_state=0).fit(three_clusters).partial_fit(three_clusters)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("method", ["batch", "squarem", "online", "auto", "incremental", "variance-reduced", "gradient"])
def test_watching_changes_nothing(three_clusters, method, capsys):
    asked = dict(n_components=3, random_state=0, method=method, max_iter=30)
    steps = []
    watched = GaussianMixture(**asked, verbose=1, progress=True, on_step=lambda step: steps.append(step.number))
    watched.fit(three_clusters)
    silent = GaussianMixture(**asked).fit(three_clusters)
    assert (watched.means_ == silent.means_).all() and steps
    for model in (watched, silent):
        model.partial_fit(three_clusters)
    assert (watched.means_ == silent.means_).all()


def test_what_a_step_tells(three_clusters):
    steps, parameters = [], []

    def keep(step):
        steps.append((step.phase, step.number, step.rows, step.batch_rows, step.rate, step.mean_log_likelihood))
        parameters.append(step.parameters())
        assert f"batch step {step.number}" in repr(step)

    model = GaussianMixture(3, random_state=0, on_step=keep).fit(three_clusters)
    assert [step[:5] for step in steps] == [("batch", i, 3000 * i, 3000, 1.0) for i in range(1, model.n_iter_ + 1)]
    assert steps[-1][5] == pytest.approx(model.lower_bound_)
    assert (np.diff([step[5] for step in steps]) > 0).all()
    assert (parameters[-1]["means"] == model.means_).all()


def test_online_steps(three_clusters):
    seen = []
    model = GaussianMixture(3, random_state=0, batch_size=50, on_step=lambda step: seen.append((step.rows, step.parameters())))
    model.partial_fit(np.tile(three_clusters, (2, 1)))  # the race is over after 5,000 rows
    rows = [row for row, _ in seen]
    assert rows == list(range(1050, 6001, 50))
    assert (seen[-1][1]["covariances"] == model.covariances_).all()


def test_a_step_lasts_as_long_as_the_call(three_clusters):
    kept = []
    GaussianMixture(3, random_state=0, on_step=kept.append).fit(three_clusters)
    assert kept[0].number == 1
    with pytest.raises(Error, match="only while on_step runs"):
        kept[0].parameters()


@pytest.mark.parametrize("method", ["batch", "squarem", "incremental"])
def test_true_ends_a_batch_fit(three_clusters, method):
    model = GaussianMixture(3, random_state=0, method=method, tol=0, max_iter=500, on_step=lambda step: step.number == 4)
    model.fit(three_clusters)
    assert model.n_iter_ <= 5 and not model.converged_
    assert np.isfinite(model.score(three_clusters))


@pytest.mark.parametrize("truth", [True, np.True_])
def test_true_ends_at_that_very_step(three_clusters, truth):
    model = GaussianMixture(3, random_state=0, batch_size=10, on_step=lambda step: truth if step.rows >= 1500 else None)
    model.partial_fit(three_clusters)
    assert model.n_samples_seen_ == 1500
    whole = GaussianMixture(3, random_state=0, batch_size=10).partial_fit(three_clusters[:1500])
    assert (whole.means_ == model.means_).all()
    model.set_params(on_step=None).partial_fit(three_clusters[1500:])
    assert (whole.partial_fit(three_clusters[1500:]).means_ == model.means_).all()


def test_true_ends_an_online_fit(three_clusters):
    model = GaussianMixture(3, random_state=0, method="online", batch_size=10, on_step=lambda step: step.rows >= 2000)
    assert model.fit(three_clusters).n_samples_seen_ == 2000


def test_only_true_stops(three_clusters):
    model = GaussianMixture(3, random_state=0, on_step=lambda step: "a text", max_iter=7, tol=0).fit(three_clusters)
    assert model.n_iter_ == 7


@pytest.mark.parametrize("method", ["batch", "squarem", "online", "auto", "incremental"])
def test_exceptions_come_through(three_clusters, method):
    calls = []

    def fail(step):
        calls.append(step)
        if len(calls) == 3:
            raise KeyError("mine")

    model = GaussianMixture(3, random_state=0, method=method, tol=0, on_step=fail)  # a good start leaves few steps
    with pytest.raises(KeyError, match="mine"):
        model.fit(three_clusters)
    assert len(calls) == 3 and np.isfinite(model.score(three_clusters))
    model.set_params(on_step=None)
    model.partial_fit(three_clusters)
    assert np.isfinite(model.fit(three_clusters).means_).all()


def test_exceptions_come_through_partial_fit(three_clusters):
    model = GaussianMixture(3, random_state=0, on_step=lambda step: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model.partial_fit(three_clusters)
    model.on_step = None
    seen = model.n_samples_seen_
    assert 1000 < seen < 3000
    model.partial_fit(three_clusters[seen:])
    assert (model.means_ == GaussianMixture(3, random_state=0).partial_fit(three_clusters).means_).all()


def test_a_generator_that_fails_leaves_what_it_gave(three_clusters):
    def blocks():
        yield three_clusters[:2000]
        yield three_clusters[2000:2500]
        raise KeyError("the connection was lost")

    model = GaussianMixture(3, random_state=0, method="online")
    with pytest.raises(KeyError, match="lost"):
        model.fit(blocks())
    assert model.n_samples_seen_ == 2500 and np.isfinite(model.score(three_clusters))
    other = GaussianMixture(3, random_state=0)
    with pytest.raises(KeyError, match="lost"):
        other.partial_fit(blocks())
    assert (other.partial_fit(three_clusters[2500:]).means_ == GaussianMixture(3, random_state=0).partial_fit(three_clusters).means_).all()
    with pytest.raises(KeyError, match="at once"):  # not: too few rows
        GaussianMixture(3, method="online").fit(fail_at_once())


def fail_at_once():
    yield np.zeros((1, 2))
    raise KeyError("at once")


def test_the_estimator_cannot_be_asked_from_within(three_clusters):
    model = GaussianMixture(3, random_state=0)
    model.on_step = lambda step: model.means_
    with pytest.raises(NotFittedError, match="not fitted yet. Call"):
        model.fit(three_clusters)
    with pytest.raises(Error, match=r"step.parameters\(\)"):  # and does not wait for itself
        model.partial_fit(three_clusters)
    model.on_step = None
    assert model.means_.shape == (3, 2)


def test_another_thread_may_ask_while_on_step_runs(three_clusters):
    model = GaussianMixture(3, random_state=0).fit(three_clusters)
    found = []
    asker = threading.Thread(target=lambda: found.append(model.predict(three_clusters)))

    def on_step(step):
        if not asker.ident:
            asker.start()  # it waits for its turn, without the interpreter's lock

    model.set_params(on_step=on_step).partial_fit(three_clusters)
    asker.join()
    assert len(found[0]) == 3000


def test_callbacks_are_not_pickled(three_clusters):
    model = GaussianMixture(3, random_state=0, verbose=1, on_step=lambda step: None).partial_fit(three_clusters)
    again = pickle.loads(pickle.dumps(model))
    assert again.on_step is None and (again.means_ == model.means_).all()
    assert clone(model).on_step is model.on_step


def test_closed_form_says_so(three_clusters, capsys):
    PPCA(1, verbose=1).fit(three_clusters)
    assert capsys.readouterr().out.startswith("the maximum, in closed form, mean log-likelihood")


# --- bars ------------------------------------------------------------------------------------------


@pytest.fixture(params=["tqdm", "plain"])
def bars(request, monkeypatch):
    """What bars are drawn: (kind, total) and the places that were drawn."""
    from thalweg import _watch

    drawn = []
    real = _watch.open_bar

    def open_bar(kind, total):
        if request.param == "plain":
            monkeypatch.setitem(sys.modules, "tqdm.auto", None)
        bar = real(kind, total)
        assert type(bar).__name__ == {"tqdm": "TqdmBar", "plain": "PlainBar"}[request.param]
        draw = bar.draw
        drawn.append((kind, total, []))
        bar.draw = lambda n, facts: (drawn[-1][2].append(n), draw(n, facts))
        return bar

    monkeypatch.setattr(_watch, "open_bar", open_bar)
    return drawn


def test_bar_of_iterations(three_clusters, bars):
    GaussianMixture(3, random_state=0, progress=True, max_iter=40).fit(three_clusters)
    ((kind, total, places),) = bars
    assert kind == "iteration" and total == 40 and 1 <= places[0] <= 40


def test_bar_of_rows(three_clusters, bars):
    GaussianMixture(3, random_state=0, progress=True, method="online", passes=3).fit(three_clusters)
    ((kind, total, places),) = bars
    assert (kind, total) == ("row", 9000) and places[0] <= places[-1] == 9000


def test_bar_of_an_iterator(three_clusters, bars):
    GaussianMixture(3, random_state=0, progress=True, method="online").fit(iter([three_clusters] * 3))
    ((kind, total, places),) = bars
    assert (kind, total) == ("row", None) and places[-1] == 9000


def test_bar_of_files(three_clusters, bars, tmp_path):
    np.savetxt(tmp_path / "rows.csv", np.tile(three_clusters, (10, 1)), delimiter=",", header="a,b", comments="")
    GaussianMixture(3, random_state=0, progress=True).partial_fit(tmp_path / "rows.csv")
    ((kind, total, places),) = bars
    assert (kind, total) == ("share", 1) and all(0 <= place <= 1 for place in places) and places[-1] == 1


def test_tqdm_writes_to_stderr(three_clusters, capsys):
    GaussianMixture(3, random_state=0, progress=True, verbose=1).fit(three_clusters)
    out, err = capsys.readouterr()
    assert "iteration" in err and "100%" in err and "mean log-lik" in out


def test_plain_bar_on_a_terminal(monkeypatch, capsys):
    from thalweg._watch import PlainBar

    bar = PlainBar("row", 200)
    bar.draw(50, "log-lik -1.0")
    assert capsys.readouterr().err == ""  # no terminal
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    bar.draw(50, "log-lik -1.0")
    assert " 25% [=====               ]" in capsys.readouterr().err
    bar.close()
    assert capsys.readouterr().err == "\r\033[K"
