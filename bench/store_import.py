#!/usr/bin/env python3
"""Times the store on a table of a million rows.

Usage: store_import.py --cli PROGRAM [--rows N]

Writes a table of GEMMs of 19 columns (100 MB) to a temporary folder, imports it, imports it again, counts what is there
by GPU and op, exports the rows of one GPU and one K, and validates such rows. Prints wall time, processor time and the
peak of resident memory of each. Aim: the import in less than 30 s and 200 MB. Nothing fails where it is missed: this
measures, it does not test.
"""
import argparse
import os
import random
import tempfile
import time
from pathlib import Path

GPUS = ("t4", "p4", "v100-pcie-32gb", "a100-pcie-40gb", "p100-pcie-16gb")
HEADER = ("op,kind,gpu,framework,precision,batch,M,N,K,transA,transB,time_us,flag,bias,kernel,grid_x,grid_y,grid_z,"
          "block_threads\n")


def write_table(path, rows):
    generator = random.Random(1)
    with path.open("w", encoding="ascii") as file:
        file.write(HEADER)
        for row in range(rows):
            m, n, k = (generator.randint(1, 4096) for _ in range(3))
            file.write(f"gemm,linear,{generator.choice(GPUS)},PyTorch,fp32,1,{m},{n},{k},N,T,"
                       f"{generator.uniform(5, 5000):.3f},,1,ampere_sgemm_32x128_tn,{row % 77 + 1},1,1,256\n")


def run(what, command):
    """Prints one line of the report."""
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    start = time.perf_counter()
    process = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
    _, status, usage = os.wait4(process, 0)
    wall = time.perf_counter() - start
    if status != 0:
        print(f"{what:<28} the program failed, exit status {os.waitstatus_to_exitcode(status)}")
        return
    megabytes = usage.ru_maxrss * 1024 / 1e6
    print(f"{what:<28} {wall:>8.2f} {usage.ru_utime + usage.ru_stime:>8.2f} {megabytes:>8.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Times the store on a table of a million rows.")
    parser.add_argument("--cli", required=True, type=lambda path: Path(path).resolve(), help="the program")
    parser.add_argument("--rows", type=int, default=1000000)
    arguments = parser.parse_args()
    program = str(arguments.cli)
    if not os.access(program, os.X_OK):
        print(f"{program}: no program to run")
        return
    print(f"the store, {arguments.rows} rows (aim: an import in 30 s and 200 MB)")
    print(f"{'':<28} {'wall s':>8} {'cpu s':>8} {'peak MB':>8}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        table, store = Path(folder) / "table.csv", ["--db", str(Path(folder) / "store.db")]
        write_table(table, arguments.rows)
        run("import", [program, "import", str(table), *store])
        run("import again", [program, "import", str(table), *store])
        run("count by GPU and op", [program, "store", "list", *store])
        run("export one GPU and one K", [program, "store", "export", "--gpu", "t4", "--where", "K = 17", *store])
        run("validate one GPU and one K", [program, "validate", "--where", "gpu = t4 and K = 17", store[1]])
        run("validate one K", [program, "validate", "--where", "K = 17", store[1]])


if __name__ == "__main__":
    main()
