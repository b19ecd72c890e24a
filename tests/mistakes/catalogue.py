"""The mistakes: what a tired hand might write, where, and which test programs ought to notice (tried in this order)."""
from dataclasses import dataclass


@dataclass
class Mistake:
    title: str
    file: str
    before: str  # occurs once
    after: str
    programs: tuple


ESTIMATORS = ("estimators", "laws")
MODELS = ("models", "families", "laws")

MISTAKES = [
    # --- core -------------------------------------------------------------------------------------------------------
    Mistake("MAP without its denominator", "include/thalweg/core/model.hpp",
            "blend(with_prior, *context.prior, n_0 / (context.rows + n_0));",
            "blend(with_prior, *context.prior, n_0 / context.rows);", ("estimators", "laws")),
    Mistake("sums forget the weight of what is added", "src/core/statistic.cpp",
            "  weight += other.weight;\n}\n\nvoid blend(Statistic& into, const Statistic& from, double rate) {",
            "}\n\nvoid blend(Statistic& into, const Statistic& from, double rate) {", ("core", "laws")),
    Mistake("step size off by one", "include/thalweg/core/schedule.hpp",
            "std::log(real(k) + offset_)", "std::log(real(k) + 1 + offset_)", ("core", "estimators")),
    Mistake("a short batch moves S as far as a full one", "include/thalweg/core/schedule.hpp",
            "return batch == usual ? gamma : 1.0 - std::pow(1.0 - gamma, batch / usual);", "return gamma;",
            ("core", "estimators", "laws")),
    Mistake("the last slice of a block is lost", "include/thalweg/core/slices.hpp",
            "(block.rows + slice_rows - 1) / slice_rows", "std::max<std::size_t>(block.rows / slice_rows, 1)",
            ("estimators", "laws")),
    # --- estimators -------------------------------------------------------------------------------------------------
    Mistake("polynomial averaging off by one", "include/thalweg/estimators/averaging.hpp",
            "(eta + 1) / (x + eta)", "(eta + 1) / (x + eta + 1)", ESTIMATORS),
    Mistake("averaging keeps the weight of its first iterate", "include/thalweg/estimators/recursion.hpp",
            "      average_.weight = statistic_.weight;\n", "", ESTIMATORS),
    Mistake("a prior vanishes under passes", "include/thalweg/estimators/recursion.hpp",
            "double rows = std::min(weight, pass_);", "double rows = weight;", ("estimators", "laws")),
    Mistake("a saved run forgets its step number", "include/thalweg/estimators/recursion.hpp",
            "k_ = counts[1];", "k_ = counts[0];", ESTIMATORS),
    Mistake("the frozen phase is one row longer", "include/thalweg/estimators/recursion.hpp",
            "rows_ <= options_.warmup", "rows_ <= options_.warmup + 1", ESTIMATORS),
    Mistake("Aitken's gap without its denominator", "src/estimators/stop_rule.cpp",
            "std::abs(now * rate_ / (1 - rate_))", "std::abs(now * rate_)", ("estimators",)),
    Mistake("the slowest direction is looked for with a wrong sign", "include/thalweg/estimators/slowest.hpp",
            "(a.data()[j] - b.data()[j]) / (2 * step)", "(a.data()[j] + b.data()[j]) / (2 * step)", ("estimators",)),
    Mistake("scores of a simplex move one weight only", "src/estimators/information.cpp",
            "if (along.partner != along.entry) theta.data()[along.partner] += along.partner_sign * by;", "",
            ("estimators",)),
    Mistake("incremental EM: a block's old statistic is not taken away", "include/thalweg/estimators/incremental.hpp",
            "total_.data()[i] += now_.data()[i] - before_.data()[i];", "total_.data()[i] += now_.data()[i];",
            ESTIMATORS),
    Mistake("incremental EM: a stale statistic is kept", "include/thalweg/estimators/incremental.hpp",
            "      std::copy_n(now_.data(), now_.size(), kept_.data() + next_ * now_.size());\n    return log_likelihood;",
            "      std::copy_n(before_.data(), now_.size(), kept_.data() + next_ * now_.size());\n    return log_likelihood;",
            ESTIMATORS),
    Mistake("incremental EM: divides by all rows in the first pass", "include/thalweg/estimators/incremental.hpp",
            "if (passes_ == 0) weight_ += block.total_weight();", "if (passes_ == 0) weight_ = rows.total_weight();",
            ESTIMATORS),
    Mistake("variance-reduced EM: the anchored statistic is added", "include/thalweg/estimators/variance_reduced.hpp",
            "scale * (now_.data()[i] - kept[i]) + statistic_.data()[i]", "scale * (now_.data()[i] + kept[i]) + statistic_.data()[i]",
            ESTIMATORS),
    Mistake("variance-reduced EM: a fall of the likelihood is kept", "include/thalweg/estimators/variance_reduced.hpp",
            "if (!risen) return false;", "", ESTIMATORS),
    Mistake("SQUAREM: the extrapolation is not squared", "include/thalweg/estimators/squarem.hpp",
            "2 * length_ * r_i + length_ * length_ * v_i", "2 * length_ * r_i + length_ * v_i", ESTIMATORS),
    Mistake("SQUAREM: leaps that lead down are kept", "include/thalweg/estimators/squarem.hpp",
            "    undo(theta);\n    shorten();\n    return false;", "    return true;", ESTIMATORS),
    Mistake("gradient: ascends from the data, not from their difference to the model", "include/thalweg/estimators/ascent.hpp",
            "change.data()[i] -= S.data()[i];", "change.data()[i] += S.data()[i];", ESTIMATORS),
    Mistake("gradient: free weights share a change evenly", "include/thalweg/models/tangent.hpp",
            "dtheta[k] = dS[k] - theta[k] * change / free;", "dtheta[k] = dS[k] - change / free;", ("models", "estimators", "laws")),
    # --- families and mixtures --------------------------------------------------------------------------------------
    Mistake("Poisson: log density without minus rate", "include/thalweg/families/poisson.hpp",
            "      psi[0] -= rate;\n", "", MODELS),
    Mistake("Poisson: rates of component and column transposed", "include/thalweg/families/poisson.hpp",
            "      rates[k * e.d + j] = rate;\n", "      rates[j * e.K + k] = rate;\n", MODELS),
    Mistake("Gaussian: off-diagonal precision counted once", "src/families/gaussian_mstep.cpp",
            "*second = i == j ? -0.5 * p : -p;", "*second = -0.5 * p;", MODELS),
    Mistake("Gaussian: scatter around zero, not around the mean", "src/families/gaussian_mstep.cpp",
            "second[at * e.K] - mean[i] * first_j - mean[j] * first_i + S[0] * mean[i] * mean[j];",
            "second[at * e.K];", MODELS),
    Mistake("Gaussian: tied covariance pools the first component's scatter only", "src/families/gaussian_mstep.cpp",
            "add_scatter(S + k, e, mean.data(), scatter);", "add_scatter(S, e, mean.data(), scatter);", MODELS),
    Mistake("Gaussian: rank-one step without (1 - eta)", "src/families/gaussian_row.cpp",
            "for (std::size_t i = 1; i < own_size; ++i) own[i] *= keep;", "", ("families", "laws")),
    Mistake("mixture: a row's weight forgotten in the statistic", "include/thalweg/models/mixture.hpp",
            "                for (std::size_t k = 0; k < K_; ++k) r[k * kernels::tile_stride + t] *= w;",
            "                for (std::size_t k = 1; k < K_; ++k) r[k * kernels::tile_stride + t] *= w;", MODELS),
    Mistake("mixture: labels read from the wrong row of a tile", "include/thalweg/models/mixture.hpp",
            "block.side.label + begin, log_f", "block.side.label, log_f", MODELS),
    Mistake("mixture: components permuted the other way in S", "include/thalweg/models/rearrange.hpp",
            "S.data()[i] = old.data()[i / K * K + order[i % K]];",
            "S.data()[i / K * K + order[i % K]] = old.data()[i];", ("catalogue", "models", "laws")),
    # --- probabilistic PCA ------------------------------------------------------------------------------------------
    Mistake("PPCA: posterior variance of the factor forgotten", "src/models/ppca_form.cpp",
            "double product = weight * covariance_[packed_at(k, l)];", "double product = 0;", ("models", "laws")),
    Mistake("PPCA: noise divided by d - r in the M-step", "src/models/ppca_mstep.cpp",
            "left / static_cast<double>(d);", "left / static_cast<double>(d - r);", ("models", "laws")),
    Mistake("PPCA: factors are not made white again", "src/models/ppca_mstep.cpp",
            "      if (expand) continue;\n", "", ("models", "laws")),
    Mistake("PPCA: one-row step with the sign of the distance", "src/models/ppca_mstep.cpp",
            "double distance = (norm - along * z) / noise;", "double distance = (norm + along * z) / noise;",
            ("models", "laws")),
    Mistake("PPCA: exact noise averages all eigenvalues", "src/models/ppca_exact.cpp",
            "double noise = rest / static_cast<double>(d - r);", "double noise = rest / static_cast<double>(d);",
            ("models", "laws")),
    Mistake("PPCA: statistics are not turned with the loadings", "src/models/ppca_exact.cpp",
            "for (std::size_t j = 0; j < d; ++j) turn_row(s.products + j * r);", "", ("models", "laws")),
    Mistake("PPCA: log determinant without the noise directions", "src/models/ppca_form.cpp",
            "(reals - static_cast<double>(r)) * std::log(noise_)", "reals * std::log(noise_)", ("models", "laws")),
]

# Those in a .cpp file first: they are built in seconds.
MISTAKES.sort(key=lambda mistake: not mistake.file.endswith(".cpp"))
