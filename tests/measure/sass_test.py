#!/usr/bin/env python3
"""Checks what the compiler made of the microbenchmarks: that the loops still do what they time.

Usage: sass_test.py --nvcc NVCC. Needs no GPU. Compiles each source to PTX and looks at the loops: chases whose loads wait
for one another, loads and multiply-adds neither dropped nor hoisted. Then has ptxas translate each to machine code and
checks that no kernel spills registers or uses local memory, and that each tensor product of the PTX is one of the machine
code, on every chip. Where cuobjdump stands next to nvcc, counts other instructions in the machine code as well; else says
that it did not. Exits 1 with a line for each failure.
"""
import argparse
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MICRO = ROOT / "rooftile/measure/cuda/micro"
FLAGS = ["-std=c++20", "--expt-relaxed-constexpr", f"-I{ROOT}"]
HOPPER_ONLY = {"rate_wgmma.cu"}
ARCHITECTURES = ["75", "90"]  # the oldest, and the one whose loops are looked at
TENSOR_ARCHITECTURES = ["80", "89", "100", "120"]  # more, for rate.cu: chips differ in what their tensor units take
# Bits 0 to 8 of an instruction of 16 bytes: HMMA, IMMA, QMMA.
TENSOR_OPCODES = {0x03c, 0x037, 0x07a}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(" ".join(map(str, command)) + "\n" + done.stdout + done.stderr)
    return done.stdout + done.stderr


def kernels_of(ptx):
    """Name (mangled) to the lines of each kernel."""
    found = {}
    for match in re.finditer(r"^(?:\.visible )?\.entry (\S+?)\(.*?^\{(.*?)^\}", ptx, re.M | re.S):
        found[match.group(1)] = [line.strip() for line in match.group(2).splitlines() if line.strip()]
    return found


def loops_of(lines):
    """The lines of each loop, from a label to a branch back to it, without those of loops inside."""
    at = {line.rstrip(":"): i for i, line in enumerate(lines) if line.startswith("$L") and line.endswith(":")}
    bounds = []  # first and last line of each
    for i, line in enumerate(lines):
        branch = re.search(r"\bbra(?:\.uni)?\s+(\$L\w+)", line)
        if branch and at.get(branch.group(1), i) < i:
            bounds.append((at[branch.group(1)], i))
    def own(begin, end):
        inside = [(b, e) for b, e in bounds if begin <= b and e <= end and (b, e) != (begin, end)]
        return [lines[i] for i in range(begin, end) if not any(b <= i <= e for b, e in inside)]

    return [own(begin, end) for begin, end in bounds]


def longest_chain(lines, load):
    """How many loads in a row take their address from the load before."""
    longest = chain = 0
    before = None
    for line in lines:
        match = re.search(load + r"\s+(%\w+),\s*\[(%\w+)\]", line)
        if match:
            chain = chain + 1 if match.group(2) == before else 1
            before = match.group(1)
            longest = max(longest, chain)
    return longest


def count(lines, pattern):
    return sum(len(re.findall(pattern, line)) for line in lines)


# Source, part of the kernel's name, kernels of that name, instruction, how many of it one loop must have,
# and none more, loops inside left out; "chain": each address from the load before.
EXPECTED = [
    ("latency.cu", "chase_global.*CachingE0", 1, r"ld\.global\.ca\.u64", 32, "chain"),
    ("latency.cu", "chase_global.*CachingE1", 1, r"ld\.global\.cg\.u64", 32, "chain"),
    ("latency.cu", "chase_shared", 1, r"ld\.shared\.u32", 32, "chain"),
    ("line_latency.cu", "time_lines", 1, r"ld\.global\.cg\.u64", 33, "chain"),
    ("loaded_latency.cu", "loaded_chase", 1, r"ld\.global\.cg\.u64", 8, "chain"),
    ("loaded_latency.cu", "loaded_chase", 1, r"ld\.global\.cg\.v4\.u32", 4, "loop"),
    ("sector.cu", "time_second", 1, r"ld\.global\.ca\.u32", 2, "loop"),
    ("sector.cu", "time_second", 1, r"%clock64", 3, "loop"),
    ("request.cu", "requestILi4E", 1, r"ld\.global\.ca\.u32", 16, "loop"),
    ("request.cu", "requestILi8E", 1, r"ld\.global\.ca\.v2\.u32", 16, "loop"),
    ("request.cu", "requestILi16E", 1, r"ld\.global\.ca\.v4\.u32", 16, "loop"),
    ("bandwidth.cu", "read_segments.*CachingE0", 1, r"ld\.global\.ca\.v4\.u32", 8, "loop"),
    ("bandwidth.cu", "read_segments.*CachingE1", 1, r"ld\.global\.cg\.v4\.u32", 8, "loop"),
    ("bandwidth.cu", "write_segments", 1, r"st\.global\.v4\.u32", 8, "loop"),
    ("bandwidth.cu", "copy_segments", 1, r"ld\.global\.cg\.v4\.u32", 8, "loop"),
    ("bandwidth.cu", "copy_segments", 1, r"st\.global\.v4\.u32", 8, "loop"),
    ("smem_bandwidth.cu", "move_sharedILi4ELb0E", 1, r"ld\.shared\.u32", 16, "loop"),
    ("smem_bandwidth.cu", "move_sharedILi8ELb0E", 1, r"ld\.shared\.v2\.u32", 8, "loop"),
    ("smem_bandwidth.cu", "move_sharedILi16ELb0E", 1, r"ld\.shared\.v4\.u32", 4, "loop"),
    ("smem_bandwidth.cu", "move_sharedILi4ELb1E", 1, r"st\.shared\.u32", 16, "loop"),
    ("smem_bandwidth.cu", "move_sharedILi8ELb1E", 1, r"st\.shared\.v2\.u32", 8, "loop"),
    ("smem_bandwidth.cu", "move_sharedILi16ELb1E", 1, r"st\.shared\.v4\.u32", 4, "loop"),
    ("rate.cu", "multiply_add.*Fp64", 1, r"fma\.rn\.f64", 128, "loop"),
    ("rate.cu", "multiply_add.*Fp32", 1, r"fma\.rn\.f32 ", 128, "loop"),
    ("rate.cu", "multiply_add.*Fp16", 1, r"fma\.rn\.f16x2", 128, "loop"),
    ("rate.cu", "multiply_add.*Bf16", 1, r"fma\.rn\.bf16x2", 128, "loop"),
    ("rate.cu", "multiply_add.*Int32", 1, r"mad\.lo\.s32", 128, "loop"),
    ("rate.cu", "multiply_tiles.*MmaFp16", 1, r"mma\.sync\.\S+\.m16n8k16\.\S+\.f16\.f16", 32, "loop"),
    ("rate.cu", "multiply_tiles.*MmaBf16", 1, r"mma\.sync\.\S+\.m16n8k16\.\S+\.bf16\.bf16", 32, "loop"),
    ("rate.cu", "multiply_tiles.*MmaTf32", 1, r"mma\.sync\.\S+\.m16n8k8\.\S+\.tf32\.tf32", 32, "loop"),
    ("rate.cu", "multiply_tiles.*MmaInt8", 1, r"mma\.sync\.\S+\.m16n8k32\.\S+\.s8\.s8", 32, "loop"),
    ("load.cu", "load_fp32", 1, r"fma\.rn\.f32 ", 128, "loop"),
    ("load.cu", "load_fp16", 1, r"mma\.sync\.\S+\.m16n8k16\.\S+\.f16\.f16", 32, "loop"),
    ("rate_wgmma.cu", "multiply_groups", 5, r"wgmma\.mma_async\.sync", 16, "loop"),
    ("rate_wgmma.cu", "multiply_groups", 5, r"wgmma\.wait_group", 1, "loop"),
]

# The same for compute capability 8.9; 9.0 has no such instruction.
EXPECTED_89 = [
    ("rate.cu", "multiply_tiles.*MmaFp8", 1, r"mma\.sync\.\S+\.m16n8k32\.\S+\.e4m3\.e4m3", 32, "loop"),
]

# Source, part of the kernel's name, instruction of the machine code, how many at least (sm_90).
EXPECTED_SASS = [
    ("latency.cu", "chase_global", r"\bLDG\.E\.64\b", 32),
    ("latency.cu", "chase_shared", r"\bLDS\b", 32),
    ("bandwidth.cu", "read_segments", r"\bLDG\.E\.128\b", 8),
    ("smem_bandwidth.cu", "move_sharedILi16ELb0E", r"\bLDS\.128\b", 4),
    ("rate.cu", "multiply_add.*Fp32", r"\bFFMA\b", 128),
    ("rate.cu", "multiply_tiles.*MmaFp16", r"\bHMMA\b", 32),
    ("rate_wgmma.cu", "multiply_groups.*Fp16", r"\bHGMMA\b", 16),
]


def ptx_failures(expected, ptx_of):
    for source, name, how_many, instruction, wanted, kind in expected:
        kernels = {key: lines for key, lines in kernels_of(ptx_of[source]).items() if re.search(name, key)}
        if len(kernels) != how_many:
            yield f"{source}: {len(kernels)} kernels called {name}, not {how_many}"
        for lines in kernels.values():
            measure = longest_chain if kind == "chain" else count
            found = max((measure(loop, instruction) for loop in loops_of(lines)), default=0)
            if found != wanted:
                what = "loads that wait for the one before" if kind == "chain" else "of it"
                yield f"{source}: {name}: {instruction}: {found} {what} in its loop, not {wanted}"


def path_of_ptx(nvcc, source, architecture, folder):
    path = Path(folder) / f"{source}.{architecture}.ptx"
    if not path.exists():
        run([nvcc, *FLAGS, "--ptx", f"-arch=compute_{architecture}", "-o", path, MICRO / source])
    return path


def resource_failures(nvcc, source, architecture, folder):
    """Failures, and the path of the machine code."""
    cubin = Path(folder) / f"{source}.{architecture}.cubin"
    ptx = path_of_ptx(nvcc, source, architecture, folder)
    text = run([Path(nvcc).parent / "ptxas", f"-arch=sm_{architecture}", "-v", "-o", cubin, ptx])
    failures = []
    kernels = 0
    name = ""
    for line in text.splitlines():
        properties = re.search(r"Function properties for (\S+)", line)
        if properties:
            name = properties.group(1)
        usage = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line)
        if usage:
            kernels += 1
            if usage.groups() != ("0", "0", "0"):
                failures.append(f"{source}, sm_{architecture}: {name}: {line.strip()}")
        if "wgmma.mma_async instructions are serialized" in line:
            failures.append(f"{source}: {line.strip()}")
    if kernels == 0:
        failures.append(f"{source}, sm_{architecture}: ptxas told of no kernel")
    return failures, cubin


def machine_code_of(cubin):
    """Name (mangled) to the machine code of each kernel: the sections .text.NAME of an ELF file of 64 bits."""
    data = Path(cubin).read_bytes()
    begin, = struct.unpack_from("<Q", data, 0x28)
    size, sections, names = struct.unpack_from("<HHH", data, 0x3a)
    headers = [struct.unpack_from("<IIQQQQ", data, begin + i * size) for i in range(sections)]
    found = {}
    for name, _, _, _, offset, length in headers:
        at = headers[names][4] + name
        text = data[at:data.index(b"\0", at)].decode()
        if text.startswith(".text."):
            found[text.removeprefix(".text.")] = data[offset:offset + length]
    return found


def tensor_failures(source, architecture, ptx, cubin):
    """Products that ptxas merged, dropped or took apart."""
    code_of = machine_code_of(cubin)
    for name, lines in kernels_of(ptx).items():
        wanted = count(lines, r"\bmma\.sync\.")
        found = sum(first & 0x1ff in TENSOR_OPCODES for first, _ in struct.iter_unpack("<QQ", code_of[name]))
        if found < wanted:
            yield f"{source}, sm_{architecture}: {name}: {wanted} mma.sync, {found} tensor products in the machine code"


def sass_failures(cuobjdump, cubins):
    for source, name, instruction, least in EXPECTED_SASS:
        text = run([cuobjdump, "-sass", cubins[source]])
        functions = re.split(r"^\s*Function : ", text, flags=re.M)[1:]
        chosen = [body for body in functions if re.search(name, body.split()[0])]
        if not chosen:
            yield f"{source}: no machine code of {name}"
        for body in chosen:
            found = len(re.findall(instruction, body))
            if found < least:
                yield f"{source}: {name}: {found} of {instruction} in the machine code, not {least}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nvcc", required=True)
    nvcc = parser.parse_args().nvcc
    sources = sorted(path.name for path in MICRO.glob("*.cu"))
    failures = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        known = run([nvcc, "--list-gpu-arch"]).split()
        jobs = [(source, architecture) for source in sources
                for architecture in (["90a"] if source in HOPPER_ONLY else ARCHITECTURES)]
        jobs += [("rate.cu", architecture) for architecture in TENSOR_ARCHITECTURES
                 if f"compute_{architecture}" in known]
        looked_at = {}
        looked_at_89 = {}
        cubins = {}
        for (source, architecture), (found, cubin) in zip(
                jobs, pool.map(lambda job: resource_failures(nvcc, *job, folder), jobs)):
            failures += found
            ptx = path_of_ptx(nvcc, source, architecture, folder).read_text()
            failures += tensor_failures(source, architecture, ptx, cubin)
            if architecture.startswith("90"):
                looked_at[source] = ptx
                cubins[source] = cubin
            elif architecture == "89":
                looked_at_89[source] = ptx
        failures += ptx_failures(EXPECTED, looked_at)
        failures += ptx_failures(EXPECTED_89, looked_at_89)
        cuobjdump = shutil.which("cuobjdump", path=str(Path(nvcc).parent)) or shutil.which("cuobjdump")
        if cuobjdump:
            failures += sass_failures(cuobjdump, cubins)
        else:
            print("no cuobjdump next to nvcc or on the PATH: of the machine code only tensor products were counted")
    print("\n".join(failures) if failures else f"{len(sources)} sources: loops as they should be")
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RuntimeError as error:  # a source that does not compile
        sys.exit(str(error))
