"""Files as X: how they are read, and what is said of what cannot be read."""

import fcntl
import os
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import warnings

import numpy as np
import pytest
from at_rest import at_rest, until
from thalweg import CategoricalMixture, Files, GaussianMixture


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    return rng.normal(size=(900, 2)) + 6 * rng.integers(0, 2, size=(900, 1))


@pytest.fixture
def csv(tmp_path, rows):
    """Two columns that are wanted, one that is not, one with weights."""
    path = tmp_path / "rows.csv"
    number = np.arange(len(rows))
    table = np.column_stack([number, rows, number % 3])
    np.savetxt(path, table, delimiter=",", header="id,x,y,times", comments="", fmt="%.17g")
    return path


def means(model):
    return model.means_[np.argsort(model.means_[:, 0])]


def gaussian(**arguments):
    return GaussianMixture(2, random_state=0, **arguments)


def test_columns_and_weights(csv, rows):
    weight = np.arange(len(rows)) % 3
    read = gaussian().fit(Files(csv, columns=["y", "x"], weight_column="times"))
    given = gaussian().fit(rows[:, ::-1], sample_weight=weight)
    assert list(read.feature_names_in_) == ["y", "x"]
    np.testing.assert_allclose(means(read), means(given), rtol=1e-3)
    asked = Files(csv, columns=["y", "x"])
    np.testing.assert_allclose(read.score_samples(asked), read.score_samples(Files(csv)), rtol=0)
    expected = (read.score_samples(asked) * weight).sum() / weight.sum()
    assert read.score(Files(csv, weight_column="times")) == pytest.approx(expected, rel=1e-12)


def test_columns_that_are_not_those_of_the_fit(csv):
    model = gaussian().fit(Files(csv, columns=["x", "y"]))
    with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- id"):
        model.predict(Files(csv, columns=["id", "y"]))
    with pytest.raises(ValueError, match='no column "z"'):
        gaussian().fit(Files(csv, columns=["z"]))


def test_columns_by_position_of_a_model_without_names(csv, rows):
    model = gaussian().fit(rows)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        found = model.predict(Files(csv, columns=["x", "y"]))
    assert (found == model.predict(rows)).all()


def test_threads_do_not_change_a_bit(csv):
    one, two = (gaussian(method="online", n_threads=n).fit(Files(csv, columns=["x", "y"])) for n in (1, 2))
    assert (one.means_ == two.means_).all() and (one.covariances_ == two.covariances_).all()


def test_sample_and_limit(csv):
    sampled = gaussian().fit(Files(csv, columns=["x", "y"], sample=0.5))
    assert 380 < sampled.n_samples_seen_ < 520
    assert len(sampled.predict(Files(csv, sample=0.5))) == sampled.n_samples_seen_
    assert len(sampled.predict(Files(csv, sample=0.5, limit=100))) == 100
    other = sampled.score_samples(Files(csv, sample=0.5, limit=20, seed=1))
    assert (other != sampled.score_samples(Files(csv, sample=0.5, limit=20))).any()


def test_shuffling_is_for_learning(csv):
    plain, mixed = (
        gaussian(method="online", buffer=100).fit(Files(csv, columns=["x", "y"], shuffle_buffer=n)) for n in (None, 500)
    )
    assert (plain.means_ != mixed.means_).any()
    assert (plain.predict(Files(csv, shuffle_buffer=500)) == plain.predict(Files(csv))).all()
    portions = (gaussian(buffer=100).partial_fit(Files(csv, columns=["x", "y"], shuffle_buffer=n)) for n in (None, 500, 500))
    plain, mixed, again = (model.means_ for model in portions)
    assert (plain != mixed).any() and (mixed == again).all()


def test_several_files_and_patterns(csv, tmp_path):
    (tmp_path / "rows-2.csv").write_bytes(csv.read_bytes())
    several = gaussian().fit(Files(tmp_path / "rows*.csv", columns=["x", "y"]))
    assert several.n_samples_seen_ == 1800
    assert gaussian().fit(Files([csv, str(csv)], columns=["x", "y"])).n_samples_seen_ == 1800


def test_format_and_header(tmp_path, rows):
    path = tmp_path / "rows.data"
    np.savetxt(path, rows, delimiter="\t")
    model = gaussian().fit(Files(path, format="tsv", header=False))
    assert model.n_samples_seen_ == len(rows) and model.n_features_in_ == 2
    with pytest.raises(ValueError, match="format"):
        gaussian().fit(Files(path, format="xlsx"))


@pytest.fixture
def broken(tmp_path, rows):
    path = tmp_path / "broken.csv"
    lines = ["x,y", *(f"{x!r},{y!r}" for x, y in rows.tolist())]
    lines[5] = "1.5,oops"
    lines[9] = "1,2,3"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_what_cannot_be_read_stops(broken):
    model = gaussian()
    with pytest.raises(ValueError, match=r"broken.csv:6.*oops.*thalweg.Files\(…, on_error='missing'\)") as caught:
        model.fit(broken)
    assert "--" not in str(caught.value)


def test_what_cannot_be_read_is_left_out_and_told(broken):
    with pytest.warns(UserWarning, match=r"^2 rows left out that could not be read, the first: .*broken.csv:6.*oops") as told:
        model = gaussian().fit(Files(broken, on_error="skip"))
    assert model.n_samples_seen_ == 898 and [one.filename for one in told] == [__file__]
    with pytest.warns(UserWarning, match="^2 rows left out"):
        assert len(model.predict(Files(broken, on_error="skip"))) == 898


def test_a_cell_that_cannot_be_read_is_missing(broken):
    """… and a model that takes no missing cells says where it is."""
    for ask in (gaussian().fit, gaussian().partial_fit, gaussian().fit(Files(broken, on_error="skip")).predict):
        with pytest.raises(ValueError, match=r'broken.csv:6: column "y": missing value'):
            ask(Files(broken, on_error="missing"))


def test_levels_of_files(tmp_path):
    path = tmp_path / "words.csv"
    path.write_text("id,a,b,times\n" + "".join(f"{i},{'xyz'[i % 3]},{'uv'[i % 2]},{i % 2 + 1}\n" for i in range(60)))
    model = CategoricalMixture(2, random_state=0).fit(Files(path, columns=["b", "a"], weight_column="times"))
    assert list(model.feature_names_in_) == ["b", "a"]
    assert [list(levels) for levels in model.categories_] == [["u", "v"], ["x", "y", "z"]]
    assert model.predict(path).shape == (60,)
    share = model.weights_ @ model.probabilities_[0]
    np.testing.assert_allclose(share, [1 / 3, 2 / 3], rtol=1e-6)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"on_error": "ignore"}, "on_error is 'ignore'"),
        ({"sample": 0}, "sample is 0"),
        ({"sample": 1.5}, "sample is 1.5"),
        ({"limit": 0}, "limit is 0"),
        ({"limit": 2.5}, "limit is 2.5"),
        ({"shuffle_buffer": -1}, "shuffle_buffer is -1"),
        ({"columns": "x"}, "expected a list of names"),
    ],
)
def test_arguments_are_checked(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Files("rows.csv", **arguments)


def test_what_cannot_be_done_is_told_in_arguments(csv, tmp_path):
    libsvm = tmp_path / "rows.libsvm"
    libsvm.write_text("1 1:2 2:3\n" * 9)
    wrong = [
        (Files(csv, sample=1e-12), "no row of the input is in the sample"),
        (Files(csv, sample=1e-12, limit=3), "no row of the input is in the sample"),
        (Files(libsvm, columns=["label"]), '"label" is no data'),
    ]
    for files, message in wrong:
        with pytest.raises(ValueError, match=message) as caught:
            gaussian().fit(files)
        assert "--" not in str(caught.value)


def test_formats_are_those_of_the_data_plane(csv):
    """The docstring, where no list can be filled in, names what the table of formats has."""
    with pytest.raises(ValueError) as caught:
        gaussian().fit(Files(csv, format="xlsx"))
    known = str(caught.value).split("expected ")[1].replace(" or ", ", ").split(", ")
    told = re.search(r"format : \{(.*)\}", Files.__doc__).group(1).replace('"', "").split(", ")
    assert told == known


def test_no_path():
    for nothing in (3, [], None, [1, 2]):
        with pytest.raises(TypeError, match="expected a path"):
            Files(nothing)


def test_weights_of_files(csv):
    with pytest.raises(ValueError, match=r"thalweg.Files\(path, weight_column=name\)"):
        gaussian().fit(csv, sample_weight=np.ones(900))


def test_representation(csv):
    assert repr(Files("a.csv")) == "Files('a.csv')"
    assert repr(Files(["a.csv", "b.csv"], columns=["x"], limit=5)) == "Files(['a.csv', 'b.csv'], columns=['x'], limit=5)"


def test_a_pipe(tmp_path, rows):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write():
        with open(pipe, "w") as stream:
            np.savetxt(stream, rows, delimiter=",", fmt="%.17g")

    writer = threading.Thread(target=write)
    writer.start()
    model = gaussian(method="online", buffer=200).fit(Files(pipe, format="csv"))
    writer.join()
    np.testing.assert_array_equal(model.means_, gaussian(method="online", buffer=200).fit(iter([rows])).means_)


SILENT = """
import sys
from thalweg import Files, GaussianMixture
model = GaussianMixture(2, random_state=0, method="online", buffer=100)
try:
    model.fit(Files(sys.argv[1], format="csv"))
except KeyboardInterrupt:
    print("heard", getattr(model, "n_samples_seen_", 0) if hasattr(model, "means_") else 0)
"""


@pytest.mark.parametrize("lines", [0, 1, 300])
def test_ctrl_c_while_a_pipe_is_silent(tmp_path, rows, lines):
    """The pipe stays open: nothing but the signal can end the program."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    program = subprocess.Popen([sys.executable, "-c", SILENT, pipe], stdout=subprocess.PIPE, text=True)
    with open(pipe, "w") as stream:  # which waits until the program has opened its end
        np.savetxt(stream, rows[:lines], delimiter=",")
        stream.flush()
        until(lambda: unread(stream) == 0 and at_rest(program.pid), "all was read", lambda: program.poll() is None)
        program.send_signal(signal.SIGINT)
        told, _ = program.communicate()
    assert told.split() == ["heard", str(lines if lines == 300 else 0)]


def unread(pipe):
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]


def test_a_failed_fit_leaves_the_last_one(csv, rows):
    model = gaussian().fit(rows)
    kept = model.means_.copy()
    bad = rows.copy()
    bad[500, 1] = np.inf
    for given in (bad, "no-such-file.csv", csv, rows[:, :1] * np.nan, np.empty((0, 2)), iter([])):
        if given is csv:
            given = Files(csv, columns=["nothing"])
        with pytest.raises((ValueError, OSError)):
            model.fit(given)
        assert (model.means_ == kept).all() and model.n_features_in_ == 2 and model.n_samples_seen_ == 900
        assert (model.predict(rows) >= 0).all()


def test_a_failed_first_fit_leaves_nothing(rows):
    model = gaussian(means_init=[[0, 0], [6, 6]])
    with pytest.raises(ValueError):
        model.fit(np.where(rows > 7, np.inf, rows))
    assert not hasattr(model, "n_features_in_")
    with pytest.raises(AttributeError):
        model.means_
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(rows)
