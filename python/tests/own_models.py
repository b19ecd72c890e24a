"""Models that a user might write, for the tests: two mixtures, and two that are none."""

import numpy as np
import thalweg
from scipy.special import gammaln, logsumexp


class RayleighMixture(thalweg.Model):
    """y / s² exp(-y² / (2 s²)) for y > 0, in one column."""

    def __init__(self, n_components=2):
        self.n_components = n_components

    def layout(self, n_features):
        K = self.n_components
        return thalweg.Layout(
            statistic={"counts": K, "squares": K},
            parameters={"weights": K, "scales": K},
            simplex=["weights"],
            positive=["scales"],
            min_rows=K,
        )

    def start(self, X, rng):
        K = self.n_components
        return {"weights": np.full(K, 1 / K), "scales": rng.choice(X[:, 0], K) / np.sqrt(2)}

    def log_joint(self, theta, X):
        with np.errstate(divide="ignore"):
            return np.log(theta["weights"]) + np.log(X) - 2 * np.log(theta["scales"]) - X**2 / (2 * theta["scales"] ** 2)

    def expect(self, theta, X, weight):
        joint = self.log_joint(theta, X)
        log_density = logsumexp(joint, axis=1)
        r = np.exp(joint - log_density[:, None]) * weight[:, None]
        return {"counts": r.sum(axis=0), "squares": (r * X**2).sum(axis=0)}, log_density

    def maximise(self, s, theta):
        return {"weights": s["counts"] / s["counts"].sum(), "scales": np.sqrt(s["squares"] / (2 * s["counts"]))}

    def check(self, X):
        if not (X > 0).all():
            raise ValueError("heights are above 0")

    def posterior(self, theta, X):
        joint = self.log_joint(theta, X)
        return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))

    def draw(self, theta, n, rng):
        k = rng.choice(self.n_components, n, p=theta["weights"])
        return rng.rayleigh(theta["scales"][k])[:, None]

    def moments(self, theta):
        return {"counts": theta["weights"], "squares": theta["weights"] * 2 * theta["scales"] ** 2}


class OwnPoissonMixture(thalweg.Model):
    """The catalogue's PoissonMixture once more."""

    def __init__(self, n_components=2):
        self.n_components = n_components

    def layout(self, n_features):
        K = self.n_components
        return thalweg.Layout(
            statistic={"counts": K, "totals": (K, n_features)},
            parameters={"weights": K, "rates": (K, n_features)},
            simplex=["weights"],
            positive=["rates"],
        )

    def start(self, X, rng):
        K = self.n_components
        return {"weights": np.full(K, 1 / K), "rates": rng.choice(X, K) + 0.5}

    def expect(self, theta, X, weight):
        rates = theta["rates"]
        joint = np.log(theta["weights"]) + X @ np.log(rates).T - rates.sum(axis=1) - gammaln(X + 1).sum(axis=1, keepdims=True)
        log_density = logsumexp(joint, axis=1)
        r = np.exp(joint - log_density[:, None]) * weight[:, None]
        return {"counts": r.sum(axis=0), "totals": r.T @ X}, log_density

    def maximise(self, s, theta):
        return {"weights": s["counts"] / s["counts"].sum(), "rates": s["totals"] / s["counts"][:, None]}

    def moments(self, theta):
        return {"counts": theta["weights"], "totals": theta["weights"][:, None] * theta["rates"]}


class ZeroInflatedPoisson(thalweg.Model):
    """A zero by itself with probability `share`, else a Poisson count: one hidden bit a row."""

    def layout(self, n_features):
        return thalweg.Layout({"live": (), "total": ()}, {"share": (), "rate": ()}, positive=["share", "rate"])

    def start(self, X, rng):
        return {"share": 0.5 * np.mean(X == 0) + 0.01, "rate": X[X > 0].mean() * rng.uniform(0.5, 1.5)}

    def expect(self, theta, X, weight):
        y, share, rate = X[:, 0], theta["share"], theta["rate"]
        log_poisson = y * np.log(rate) - rate - gammaln(y + 1)
        density = (1 - share) * np.exp(log_poisson) + share * (y == 0)
        live = weight * (1 - share) * np.exp(log_poisson) / density
        return {"live": live.sum(), "total": live @ y}, np.log(density)

    def maximise(self, s, theta):
        return {"share": 1 - s["live"], "rate": s["total"] / s["live"]}

    def draw(self, theta, n, rng):
        return (rng.poisson(theta["rate"], n) * (rng.uniform(size=n) > theta["share"]))[:, None]


class OneFactor(thalweg.Model):
    """x = mean + loading z + noise: probabilistic principal components with one factor, all of it in NumPy."""

    def layout(self, n_features):
        d = n_features
        return thalweg.Layout(
            statistic={"x": d, "xx": (d, d), "z": (), "zz": (), "xz": d},
            parameters={"mean": d, "loading": d, "noise": ()},
            positive=["noise"],
        )

    def start(self, X, rng):
        return {"mean": X.mean(axis=0), "loading": rng.normal(size=X.shape[1]), "noise": X.var()}

    def expect(self, theta, X, weight):
        w, noise, d = theta["loading"], theta["noise"], X.shape[1]
        centred = X - theta["mean"]
        size = w @ w + noise
        z = centred @ w / size
        quadratic = ((centred**2).sum(axis=1) - (centred @ w) ** 2 / size) / noise
        log_density = -0.5 * (d * np.log(2 * np.pi) + (d - 1) * np.log(noise) + np.log(size) + quadratic)
        sums = {
            "x": weight @ X,
            "xx": X.T @ (weight[:, None] * X),
            "z": weight @ z,
            "zz": weight @ (z**2 + noise / size),
            "xz": (weight * z) @ X,
        }
        return sums, log_density

    def maximise(self, s, theta):
        # Regression of x on (1, z) with what is known of z, then what is left over.
        together = np.array([[1.0, s["z"]], [s["z"], s["zz"]]])
        mean, loading = np.linalg.solve(together, np.array([s["x"], s["xz"]]))
        left = np.trace(s["xx"]) - mean @ s["x"] - loading @ s["xz"]
        return {"mean": mean, "loading": loading, "noise": left / len(mean)}

    def draw(self, theta, n, rng):
        d = len(theta["mean"])
        noise = rng.normal(size=(n, d)) * np.sqrt(theta["noise"])
        return theta["mean"] + rng.normal(size=(n, 1)) * theta["loading"] + noise
