#!/usr/bin/env python3
"""Run a command many times and report how often it fails, and in how many different ways.

Example: repeat_run.py --runs 100 --jobs 4 -- pytest -k test_cart -q

{run} in the command is replaced by the number of the run, also set as REPEAT_RUN in its
environment. Exit status: 0 every run passed, 1 some failed, 2 wrong use, 130 interrupted.
"""

import argparse
import collections
import concurrent.futures
import math
import os
import re
import signal
import subprocess
import sys
import threading
import time

stop = threading.Event()


def wilson(failures, runs):
    """95 % interval of the true failure rate."""
    z = 1.959964
    rate = failures / runs
    centre = rate + z * z / (2 * runs)
    spread = z * math.sqrt(rate * (1 - rate) / runs + z * z / (4 * runs * runs))
    scale = 1 + z * z / runs
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def signature(output, code):
    """The last lines without numbers, so that equal failures fall into one group."""
    lines = [line.strip() for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
    tail = " | ".join(lines[-3:]) or "no output"
    tail = re.sub(r"0x[0-9a-fA-F]+|\d+(?:\.\d+)?", "N", tail)
    return "exit %s: %s" % (code, tail[:300])


def run_once(number, command, timeout):
    if stop.is_set():
        return None
    argv = [part.replace("{run}", str(number)) for part in command]
    env = dict(os.environ, REPEAT_RUN=str(number))
    started = time.monotonic()
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, env=env, start_new_session=True)
    code = None
    deadline = started + timeout if timeout else None
    while True:
        try:
            output, _ = process.communicate(timeout=0.2)
            code = process.returncode if code is None else code
            break
        except subprocess.TimeoutExpired:
            late = deadline is not None and time.monotonic() > deadline
            if late or stop.is_set():
                code = "timeout" if late else "stopped"
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
    return number, code, output, time.monotonic() - started


def positive(text):
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError("%r is not a whole number above 0" % text)
    return value


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=positive, default=20, help="how many runs (default 20)")
    parser.add_argument("--jobs", type=positive, default=1, help="runs at the same time (default 1)")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="kill a run after this time; it counts as failed")
    parser.add_argument("--until-fail", action="store_true", help="stop at the first failure")
    parser.add_argument("--log-dir", metavar="DIR", help="keep the output of each failed run here")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND ...")
    args = parser.parse_args(argv)

    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    if not command:
        parser.error("no command given; put it after --")
    if args.timeout is not None and not args.timeout > 0:
        parser.error("--timeout must be above 0")
    if args.log_dir:
        try:
            os.makedirs(args.log_dir, exist_ok=True)
        except OSError as error:
            parser.error("cannot make %s: %s" % (args.log_dir, error))

    interrupted = threading.Event()

    def interrupt(signum, frame):
        interrupted.set()
        stop.set()

    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    groups = collections.defaultdict(list)
    durations, failures, done = [], 0, 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=args.jobs) as pool:
        futures = [pool.submit(run_once, number, command, args.timeout) for number in range(1, args.runs + 1)]
        try:
            for future in concurrent.futures.as_completed(futures):
                result = future.result()
                if result is None or result[1] == "stopped":
                    continue
                number, code, output, seconds = result
                done += 1
                durations.append(seconds)
                if code != 0:
                    failures += 1
                    groups[signature(output, code)].append(number)
                    if args.log_dir:
                        with open(os.path.join(args.log_dir, "run-%04d.log" % number), "wb") as handle:
                            handle.write(output)
                    if args.until_fail:
                        stop.set()
                if sys.stderr.isatty():
                    print("\r%d of %d, %d failed" % (done, args.runs, failures), end="", file=sys.stderr)
        except OSError as error:
            stop.set()
            print("repeat_run: cannot run %s: %s" % (command[0], error), file=sys.stderr)
            return 2
        finally:
            if sys.stderr.isatty():
                print(file=sys.stderr)

    if not done:
        print("repeat_run: no run finished", file=sys.stderr)
        return 130 if interrupted.is_set() else 2
    low, high = wilson(failures, done)
    durations.sort()
    print("runs:     %d" % done)
    print("failed:   %d (%.1f %%, 95 %% interval %.1f to %.1f %%)" % (failures, 100 * failures / done, 100 * low, 100 * high))
    print("duration: median %.2f s, longest %.2f s" % (durations[len(durations) // 2], durations[-1]))
    for text, numbers in sorted(groups.items(), key=lambda item: -len(item[1])):
        shown = ", ".join(str(number) for number in sorted(numbers)[:10])
        print("\n%d times (runs %s%s)\n  %s" % (len(numbers), shown, ", ..." if len(numbers) > 10 else "", text))
    if failures and not args.until_fail:
        print("\nAfter a fix, about %d clean runs are needed to be 95 %% sure." % math.ceil(3 * done / failures))
    return 130 if interrupted.is_set() else 1 if failures else 0


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
