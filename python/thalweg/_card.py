"""What a notebook shows of an estimator: a card with its arguments and, once fitted, a small picture. One piece of HTML, all inside."""

import html
import inspect

import numpy as np

from . import _shape

WIDTH, HEIGHT = 260, 150
EDGE = 6  # between the picture's frame and what is drawn

# The page's own colours of text and ground, light or dark; only the components have colours of their own.
BOX = "display:inline-block;font-family:sans-serif;font-size:13px;line-height:1.5;color:inherit;max-width:640px;"
BOX += "border:1px solid rgba(128,128,128,.45);border-radius:6px;padding:10px 14px"
ROW = "display:flex;flex-wrap:wrap;gap:8px 22px;align-items:flex-start"
FAINT = "opacity:.7"


def card(estimator):
    name = html.escape(type(estimator).__name__)
    summary = html.escape((type(estimator).__doc__ or "").strip().split("\n")[0].rstrip("."))
    fitted = estimator.__sklearn_is_fitted__()
    left = arguments(estimator) + (facts(estimator) if fitted else note("not fitted"))
    right = picture(estimator) if fitted else ""
    head = f'<div style="margin-bottom:6px"><b style="font-size:14px">{name}</b> <span style="{FAINT}">{summary}</span></div>'
    return f'<div style="{BOX}">{head}<div style="{ROW}"><div>{left}</div>{right}</div></div>'


def note(text):
    return f'<div style="margin-top:6px;{FAINT}">{text}</div>'


def table(pairs):
    cells = "".join(
        f'<tr style="background:none"><td style="padding:0 12px 0 0;text-align:left;{FAINT}">{html.escape(name)}</td>'
        f'<td style="padding:0;text-align:left">{html.escape(text)}</td></tr>'
        for name, text in pairs
    )
    return f'<table style="border-collapse:collapse;border:0;margin:0;font-size:13px;color:inherit">{cells}</table>'


def short(value, most=40):
    text = repr(value)
    return text if len(text) <= most else text[: most - 1] + "…"


def arguments(estimator):
    """Those that were given, and behind a click the others."""
    defaults = inspect.signature(type(estimator).__init__).parameters
    given, others = [], []
    for name, value in estimator.get_params(deep=False).items():
        same = name in defaults and repr(defaults[name].default) == repr(value)
        (others if same else given).append((name, short(value)))
    rest = f'<details><summary style="cursor:pointer;{FAINT}">defaults</summary>{table(others)}</details>' if others else ""
    return (table(given) if given else "") + rest


def facts(estimator):
    report = estimator._learner.report()
    pairs = [("rows learned", f"{estimator.n_samples_seen_:,}"), ("columns", column_names(estimator))]
    if estimator.provisional_:
        pairs.append(("so far", "a coarse model of the first rows"))
    if report["lower_bound"] is not None:
        pairs.append(("mean log-likelihood", f"{report['lower_bound']:.4f}"))
    return f'<div style="margin-top:6px">{table(pairs)}</div>'


def column_names(estimator, most=4):
    width = estimator.n_features_in_
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return str(width)
    return ", ".join(map(str, names[:most])) + (f", … ({width})" if width > most else "")


def picture(estimator):
    """The first of the pictures that this model has."""
    try:
        shown = drawn(estimator)
    except (ValueError, ArithmeticError, LookupError, AttributeError, np.linalg.LinAlgError):
        return ""  # a card without a picture is better than none
    if shown is None:
        return ""
    body, caption = shown
    return (
        f'<div><svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'role="img" aria-label="{html.escape(caption)}">{body}</svg>'
        f'<div style="text-align:center;max-width:{WIDTH}px;{FAINT}">{html.escape(caption)}</div></div>'
    )


def drawn(estimator):
    """(SVG, what it shows), or None."""
    learner = estimator._ready()
    names = getattr(estimator, "feature_names_in_", [f"column {j}" for j in range(estimator.n_features_in_)])
    if _shape.has_factors(estimator):
        return scree(estimator), "variance of the factors, and noise"
    if estimator.n_features_in_ == 1 and not _shape.has_categories(estimator):
        return curve(estimator), ("probability of " if _shape.counts_only(estimator) else "density of ") + str(names[0])
    if estimator._gaussian_components() is not None:
        return ellipses(estimator), f"{names[0]}, {names[1]}"
    if learner.shares:
        return bars(learner.parameters()[learner.shares]), "weights of the components"
    return None


def scale(low, high, begin, end):
    """Numbers of an interval to places in the picture."""
    return lambda values: begin + (np.asarray(values) - low) * ((end - begin) / (high - low))


def path(x, y):
    return "M" + "L".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))


def base():
    return f'<path d="M0,{HEIGHT - EDGE}H{WIDTH}" stroke="currentColor" stroke-opacity=".4"/>'


def curve(estimator):
    low, high = _shape.limits(_shape.drawn_rows(estimator, [0]))
    x = _shape.axis(estimator, low[0], high[0], 130)
    whole, parts = _shape.densities(estimator, x[:, None], [0])
    across = scale(x[0], max(x[-1], x[0] + 1e-300), EDGE, WIDTH - EDGE)(x)
    up = scale(0, whole.max(), HEIGHT - EDGE, EDGE)
    out = []
    for k, part in enumerate([whole] if parts is None else parts):
        line = path(across, up(part))
        out.append(f'<path d="{line}V{HEIGHT - EDGE}H{across[0]:.1f}Z" fill="{_shape.colour(k)}" fill-opacity=".25"/>')
        out.append(f'<path d="{line}" fill="none" stroke="{_shape.colour(k)}" stroke-width="1.5"/>')
    out.append(f'<path d="{path(across, up(whole))}" fill="none" stroke="currentColor" stroke-dasharray="4 3"/>')
    return "".join(out) + base()


def ellipses(estimator, columns=(0, 1)):
    columns = list(columns)
    weights, means, covariances = estimator._gaussian_components()
    means, covariances = means[:, columns], covariances[:, columns][:, :, columns]
    reach = np.sqrt(-2 * np.log(0.1)) * np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
    low, high = (means - reach).min(axis=0), (means + reach).max(axis=0)
    across, up = (WIDTH - 2 * EDGE) / (high[0] - low[0]), (HEIGHT - 2 * EDGE) / (high[1] - low[1])
    stretch = np.array([across, -up])
    out = []
    for k in np.argsort(-weights):
        x, y = np.array([EDGE, HEIGHT - EDGE]) + (means[k] - low) * stretch
        for share, opacity in ((0.9, 0.12), (0.5, 0.25)):
            width, height, angle = _shape.ellipse(covariances[k] * np.outer(stretch, stretch), share)
            out.append(
                f'<ellipse cx="{x:.1f}" cy="{y:.1f}" rx="{width / 2:.1f}" ry="{height / 2:.1f}" '
                f'transform="rotate({angle:.1f} {x:.1f} {y:.1f})" fill="{_shape.colour(k)}" fill-opacity="{opacity}" '
                f'stroke="{_shape.colour(k)}" stroke-width="1.2"/>'
            )
    return "".join(out)


def bars(heights, level=None):
    count = len(heights)
    up = scale(0, max(np.max(heights), level or 0), HEIGHT - EDGE, EDGE)
    step = (WIDTH - 2 * EDGE) / count
    width = min(0.7 * step, 40)
    out = []
    for k, height in enumerate(heights):
        top = float(up(height))
        colour = _shape.colour(k) if level is None else _shape.colour(0)
        out.append(
            f'<rect x="{EDGE + (k + 0.5) * step - width / 2:.1f}" y="{top:.1f}" width="{width:.1f}" '
            f'height="{HEIGHT - EDGE - top:.1f}" fill="{colour}" fill-opacity=".75"/>'
        )
    if level is not None:
        out.append(f'<path d="M0,{float(up(level)):.1f}H{WIDTH}" stroke="{_shape.colour(1)}" stroke-width="1.5"/>')
    return "".join(out) + base()


def scree(estimator):
    variances, noise = _shape.factor_variances(estimator)
    return bars(variances, noise)
