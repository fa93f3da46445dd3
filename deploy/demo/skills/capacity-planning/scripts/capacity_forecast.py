#!/usr/bin/env python3
"""Forecast when a growing measure reaches its limit.

FILE is a CSV with a header, a date column and a value column, or - for standard input. The highest
value of each day is used. A robust line (Theil-Sen) is fitted to all days and to the newest half,
and compound growth to all days; the earliest date is the one to plan with. Exit status: 0 enough
time, 1 the safe limit is reached within the lead time, 2 wrong use or unusable data.
"""

import argparse
import csv
import datetime
import json
import math
import re
import signal
import statistics
import sys

HORIZON = 3650
MAX_POINTS = 1500


class DataError(Exception):
    pass


def read(handle, date_column, value_column, since):
    reader = csv.DictReader(handle)
    names = reader.fieldnames or []
    if len(names) < 2:
        raise DataError("a header with at least two columns is needed")
    date_column = date_column or names[0]
    value_column = value_column or [name for name in names if name != date_column][0]
    for name in (date_column, value_column):
        if name not in names:
            raise DataError("no column %r (there are: %s)" % (name, ", ".join(map(repr, names))))
    days = {}
    for row in reader:
        line = reader.line_num
        text, raw = (row[date_column] or "").strip(), (row[value_column] or "").strip()
        if not text and not raw:
            continue
        try:
            if not re.fullmatch(r"\d{4}-\d{2}-\d{2}([T ].*)?", text):
                raise ValueError
            day = datetime.date.fromisoformat(text[:10])
        except ValueError:
            raise DataError("line %d: %r is not a date of the form YYYY-MM-DD" % (line, text))
        try:
            value = float(raw)
            if not math.isfinite(value):
                raise ValueError
        except ValueError:
            raise DataError("line %d: %r is not a number" % (line, raw))
        if since is None or day >= since:
            days[day] = max(value, days.get(day, value))
    if len(days) < 7:
        raise DataError("%d days of data; at least 7 are needed" % len(days))
    return sorted(days.items()), value_column


def theil_sen(points):
    """Return (slope, intercept) of the line through the median of all pairwise slopes."""
    if len(points) > MAX_POINTS:
        step = len(points) / MAX_POINTS
        points = [points[int(i * step)] for i in range(MAX_POINTS)]
    slopes = [(y2 - y1) / (x2 - x1) for i, (x1, y1) in enumerate(points) for x2, y2 in points[i + 1:]]
    slope = statistics.median(slopes)
    return slope, statistics.median(y - slope * x for x, y in points)


def days_until(value_at, start, target):
    """First whole day from start on at which value_at reaches target, or None within the horizon."""
    if value_at(start) >= target:
        return 0
    if value_at(start + HORIZON) < target:
        return None
    low, high = 0, HORIZON
    while high - low > 1:
        middle = (low + high) // 2
        if value_at(start + middle) >= target:
            high = middle
        else:
            low = middle
    return high


def models(points):
    found = []
    slope, base = theil_sen(points)
    found.append(("line, all days", "%+.3g a day" % slope, lambda x, s=slope, b=base: s * x + b))
    half = points[len(points) // 2:]
    if len(half) >= 7:
        slope, base = theil_sen(half)
        found.append(("line, newest half", "%+.3g a day" % slope, lambda x, s=slope, b=base: s * x + b))
    if all(y > 0 for _, y in points):
        rate, base = theil_sen([(x, math.log(y)) for x, y in points])
        growth = math.expm1(min(rate * 30, 50)) * 100

        def compound(x, r=rate, b=base):
            return math.exp(min(r * x + b, 700))
        found.append(("compound growth", "%+.1f %% in 30 days" % growth, compound))
    return found


def iso_day(text):
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError("%r is not a date of the form YYYY-MM-DD" % text)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--limit", type=float, required=True, help="the hard limit, in the unit of the values")
    parser.add_argument("--safe-share", type=float, default=0.8, metavar="SHARE", help="share of the limit to stay under (default 0.8)")
    parser.add_argument("--lead-days", type=int, default=30, metavar="DAYS", help="how long it takes to get more (default 30)")
    parser.add_argument("--date-column", metavar="NAME", help="default: the first column")
    parser.add_argument("--value-column", metavar="NAME", help="default: the next column")
    parser.add_argument("--since", type=iso_day, metavar="DATE", help="leave out earlier days (before a step)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    args = parser.parse_args(argv)
    if not (args.limit > 0 and math.isfinite(args.limit)):
        parser.error("--limit must be above 0")
    if not 0 < args.safe_share <= 1:
        parser.error("--safe-share must be above 0 and at most 1")
    if args.lead_days < 0:
        parser.error("--lead-days must not be negative")

    try:
        if args.file == "-":
            data, column = read(sys.stdin, args.date_column, args.value_column, args.since)
        else:
            with open(args.file, encoding="utf-8-sig", newline="") as handle:
                data, column = read(handle, args.date_column, args.value_column, args.since)
    except (OSError, UnicodeDecodeError, csv.Error, DataError) as error:
        print("capacity_forecast: %s: %s" % (args.file, error), file=sys.stderr)
        return 2

    first, last = data[0][0], data[-1][0]
    points = [((day - first).days, value) for day, value in data]
    end, span = points[-1][0], points[-1][0]
    safe = args.limit * args.safe_share
    rows = []
    for name, growth, value_at in models(points):
        row = {"model": name, "growth": growth}
        for label, target in (("safe", safe), ("hard", args.limit)):
            days = days_until(value_at, end, target)
            row[label + "_days"] = days
            row[label + "_date"] = None if days is None else (last + datetime.timedelta(days=days)).isoformat()
        rows.append(row)
    reached = [row["safe_days"] for row in rows if row["safe_days"] is not None]
    if points[-1][1] >= safe:
        reached.append(0)
    earliest = min(reached) if reached else None
    result = {
        "value": column, "days": len(data), "from": first.isoformat(), "to": last.isoformat(),
        "latest": points[-1][1], "highest": max(value for _, value in data),
        "safe_limit": safe, "hard_limit": args.limit, "forecasts": rows,
        "earliest_safe_days": earliest,
        "earliest_safe_date": None if earliest is None else (last + datetime.timedelta(days=earliest)).isoformat(),
        "start_by": None if earliest is None else (last + datetime.timedelta(days=earliest - args.lead_days)).isoformat(),
        "act_now": earliest is not None and earliest <= args.lead_days,
        "beyond_data": earliest is not None and earliest > span / 2,
    }
    if args.json:
        print(json.dumps(result, indent=2))
    else:
        print("%s: %d days, %s to %s, latest %g (%.0f %% of the limit)" % (
            column, len(data), first, last, points[-1][1], 100 * points[-1][1] / args.limit))
        print("%-20s %-22s %-22s %s" % ("model", "growth", "safe limit %g" % safe, "hard limit %g" % args.limit))
        for row in rows:
            cells = ["not in 10 years" if row[key + "_days"] is None else "%s (%d d)" % (row[key + "_date"], row[key + "_days"])
                     for key in ("safe", "hard")]
            print("%-20s %-22s %-22s %s" % (row["model"], row["growth"], cells[0], cells[1]))
        if earliest is None:
            print("the safe limit is not reached within 10 years")
        else:
            print("plan with %s; start by %s (lead time %d days)%s" % (
                result["earliest_safe_date"], result["start_by"], args.lead_days, ": ACT NOW" if result["act_now"] else ""))
        if result["beyond_data"]:
            print("note: that is further ahead than half of the time there is data for; look again soon")
    return 1 if result["act_now"] else 0


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
