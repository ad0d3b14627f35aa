#!/usr/bin/python3
"""Updates per second of ours and of PyTorch at Point size, side by side.

usage: compare.py BUILD_DIRECTORY

PyTorch is given its best: every BLAS that Debian has installed, one network at a time or stacked,
Adam one tensor at a time or by lists, torch.compile where there is one, threads bound or not, and
any number of threads up to ours, whichever is fastest (what does not run is passed over); its
update is checked against a recording first. Then both run as processes of their own on the same
processors, and rounds take turns.
"""
import glob
import os
import signal
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDING = os.path.join(HERE, "../../tests/recorded/oe_wac_1d.safetensors")
ALGORITHMS = ["sac", "oe-wac", "me-wac"]
ROUNDS = 9
SECONDS = 0.3


class Worker:
    """A program that times a round for each line that it gets, and stands still in between: threads
    that wait by spinning would take the processors from the other."""

    def __init__(self, command, processors, environment=None, quiet=False):
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if quiet else None,
            env={**os.environ, **(environment or {})},
            text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, processors),
        )
        words = self.process.stdout.readline().split()
        if words[:1] != ["ready"]:
            self.end()
            raise RuntimeError(f"{' '.join(command)} does not start")
        self.process.send_signal(signal.SIGSTOP)

    def round(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        rate = float(self.process.stdout.readline())
        self.process.send_signal(signal.SIGSTOP)
        return rate

    def end(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.close()
        self.process.wait()


def beside_authors(script, algorithm, answer, rounds=9, seconds=3.0, network="plain"):
    """Our algorithm at sizes of HalfCheetah beside its authors' program, one thread each, on the same
    processor, rounds in turns: `script BUILD FOLDER_OF_THEIRS`. Theirs is the same script, which then
    says `answer(FOLDER)`: a function that does some updates and tells how many."""
    if len(sys.argv) != 3:
        sys.exit(sys.modules["__main__"].__doc__)
    build, folder = sys.argv[1:]
    if build == "--answer":
        update = answer(folder)
        print("ready", flush=True)
        for _ in sys.stdin:
            count, start, spent = 0, time.monotonic(), 0.0
            while spent < seconds:
                count, spent = count + update(), time.monotonic() - start
            print(count / spent, flush=True)
        return
    processors = {min(os.sched_getaffinity(0))}
    program = os.path.join(build, "bench_update_rounds")
    ours = Worker([program, algorithm, "1", str(seconds), "halfcheetah", network], processors)
    theirs = Worker([sys.executable, os.path.abspath(script), "--answer", folder], processors,
                    {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"})
    rates = [(ours.round(), theirs.round()) for _ in range(rounds)]
    ours.end()
    theirs.end()
    ratios = [mine / its for mine, its in rates]
    low, high = quartiles(ratios)
    mine, its = (statistics.median(column) for column in zip(*rates))
    print(f"ours {mine:.1f} updates/s, theirs {its:.1f}, ratio {statistics.median(ratios):.2f} "
          f"({low:.2f} to {high:.2f})")


class Settings:
    """How PyTorch is run."""

    def __init__(self, blas=None, flags=(), environment=None, threads=1):
        self.blas, self.flags, self.threads = blas, list(flags), threads
        self.environment = environment or {}

    def start(self, algorithm, processors, quiet=False):
        environment = dict(self.environment, OMP_NUM_THREADS=str(self.threads))
        environment["OPENBLAS_NUM_THREADS"] = environment["BLIS_NUM_THREADS"] = str(self.threads)
        if self.blas:
            environment["LD_LIBRARY_PATH"] = self.blas
        program = os.path.join(HERE, "torch_updates.py")
        command = ["/usr/bin/python3", program, algorithm, "--threads", str(self.threads)]
        command += ["--seconds", str(SECONDS), "--check", RECORDING, *self.flags]
        return Worker(command, processors, environment, quiet)

    def speed(self, algorithm, processors):
        """Best of three rounds; 0 where it does not run."""
        try:
            worker = self.start(algorithm, processors, quiet=True)
            speed = max(worker.round() for _ in range(3))
            worker.end()
            return speed
        except (RuntimeError, ValueError, OSError):
            return 0.0

    def __str__(self):
        blas = os.path.basename(self.blas) if self.blas else "its own BLAS"
        words = [f"{self.threads} thread" + "s" * (self.threads > 1), blas]
        words += [flag.lstrip("-") for flag in self.flags]
        words += [f"{name}={value}" for name, value in self.environment.items()]
        return ", ".join(words)


def fastest(candidates, algorithm, processors):
    speeds = [(settings.speed(algorithm, processors), settings) for settings in candidates]
    speed, settings = max(speeds, key=lambda pair: pair[0])
    if speed == 0:
        sys.exit("PyTorch is installed, but its update does not run or misses the recording")
    return settings


def choose_blas(processors):
    """The fastest BLAS and number of threads."""
    folders = sorted(os.path.dirname(path) for path in glob.glob("/usr/lib/*/*/libblas.so.3"))
    candidates = [
        Settings(blas, ["--foreach"], threads=threads)
        for blas in [None, *folders]
        for threads in range(1, len(processors) + 1)
    ]
    return fastest(candidates, "oe-wac", processors)


def tune(start, algorithm, processors):
    """The fastest way to run an algorithm, one choice after the other."""
    flags = [["--foreach"], [], ["--stacked"], ["--stacked", "--foreach"]]
    flags += [["--foreach", "--compile"], ["--stacked", "--foreach", "--compile"]]
    candidates = [Settings(start.blas, each, threads=start.threads) for each in flags]
    best = fastest(candidates, algorithm, processors)
    if start.threads == 1:
        return best
    candidates = [
        Settings(best.blas, best.flags, environment, best.threads)
        for environment in [{}, {"OMP_PROC_BIND": "true"}, {"OMP_WAIT_POLICY": "active"}]
    ]
    return fastest(candidates, algorithm, processors)


def quartiles(values):
    values = sorted(values)
    return values[len(values) // 4], values[-1 - len(values) // 4]


def compare(program, algorithm, processors, start):
    threads = len(processors)
    settings = tune(start, algorithm, processors)
    ours = Worker([program, algorithm, str(threads), str(SECONDS)], processors)
    torch = settings.start(algorithm, processors)
    rates = [(ours.round(), torch.round()) for _ in range(ROUNDS)]
    ours.end()
    torch.end()
    our_rate = statistics.median(rate for rate, _ in rates)
    torch_rate = statistics.median(rate for _, rate in rates)
    ratios = [mine / its for mine, its in rates]
    low, high = quartiles(ratios)
    print(
        f"{algorithm:9}  {threads:7}  {our_rate:9.1f}  {torch_rate:9.1f}  "
        f"{statistics.median(ratios):5.2f} ({low:.2f} to {high:.2f})  {settings}",
        flush=True,
    )


def main():
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    program = os.path.join(sys.argv[1], "bench_update_rounds")
    if not os.path.exists(program):
        sys.exit(f"{program} is not there: build first (make build), then name its folder")
    asked = ["/usr/bin/python3", "-c", "import torch; print(torch.__version__)"]
    answer = subprocess.run(asked, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if answer.returncode:
        print("skipped: no PyTorch to compare with; Debian has it as python3-torch")
        return
    print(f"updates per second at Point size, ours and PyTorch {answer.stdout.strip()}, in turns")
    print("algorithm  threads       ours    PyTorch  ratio (quartiles)    PyTorch's best settings")
    allowed = sorted(os.sched_getaffinity(0))
    for count in sorted({1, len(allowed)}):
        processors = set(allowed[:count])
        start = choose_blas(processors)
        for algorithm in ALGORITHMS:
            compare(program, algorithm, processors, start)


if __name__ == "__main__":
    main()
