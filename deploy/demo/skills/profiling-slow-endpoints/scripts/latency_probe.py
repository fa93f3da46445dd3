#!/usr/bin/env python3
"""Send HTTP requests at a fixed rate to one URL and print latency percentiles.

Latency is counted from the moment a request was due, so waiting for a stalled server is included.
Use it on your own systems, and only with agreement on production. A new connection is made for
each request. Exit status: 0 done, 1 some requests failed, 2 wrong use.
"""

import argparse
import collections
import concurrent.futures
import json
import math
import signal
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args, **kwargs):
        return None


def percentile(ordered, percent):
    """Nearest rank, on a sorted list."""
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)]


def send(opener, args, headers, data, due):
    time.sleep(max(0.0, due - time.monotonic()))
    started = time.monotonic()
    size = 0
    try:
        request = urllib.request.Request(args.url, data=data, headers=headers, method=args.method)
        with opener.open(request, timeout=args.timeout) as response:
            size = len(response.read())
            result = str(response.status)
    except urllib.error.HTTPError as error:
        error.close()
        result = str(error.code)
    except Exception as error:  # a refused connection, a timeout, a broken response
        reason = getattr(error, "reason", error)
        result = type(reason).__name__ if isinstance(reason, Exception) else str(reason)
    ended = time.monotonic()
    return result, ended - due, ended - started, size


def summary(values):
    ordered = sorted(values)
    row = {"p%d" % p: round(percentile(ordered, p) * 1000, 1) for p in (50, 90, 95, 99)}
    row["max"] = round(ordered[-1] * 1000, 1)
    return row


def above_zero(text):
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError("%r is not a number above 0" % text)
    return value


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--rate", type=above_zero, default=5, help="requests per second (default 5)")
    parser.add_argument("--duration", type=above_zero, default=10, help="seconds (default 10)")
    parser.add_argument("--timeout", type=above_zero, default=30, help="seconds for one request (default 30)")
    parser.add_argument("--workers", type=int, default=64, help="requests in flight at most (default 64)")
    parser.add_argument("--method", help="HTTP method (default GET, or POST with --data)")
    parser.add_argument("--header", action="append", default=[], metavar="'NAME: VALUE'", help="may be repeated")
    parser.add_argument("--data", help="request body, or @FILE")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    args = parser.parse_args(argv)

    parts = urllib.parse.urlsplit(args.url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        parser.error("the URL must start with http:// or https:// and name a host")
    if args.workers < 1:
        parser.error("--workers must be at least 1")
    total = int(args.rate * args.duration)
    if total < 1:
        parser.error("rate times duration is less than one request")
    headers = {}
    for header in args.header:
        name, colon, value = header.partition(":")
        if not colon or not name.strip():
            parser.error("%r is not a header of the form 'Name: value'" % header)
        headers[name.strip()] = value.strip()
    data = None
    if args.data is not None:
        try:
            if args.data.startswith("@"):
                with open(args.data[1:], "rb") as handle:
                    data = handle.read()
            else:
                data = args.data.encode()
        except OSError as error:
            parser.error("cannot read %s: %s" % (args.data[1:], error.strerror))

    opener = urllib.request.build_opener(NoRedirect)
    start = time.monotonic() + 0.1
    results = []
    with concurrent.futures.ThreadPoolExecutor(max_workers=args.workers) as pool:
        futures = [pool.submit(send, opener, args, headers, data, start + i / args.rate) for i in range(total)]
        try:
            for future in concurrent.futures.as_completed(futures):
                results.append(future.result())
        except KeyboardInterrupt:
            for future in futures:
                future.cancel()
            print("interrupted; showing what there is", file=sys.stderr)
    if not results:
        return 1
    elapsed = max(time.monotonic() - start, len(results) / args.rate)
    statuses = collections.Counter(result[0] for result in results)
    failed = sum(count for status, count in statuses.items() if not (status.isdigit() and int(status) < 400))
    report = {
        "url": args.url,
        "requests": len(results),
        "failed": failed,
        "wanted_rate": args.rate,
        "reached_rate": round(len(results) / elapsed, 2),
        "results": dict(statuses.most_common()),
        "latency_ms": summary([result[1] for result in results]),
        "service_ms": summary([result[2] for result in results]),
        "mean_bytes": round(sum(result[3] for result in results) / len(results)),
    }
    if args.json:
        print(json.dumps(report, indent=2))
    else:
        print("requests: %d (%d failed), %.2f/s reached of %.2f/s wanted" % (
            report["requests"], failed, report["reached_rate"], args.rate))
        print("results:  " + ", ".join("%s: %d" % item for item in statuses.most_common()))
        print("bytes:    %d on average" % report["mean_bytes"])
        print("%-26s %8s %8s %8s %8s %8s" % ("milliseconds", "p50", "p90", "p95", "p99", "max"))
        for label, name in (("latency (from due time)", "latency_ms"), ("service (from send time)", "service_ms")):
            print("%-26s %8.1f %8.1f %8.1f %8.1f %8.1f" % ((label,) + tuple(report[name].values())))
        if len(results) < 1000:
            print("note: p99 of %d requests rests on %d of them" % (len(results), max(1, len(results) // 100)))
    return 1 if failed else 0


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
