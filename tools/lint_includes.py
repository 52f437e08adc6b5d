#!/usr/bin/env python3
"""Checks which module includes which, and where heavy headers may stand.

Usage: lint_includes.py [ROOT]. Prints one line a violation and exits 1 if there is any.
"""
import re
import sys
from pathlib import Path

# The direction of the pipeline: a module may include those that it names here, and whatever they may include.
MAY_INCLUDE = {
    "base": [],
    "workload": ["base"],
    "ops": ["workload"],
    "gpu": ["base"],
    "hosts": ["gpu", "workload"],
    "prices": ["gpu"],
    "fabric": ["gpu"],
    "collectives": ["fabric", "workload"],
    "execution": ["ops"],
    "calibration": ["gpu", "workload"],
    "plan": ["ops", "calibration"],
    "simulate": ["plan"],
    "traffic": ["plan"],
    "timing": ["traffic"],
    "predict": ["timing", "execution", "hosts"],
    "zoo": ["ops"],
    "ingest": ["zoo", "collectives", "execution"],
    "parallel": ["predict", "ingest"],
    "server": ["parallel"],
    "cost": ["predict"],
    "compare": ["cost", "prices", "ingest"],
    "explore": ["cost", "ingest"],
    "cluster": ["explore", "parallel"],
    "profile": ["ingest"],
    "measure": ["profile", "gpu"],
    "validate": ["parallel"],
    "evaluation": ["validate", "simulate", "explore"],
    "regression": ["ingest"],  # for the file of a fitted model
    "store": ["measure", "validate"],
    "learn": ["validate", "regression"],
    "planning": ["learn", "explore", "prices"],
    "roofline": ["predict", "profile", "validate"],
    "report": ["learn", "planning", "server", "compare", "evaluation", "roofline", "explore", "store"],
    "cli": ["report", "cluster"],
}

# Headers that cost seconds a translation unit, and the only files that pay for them.
HEAVY = {
    "onnx/": r"rooftile/ingest/onnx\w*\.cpp",
    "google/protobuf/": r"rooftile/ingest/onnx\w*\.cpp|rooftile/report/chakra_trace_test\.cpp",
    "CLI/": r"rooftile/cli/\w+\.(cpp|hpp)|rooftile/measure/cuda/main\.cpp",
    "toml++/": r".*\.cpp|rooftile/base/toml\.hpp",
    "cuda": r"(rooftile/measure/cuda|tests/measure/on_cpu)/.*",
    "cublas": r"(rooftile/measure/cuda|tests/measure/on_cpu)/.*",
    "cudnn": r"(rooftile/measure/cuda|tests/measure/on_cpu)/.*",
    "cupti": r"rooftile/measure/cuda/.*",
    "mpi.h": r"rooftile/cluster/mpi/.*",
    "nlohmann/": r".*\.cpp|rooftile/(base|ingest|report)/\w*json\w*\.hpp",
    "boost/": r"rooftile/explore/sequence\.cpp|tests/measure/on_cpu/kernel\.hpp",
    "muParser": r"rooftile/explore/(constraint|optimise/limit)\.cpp",
    "Eigen/": r"rooftile/regression/(\w+\.cpp|eigen\.hpp)",
    "pybind11/": r"python/src/.*",
    "sqlite3": r"rooftile/store/database\.hpp",
    "valijson/": r"rooftile/base/test_json_schema\.cpp",
}

SOURCES = {".cpp", ".hpp", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')


def reachable(module):
    """The module itself and all that it may include, directly or not."""
    found = {module}
    for other in MAY_INCLUDE.get(module, []):
        found |= reachable(other)
    return found


def violations_of(path, text):
    """Violations in one file; `path` is relative to the root, with slashes."""
    parts = path.split("/")
    module = parts[1] if parts[0] == "rooftile" and len(parts) > 2 else None
    if module and module not in MAY_INCLUDE:
        yield f"{path}: module '{module}' is not in the table of {Path(__file__).name}"
        return
    allowed = reachable(module) if module else set(MAY_INCLUDE)
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match[1]
        target = header.split("/")
        if target[0] == "rooftile":
            if target[1] not in MAY_INCLUDE:
                yield f"{path}:{number}: {header}: no such module"
            elif target[1] not in allowed:
                yield f"{path}:{number}: {module} may not include {header}; it may use {', '.join(sorted(allowed))}"
        for prefix, where in HEAVY.items():
            if header.startswith(prefix) and not re.fullmatch(where, path):
                yield f"{path}:{number}: {header} belongs only in {where}"


def check(root):
    """All violations under `root`."""
    found = []
    for folder in ("rooftile", "python", "tests", "bench"):
        paths = [path for path in (root / folder).rglob("*") if path.suffix in SOURCES]
        for path in sorted(paths):
            found += violations_of(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
    return found


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    found = check(root)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
