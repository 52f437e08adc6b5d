#!/usr/bin/env python3
"""Times whole runs of the program on ONNX files of full size.

Usage: whole_program.py --cli PROGRAM

The models of data/models hold no weights. This writes them to a temporary folder with every weight back in its place,
random bytes of the right number, so that a file is as large as a full export. Then it runs `predict` on each and prints
the wall time, start of the process included, and the peak of resident memory. The files are in the page cache. Aim: less
than 60 ms and 25 MB, whatever the size of the file. Nothing fails where it is missed: this measures, it does not test.

The memory shown is never less than Python's own, 10 to 20 MB: Linux counts what the process held before it became
the program.
"""
import argparse
import gzip
import math
import os
import random
import statistics
import tempfile
import time
from pathlib import Path

MODELS = Path(__file__).resolve().parent.parent / "data" / "models"
WARM_UP, RUNS = 3, 20

# Protocol Buffers: wire types, and the numbers of the fields needed here (onnx.proto).
VARINT, FIXED64, LENGTH_DELIMITED, FIXED32 = 0, 1, 2, 5
MODEL_GRAPH, GRAPH_INITIALIZER, TENSOR_DIMS, TENSOR_RAW_DATA = 7, 5, 1, 9
FLOAT_BYTES = 4


def read_varint(message, at):
    """The number that starts at `at`, and where it ends."""
    number = shift = 0
    while message[at] >= 0x80:
        number |= (message[at] & 0x7F) << shift
        shift += 7
        at += 1
    return number | message[at] << shift, at + 1


def varint(number):
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number])


def fields(message):
    """Of each field its number, its content, and the bytes of the whole."""
    at = 0
    while at < len(message):
        start = at
        tag, at = read_varint(message, at)
        content = None
        if tag & 7 == VARINT:
            content, at = read_varint(message, at)
        elif tag & 7 == LENGTH_DELIMITED:
            length, begin = read_varint(message, at)
            at = begin + length
            content = message[begin:at]
        else:
            at += {FIXED64: 8, FIXED32: 4}[tag & 7]
        yield tag >> 3, content, message[start:at]


# A file is a list of parts: bytes as they are, and numbers that stand for as many random bytes.


def size_of(parts):
    return sum(part if isinstance(part, int) else len(part) for part in parts)


def field(number, parts):
    return [varint(number << 3 | LENGTH_DELIMITED) + varint(size_of(parts)), *parts]


def full_tensor(tensor):
    dims = []
    for number, content, _ in fields(tensor):
        if number == TENSOR_RAW_DATA:  # small enough to have been kept
            return [tensor]
        if number == TENSOR_DIMS:
            dims.append(content)
    return [tensor, *field(TENSOR_RAW_DATA, [FLOAT_BYTES * math.prod(dims)])]


def replace(message, wanted, change):
    """The parts of a message in which `change` has rewritten each field of that number."""
    parts = []
    for number, content, whole in fields(message):
        parts += field(number, change(content)) if number == wanted else [whole]
    return parts


def full_model(model):
    return replace(model, MODEL_GRAPH, lambda graph: replace(graph, GRAPH_INITIALIZER, full_tensor))


def write(path, parts):
    generator = random.Random(0)
    chunk = 1 << 16
    with path.open("wb") as file:
        for part in parts:
            if isinstance(part, bytes):
                file.write(part)
                continue
            for begin in range(0, part, chunk):
                file.write(generator.randbytes(min(chunk, part - begin)))


def run(command):
    """Exit status, wall time in ms, peak of resident memory in MB."""
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    start = time.perf_counter()
    process = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
    _, status, usage = os.wait4(process, 0)
    wall = time.perf_counter() - start
    return os.waitstatus_to_exitcode(status), wall * 1e3, usage.ru_maxrss * 1024 / 1e6


def measure(program, name, folder):
    """One line of the report."""
    file = Path(folder) / f"{name}.onnx"
    write(file, full_model(gzip.decompress((MODELS / f"{file.name}.gz").read_bytes())))
    command = [str(program), "predict", str(file), "--gpu", "titan-xp", "--batch-size", "256"]
    runs = [run(command) for _ in range(WARM_UP + RUNS)][WARM_UP:]
    megabytes = file.stat().st_size / 1e6
    file.unlink()
    failed = [status for status, _, _ in runs if status != 0]
    if failed:
        return f"{name:<12} {megabytes:>8.1f}  the program failed, exit status {failed[0]}"
    walls = [wall for _, wall, _ in runs]
    peak = max(memory for _, _, memory in runs)
    return f"{name:<12} {megabytes:>8.1f} {statistics.median(walls):>10.1f} {max(walls):>8.1f} {peak:>8.1f}"


def main():
    parser = argparse.ArgumentParser(description="Times whole runs of the program on ONNX files of full size.")
    parser.add_argument("--cli", required=True, type=lambda path: Path(path).resolve(), help="the program")
    program = parser.parse_args().cli
    if not os.access(program, os.X_OK):
        print(f"{program}: no program to run")
        return
    print(f"rooftile predict, {RUNS} runs a file (aim: 60 ms, 25 MB)")
    print(f"{'file':<12} {'MB':>8} {'median ms':>10} {'max ms':>8} {'peak MB':>8}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("resnet50", "vgg16", "vit_l_16"):
            print(measure(program, name, folder), flush=True)


if __name__ == "__main__":
    main()
