#!/usr/bin/env python3
"""Least squares, ridge and non-negative least squares by numpy and scipy, for reference_test.cpp to agree with.

Usage: reference.py --write | --check
--write makes reference.json anew; --check makes it again and compares (exit 77, a skip, without numpy or scipy).
"""
import json
import sys
from pathlib import Path

try:
    import numpy as np
    from scipy.optimize import nnls
except ImportError:
    print("numpy or scipy is not installed")
    sys.exit(77)

FILE = Path(__file__).with_name("reference.json")


def problem(seed, rows, columns):
    """Columns of very different sizes, the first of ones; positive values; weights."""
    random = np.random.Generator(np.random.PCG64(seed))
    x = random.lognormal(0, 1, (rows, columns)) * 10.0 ** random.integers(-4, 9, columns)
    x[:, 0] = 1
    b = random.normal(0.5, 1, columns) / np.abs(x).mean(axis=0)
    y = np.abs(x @ b) + random.lognormal(0, 0.5, rows)
    return x, y, 1 / y**2


def least_squares(x, y, w):
    root = np.sqrt(w)
    xw, yw = x * root[:, None], y * root
    lengths = np.linalg.norm(xw, axis=0)
    scaled = xw / lengths
    b, _, rank, singular = np.linalg.lstsq(scaled, yw, rcond=None)
    assert rank == x.shape[1]
    residuals = yw - scaled @ b
    variance = residuals @ residuals / (len(y) - rank)
    pseudo = np.linalg.pinv(scaled)
    mean = w @ y / w.sum()
    means = w @ x / w.sum()
    inverse = (pseudo @ pseudo.T).diagonal() / lengths**2
    return {
        "coefficients": b / lengths,
        "standard_errors": np.sqrt(variance * inverse),
        "leverage": (scaled * pseudo.T).sum(axis=1),
        "r2": 1 - residuals @ residuals / (w @ (y - mean) ** 2),
        "condition_number": singular[0] / singular[-1],
        "vif": (inverse * (w @ (x - means) ** 2))[1:],
    }


def ridge(x, y, w, penalty):
    w = w / w.mean()
    share = w / w.sum()
    mean, deviation = share @ x, np.sqrt(share @ (x - share @ x) ** 2)
    z = (x - mean) / deviation
    centred = y - share @ y
    # The penalty as rows of their own: a plain least-squares problem.
    rows = np.vstack([z * np.sqrt(w)[:, None], np.sqrt(penalty) * np.eye(x.shape[1])])
    values = np.concatenate([centred * np.sqrt(w), np.zeros(x.shape[1])])
    b = np.linalg.lstsq(rows, values, rcond=None)[0] / deviation
    return {"penalty": penalty, "coefficients": b, "intercept": share @ y - mean @ b}


def non_negative(x, y, w):
    root = np.sqrt(w)
    lengths = np.linalg.norm(x * root[:, None], axis=0)
    return nnls(x * root[:, None] / lengths, y * root)[0] / lengths


def case(seed, rows, columns):
    x, y, w = problem(seed, rows, columns)
    ones = np.ones(rows)
    return {
        "x": x, "y": y, "weights": w,
        "plain": least_squares(x, y, ones),
        "weighted": least_squares(x, y, w),
        "ridge": [ridge(x[:, 1:], y, ones, 0.1), ridge(x[:, 1:], y, w, 10.0)],
        "nnls": [non_negative(x, y, ones), non_negative(x, y, w)],
    }


def plain(value):
    """numpy's types as JSON's."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    return value.tolist() if isinstance(value, np.ndarray) else float(value)


def differences(a, b, path=""):
    if isinstance(a, dict):
        for key in a:
            yield from differences(a[key], b[key], f"{path}.{key}")
    elif isinstance(a, list):
        if len(a) != len(b):
            yield f"{path}: {len(a)} and {len(b)} values"
        for i, (one, other) in enumerate(zip(a, b)):
            yield from differences(one, other, f"{path}[{i}]")
    elif abs(a - b) > 1e-10 * max(abs(a), abs(b)):
        yield f"{path}: {a} and {b}"


def main():
    cases = plain([case(seed, rows, columns) for seed, rows, columns in ((1, 12, 2), (2, 40, 5), (3, 60, 9))])
    if sys.argv[1:] == ["--write"]:
        FILE.write_text(json.dumps(cases, indent=0) + "\n", encoding="utf-8")
        return 0
    found = list(differences(cases, json.loads(FILE.read_text(encoding="utf-8"))))
    print("\n".join(found[:20]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
