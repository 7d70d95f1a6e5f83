"""The measurements of scripts/measure-performance, which builds what is used here.

Every time is that of a whole process, from its start to its end, with the capture read right
before, so that it is in the page cache. The rounds of all programs alternate; medians are shown.
"""
import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import time

import numpy

WIDTH = 4096
BAD = {"off_by_one": "every output one code too great",
       "near_ties": "every exact result within 2^-40 of a rounding midpoint",
       "nearer_ties": "the same within 2^-60, beyond binary64 and beyond what is asked",
       "constant_rows": "each row one number",
       "equal_rows": "all rows equal"}
# Within 2^-60 is beyond the near ties that are asked for: shown, without a limit.
BAD_LIMITS = {"nearer_ties": (None, None)}
LIMITS = ["--atol", "1e-2", "--rtol", "1e-2"]
PLAIN = ["--power", "off", *LIMITS, "--source", "reference.rounded"]
RECIPE = ["--power", "off", "--source", "hf.llama", "--require", "bits"]
FEW_ROWS = 16
STARTS = 50
# What takes longer than so many seconds is run in fewer rounds.
LONG, ROUNDS_OF_LONG = 2, 3


def start(command, output):
    to_output = (os.POSIX_SPAWN_OPEN, 1, output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    to_errors = (os.POSIX_SPAWN_OPEN, 2, output + ".errors",
                 os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    return os.posix_spawn(command[0], command, os.environ, file_actions=[to_output, to_errors])


def finish(pid, command, output):
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status not in (0, 1):  # accepted, rejected
        with open(output + ".errors") as errors:
            sys.exit(f"{' '.join(command)}: exit status {status}\n{errors.read()}")


def read_through(path):
    with open(path, "rb", buffering=0) as file:
        buffer = bytearray(1 << 20)
        while file.readinto(buffer):
            pass


class Job:
    """A command on a file, timed again and again."""

    def __init__(self, name, command, path, elements):
        self.name, self.command, self.path, self.elements = name, command, path, elements
        self.times = []

    def run(self, output):
        if self.path:
            read_through(self.path)
        begin = time.perf_counter_ns()
        pid = start(self.command, output)
        finish(pid, self.command, output)
        self.times.append((time.perf_counter_ns() - begin) * 1e-9)

    @property
    def seconds(self):
        return statistics.median(self.times)

    @property
    def rate(self):
        return self.elements / self.seconds


def own_memory(command, path, output):
    """Peak RssAnon in MiB: not the mapped files."""
    read_through(path)
    peak = 0
    pid = start(command, output)
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        with open(f"/proc/{pid}/status") as status:
            for line in status:
                if line.startswith("RssAnon:"):
                    peak = max(peak, int(line.split()[1]))
        time.sleep(0.001)
    finish(pid, command, output)
    return peak / 1024


def benchmark_rate(program, name):
    """Elements per second of one thread, the median of five."""
    text = subprocess.run([program, f"--benchmark_filter=^{name}$", "--benchmark_format=json",
                           "--benchmark_min_time=0.5", "--benchmark_repetitions=5"],
                          check=True, capture_output=True, text=True).stdout
    return next(entry["items_per_second"] for entry in json.loads(text)["benchmarks"]
                if entry.get("aggregate_name") == "median")


class Report:
    def __init__(self):
        self.lines = []

    def add(self, what, measured, against, ratio, must=None, goal=None, unit="", less=False):
        def reaches(limit):
            return ratio <= limit if less else ratio >= limit

        def shown(limit):
            return "" if limit is None else f"{limit:g}{unit}"

        met = ""
        if must is not None:
            met = "no" if not reaches(must) else "must" if goal is None or not reaches(goal) else "goal"
        digits = f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.3g}"
        self.lines.append(f"| {what} | {measured} | {against} | {digits}{unit} | {shown(must)} | "
                          f"{shown(goal)} | {met} |")


def rate_text(job):
    return f"{job.seconds * 1e3:.1f} ms, {job.rate * 1e-9:.3f} G/s"


def machine():
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo")
                if line.startswith("model name")), "unknown")
    memory = int(next(line.split()[1] for line in open("/proc/meminfo")
                      if line.startswith("MemTotal"))) / 1048576
    return (f"{cpu}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB of memory, "
            f"Linux {os.uname().release}")


def git_text(*arguments):
    found = subprocess.run(["git", *arguments], capture_output=True, text=True)
    return found.stdout.strip()


def main():
    parser = argparse.ArgumentParser(prog="scripts/measure-performance")
    parser.add_argument("build")
    parser.add_argument("work")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--rows", type=int, default=16384)
    parser.add_argument("--report", default="reports/performance.md")
    parser.add_argument("--skip", action="append", default=[], choices=sorted(BAD))
    options = parser.parse_args()
    for kind in options.skip:
        del BAD[kind]
    normcert = os.path.join(options.build, "normcert")
    tools = os.path.join(options.build, "tests/benchmark")
    output = os.path.join(options.work, "output")
    threads = str(len(os.sched_getaffinity(0)))
    load_before = os.getloadavg()

    def say(text):
        print(text, flush=True)

    def capture(kind, dtype, rows):
        path = os.path.join(options.work, f"{kind}-{dtype}-{rows}.safetensors")
        say(f"writing {os.path.basename(path)}")
        subprocess.run([os.path.join(tools, "write_capture"), kind, dtype, str(rows), str(WIDTH),
                        path], check=True)
        return path

    rows = options.rows
    bf16 = capture("framework", "bf16", rows)
    fp16 = capture("framework", "fp16", rows)
    fp32 = capture("framework", "fp32", rows // 2)
    grown = {factor: bf16 if factor == 1 else capture("framework", "bf16", factor * rows)
             for factor in (1, 2, 4)}
    small = capture("framework", "bf16", FEW_ROWS)
    bad = {kind: capture(kind, "bf16", rows) for kind in BAD}

    jobs = {}

    def job(name, command, path, elements):
        jobs[name] = Job(name, command, path, elements)

    def verify(name, path, count, arguments):
        job(name, [normcert, "verify", path, *arguments], path, count * WIDTH)

    def sums(name, path, count):
        job(name, [os.path.join(tools, "sum_mapped"), path, threads], path, count * WIDTH)

    quick = ["--no-hash", *PLAIN]
    verify("bf16", bf16, rows, quick)
    sums("sum bf16", bf16, rows)
    job("read bf16", [os.path.join(tools, "sum_mapped"), bf16, threads, "read"], bf16, rows * WIDTH)
    verify("small", small, FEW_ROWS, quick)
    verify("recipe", bf16, rows, ["--no-hash", *RECIPE])
    verify("hashed", bf16, rows, PLAIN)
    verify("fp16", fp16, rows, quick)
    sums("sum fp16", fp16, rows)
    verify("fp32", fp32, rows // 2, quick)
    sums("sum fp32", fp32, rows // 2)
    for factor in (2, 4):
        verify(f"grown {factor}", grown[factor], factor * rows, quick)
    for kind, path in bad.items():
        verify(kind, path, rows, quick)
    check = ["/usr/bin/python3", os.path.join(os.path.dirname(__file__), "numpy_check.py"), bf16]
    job("numpy", check, bf16, rows * WIDTH)
    job("numpy blocked", [*check, "32"], bf16, rows * WIDTH)

    for turn in range(options.rounds):
        say(f"round {turn + 1} of {options.rounds}")
        for each in jobs.values():
            if len(each.times) < ROUNDS_OF_LONG or each.seconds < LONG:
                each.run(output)
    for each in jobs.values():
        say(f"  {each.name:15} {rate_text(each)}")

    say("start-up, memory, benchmarks")
    job("version", [normcert, "--version"], None, 1)
    job("true", ["/bin/true"], None, 1)
    for _ in range(STARTS):
        jobs["version"].run(output)
        jobs["true"].run(output)
    memory = {factor: own_memory(jobs["bf16" if factor == 1 else f"grown {factor}"].command,
                                 grown[factor], output) for factor in (1, 4)}
    wide = benchmark_rate(os.path.join(tools, "compare_benchmark"), "wide256/bf16/4096")
    emulation = benchmark_rate(os.path.join(tools, "emulation_benchmark"),
                               "hf.llama/bf16/4096/emulate")

    report = Report()

    def against_all(what, name, numpy_limits, wide_limit, sum_limits):
        own = jobs[name]
        report.add(what, rate_text(own), f"NumPy, {jobs['numpy'].seconds:.2f} s",
                   own.rate / jobs["numpy"].rate, *numpy_limits)
        report.add("", "", f"NumPy by 32 rows, {jobs['numpy blocked'].seconds:.2f} s",
                   own.rate / jobs["numpy blocked"].rate)
        report.add("", "", f"256-bit loop, {wide * 1e-6:.3f} M/s", own.rate / wide, wide_limit)
        report.add("", "", f"sum, {jobs['sum bf16'].rate * 1e-9:.3f} G/s",
                   own.rate / jobs["sum bf16"].rate, *sum_limits)

    against_all("bf16, no recipe", "bf16", (60, 100), 2000, (0.4, 0.65))
    against_all("bf16, bits of one recipe", "recipe", (40, 70), 1500, (0.3, 0.5))
    for dtype, limits in (("fp16", (0.3, 0.5)), ("fp32", (0.4, 0.6))):
        report.add(f"{dtype}, no recipe", rate_text(jobs[dtype]),
                   f"sum, {jobs[f'sum {dtype}'].rate * 1e-9:.3f} G/s",
                   jobs[dtype].rate / jobs[f"sum {dtype}"].rate, *limits)
    report.add("bf16, no recipe, with SHA-256", rate_text(jobs["hashed"]),
               f"NumPy, {jobs['numpy'].seconds:.2f} s", jobs["hashed"].rate / jobs["numpy"].rate, 10, 30)
    for kind, meaning in BAD.items():
        report.add(f"bf16, {meaning}", rate_text(jobs[kind]), "bf16, no recipe",
                   jobs[kind].rate / jobs["bf16"].rate, *BAD_LIMITS.get(kind, (0.333, 0.9)))
    for factor in (2, 4):
        report.add(f"bf16, {factor} times the rows", rate_text(jobs[f"grown {factor}"]),
                   "bf16, no recipe", jobs[f"grown {factor}"].rate / jobs["bf16"].rate, 0.9)
    for factor in (1, 4):
        report.add(f"own memory, {factor} times the rows", f"{memory[factor]:.1f} MiB", "",
                   memory[factor], 16, 8, " MiB", less=True)
    report.add("emulation of hf.llama, bf16, width 4096, one core", f"{emulation * 1e-9:.2f} G/s", "",
               emulation * 1e-9, 1, 3, " G/s")
    report.add(f"start-up, `--version`, median of {STARTS}",
               f"{jobs['version'].seconds * 1e3:.2f} ms", f"`true`: {jobs['true'].seconds * 1e3:.2f} ms",
               jobs["version"].seconds * 1e3, 5, 1, " ms", less=True)

    start, fixed, read, whole = (1e3 * jobs[name].seconds
                                 for name in ("true", "small", "read bf16", "bf16"))
    rest = whole - fixed - (read - start)
    each = rest * 1e6 * int(threads) / (rows * WIDTH)

    arguments = "".join(f" {argument}" for argument in sys.argv[3:])
    commit = git_text("describe", "--always", "--dirty")
    version = subprocess.run([normcert, "--version"], check=True, capture_output=True,
                             text=True).stdout.strip().splitlines()[0]
    load_after = os.getloadavg()
    text = f"""# Performance

`scripts/measure-performance{arguments}` wrote this file, {datetime.date.today()}, {version}, commit {commit}.

- Machine: {machine()}. Load average {load_before[0]:.2f} before, {load_after[0]:.2f} after.
- Captures: {rows} x {WIDTH} bf16 and fp16, {rows // 2} x {WIDTH} fp32; x normal, y as `hf.llama` computes it; x and y
  together are {os.path.getsize(bf16) / 2**20:.0f} MiB in each file. Bad captures are bf16 of the same size.
- Times are those of whole processes, from start to exit, report on stdout; the file was read right before, so it was in the
  page cache. Medians of {options.rounds} rounds in which all programs took turns ({ROUNDS_OF_LONG} of what takes more than {LONG} s). G/s: 10^9 outputs in a second.
- *No recipe*: `verify --no-hash {' '.join(PLAIN)}`. *Bits of one recipe*: `verify --no-hash {' '.join(RECIPE)}`.
- *NumPy*: greatest errors and limits in binary64, {numpy.__version__}, a process of its own, the whole file at once (`tests/benchmark/numpy_check.py`).
  *256-bit loop*: the same metrics with Boost's `cpp_bin_float`, one thread, its rate taken from {16384} elements
  (`tests/benchmark/wide_loop.cpp`). *Sum*: the file mapped and summed as 8-byte words on {threads} threads, a process of its own.
- *Ratio*: how many times the rate of what stands under *against*; for memory, start-up and emulation the figure itself.
- *Met*: whether the ratio reaches the goal, at least what it must be, or no limit was set (empty).

| what | measured | against | ratio | must | goal | met |
| --- | --- | --- | --- | --- | --- | --- |
""" + "\n".join(report.lines) + f"""

## What the rest costs

Of the {whole:.1f} ms of *bf16, no recipe*:

- {fixed:.1f} ms are those of a run over {FEW_ROWS} rows, {start:.1f} ms of it the start and end of any process (`true`): options, the
  file's header, the first search for the class of kernels that rounds as the port does, the report.
- {read - start:.1f} ms are reading: the file read into memory by {threads} threads in blocks of 512 KiB and summed there takes {read:.1f} ms
  (`sum_mapped FILE {threads} read`); mapped and summed it takes {1e3 * jobs["sum bf16"].seconds:.1f} ms.
- {rest:.1f} ms are left for computing that reading does not hide, {each:.2f} ns for an output and thread: exact sums of squares, the screen of every element
  in binary32, and double-double arithmetic where the screen does not decide.

Ties are decided by double-double arithmetic, in vectors. Those within 2^-60 pass two of its tests instead of one, since
their errors are nearer to the greatest error than binary64 tells.
"""
    with open(options.report, "w") as file:
        file.write(text)
    say(text)
    say(f"written to {options.report}")


main()
