"""A hundred random problems: the same start, as many iterations, the same answer as scikit-learn's GaussianMixture."""

import unittest
import warnings

from support import Case, csv

try:
    import numpy as np
    from sklearn.mixture import GaussianMixture
except ImportError:
    np = None

PROBLEMS = 100
ITERATIONS = 7
KINDS = ("full", "tied", "diag", "spherical")
# Both programs round differently; seven EM iterations may amplify that a thousandfold.
CLOSE = 1e-8


class Problem:
    """Rows from overlapping clusters, and a start that has nothing to do with them."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.kind = KINDS[seed % len(KINDS)]
        self.n, self.d, self.k = rng.integers(50, 401), rng.integers(1, 7), rng.integers(1, 6)
        self.ridge = rng.choice([0.0, 1e-6, 1e-3])
        centres = rng.normal(scale=3, size=(self.k, self.d))
        mixers = rng.normal(size=(self.k, self.d, self.d))
        which = rng.integers(self.k, size=self.n)
        noise = rng.normal(size=(self.n, self.d))
        self.rows = centres[which] + np.einsum("nij,nj->ni", mixers[which], noise)
        self.weights = rng.dirichlet(np.full(self.k, 5.0))
        self.means = self.rows[rng.choice(self.n, self.k, replace=False)]
        self.covariances = self.spread(rng)

    def spread(self, rng):
        """Random covariances of about the size of the data's, in the shape of the kind."""
        size = self.rows.var(axis=0).mean()
        if self.kind == "spherical":
            return size * rng.uniform(0.5, 2, self.k)
        if self.kind == "diag":
            return size * rng.uniform(0.5, 2, (self.k, self.d))
        a = rng.normal(size=(self.k if self.kind == "full" else 1, self.d, self.d))
        matrices = size * (np.eye(self.d) / 2 + a @ a.transpose(0, 2, 1) / self.d)
        return matrices if self.kind == "full" else matrices[0]

    def sklearn(self):
        precisions = (np.linalg.inv(self.covariances) if self.kind in ("full", "tied")
                      else 1 / self.covariances)
        mixture = GaussianMixture(
            self.k, covariance_type=self.kind, tol=0, reg_covar=self.ridge, max_iter=ITERATIONS,
            weights_init=self.weights, means_init=self.means, precisions_init=precisions,
            init_params="random", random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it did not converge: nor should it
            return mixture.fit(self.rows)

    def start(self):
        return {"model": "gaussian", "options": {"components": int(self.k), "covariance": self.kind},
                "parameters": {"weights": self.weights.tolist(), "means": self.means.tolist(),
                               "covariances": self.covariances.tolist()}}

    def __str__(self):
        return f"{self.kind} n={self.n} d={self.d} k={self.k} ridge={self.ridge}"


@unittest.skipIf(np is None, "needs scikit-learn (python3-sklearn)")
class Sklearn(Case):
    def test_random_problems(self):
        for seed in range(PROBLEMS):
            problem = Problem(seed)
            with self.subTest(seed=seed, problem=str(problem)):
                self.compare(problem)

    def compare(self, problem):
        theirs = problem.sklearn()
        self.write("rows.csv", csv([f"c{j}" for j in range(problem.d)], problem.rows.tolist()))
        self.write("start.json", problem.start())
        ours = self.run_program(
            "fit", "rows.csv", "--covariance", problem.kind, "--init", "start.json", "--method",
            "batch", "--max-iterations", ITERATIONS, "--tolerance", 1e-15, "--floor", 0,
            "--ridge", problem.ridge, "--json", "--quiet").json
        got = {name: np.array(value) for name, value in ours["parameters"].items()}
        sd = problem.rows.std(axis=0).mean()
        self.close(got["weights"], theirs.weights_, 1)
        self.close(got["means"], theirs.means_, sd)
        self.close(got["covariances"], theirs.covariances_, sd * sd)
        # Their lower bound belongs to the parameters before the last M-step; score() to the last.
        self.close(np.array(ours["log_likelihood"] / problem.n),
                   np.array(theirs.score(problem.rows)), 1)

    def close(self, ours, theirs, unit):
        """Equal to a relative CLOSE, or to CLOSE of a unit where a number is nearly nothing."""
        self.assertEqual(ours.shape, theirs.shape)
        worst = np.max(np.abs(ours - theirs) / np.maximum(np.abs(theirs), 0.01 * unit))
        self.assertLess(worst, CLOSE)


if __name__ == "__main__":
    unittest.main()
