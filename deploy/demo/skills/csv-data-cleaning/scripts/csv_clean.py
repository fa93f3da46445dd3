#!/usr/bin/env python3
"""Clean a CSV file by explicit rules and list every row that was rejected.

The output is UTF-8, comma separated, with LF line ends. Values are trimmed, blank rows and exact
duplicates are left out and counted. Nothing is guessed: say the encoding and the delimiter if they
are not UTF-8 and comma. Exit status: 0 all rows were written, 1 some were rejected, 2 wrong use or
the file cannot be read.
"""

import argparse
import codecs
import csv
import datetime
import hashlib
import os
import re
import signal
import sys

NUMBER = re.compile(r"[+-]?\d{1,3}(?:[. \u00a0\u202f']\d{3})+(?:,\d+)?\Z|[+-]?\d+(?:,\d+)?\Z")
SPACES = " \t\r\n\u00a0\u200b\u2060\ufeff"


class Rejected(Exception):
    pass


class CleanError(Exception):
    pass


def convert_date(value, formats):
    for pattern in formats:
        try:
            moment = datetime.datetime.strptime(value, pattern)
        except ValueError:
            continue
        has_time = any(code in pattern for code in ("%H", "%I", "%M", "%S", "%T", "%X", "%c"))
        return moment.isoformat() if has_time else moment.date().isoformat()
    raise Rejected("date %r does not fit %s" % (value, " or ".join(formats)))


def convert_decimal(value):
    if not NUMBER.match(value):
        raise Rejected("number %r does not fit 1.234,56" % value)
    return re.sub(r"[. \u00a0\u202f']", "", value).replace(",", ".")


def clean_row(row, names, rules):
    if len(row) != len(names):
        raise Rejected("%d fields instead of %d" % (len(row), len(names)))
    values = []
    for name, raw in zip(names, row):
        value = raw.strip(SPACES)
        if value in rules["null"]:
            value = ""
        try:
            if value and name in rules["date"]:
                value = convert_date(value, rules["date"][name])
            if value and name in rules["decimal"]:
                value = convert_decimal(value)
        except Rejected as error:
            raise Rejected("column %r: %s" % (name, error))
        if not value and name in rules["required"]:
            raise Rejected("column %r: empty" % name)
        values.append(value)
    return values


def clean(args, rules, source, target, rejects):
    reader = csv.reader(source, delimiter=args.delimiter, strict=True)
    writer = csv.writer(target, lineterminator="\n")
    refuse = csv.writer(rejects, lineterminator="\n")
    names = [name.strip(SPACES) for name in next(reader, [])]
    if not any(names):
        raise CleanError("the first row (header) is empty")
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise CleanError("column names are not unique: %s" % ", ".join(map(repr, doubled)))
    wanted = set(rules["date"]) | rules["decimal"] | rules["required"] | set(rules["unique"])
    unknown = sorted(wanted - set(names))
    if unknown:
        raise CleanError("no such column: %s (there are: %s)" % (", ".join(map(repr, unknown)), ", ".join(map(repr, names))))

    writer.writerow(names)
    refuse.writerow(["source_line", "reason"] + names)
    count = {"read": 0, "written": 0, "rejected": 0, "blank": 0, "duplicates": 0}
    rows, keys = set(), {}
    key_columns = [names.index(name) for name in rules["unique"]]
    previous = reader.line_num
    for row in reader:
        line, previous = previous + 1, reader.line_num
        count["read"] += 1
        if not any(cell.strip(SPACES) for cell in row):
            count["blank"] += 1
            continue
        try:
            values = clean_row(row, names, rules)
            digest = hashlib.blake2b("\x1f".join(values).encode(), digest_size=16).digest()
            if digest in rows:
                count["duplicates"] += 1
                continue
            if key_columns:
                key = hashlib.blake2b("\x1f".join(values[i] for i in key_columns).encode(), digest_size=16).digest()
                if key in keys:
                    raise Rejected("same %s as line %d, other content" % (", ".join(rules["unique"]), keys[key]))
                keys[key] = line
            rows.add(digest)
            writer.writerow(values)
            count["written"] += 1
        except Rejected as error:
            refuse.writerow([line, str(error)] + row)
            count["rejected"] += 1
    if count["read"] != count["written"] + count["rejected"] + count["blank"] + count["duplicates"]:
        raise CleanError("the counts do not add up: %s" % count)
    return count


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--output", required=True, metavar="FILE", help="cleaned rows")
    parser.add_argument("--rejects", required=True, metavar="FILE", help="rejected rows, with line and reason")
    parser.add_argument("--encoding", default="utf-8-sig", help="encoding of the input (default utf-8-sig)")
    parser.add_argument("--delimiter", default=",", help=r"of the input (default comma; '\t' for a tab)")
    parser.add_argument("--null", action="append", default=[], metavar="TEXT", help="write this value as empty; may be repeated")
    parser.add_argument("--date", action="append", default=[], metavar="COLUMN=FORMAT",
                        help="strptime format of a date column; several for one column are tried in order")
    parser.add_argument("--decimal-comma", action="append", default=[], metavar="COLUMN", help="numbers such as 1.234,56")
    parser.add_argument("--required", action="append", default=[], metavar="COLUMN", help="reject rows where it is empty")
    parser.add_argument("--unique", action="append", default=[], metavar="COLUMN",
                        help="reject later rows with the same value; several make one combined key")
    args = parser.parse_args(argv)

    args.delimiter = "\t" if args.delimiter in ("\\t", "tab") else args.delimiter
    if len(args.delimiter) != 1 or args.delimiter in '"\r\n':
        parser.error("--delimiter must be one character, not a quote or a line break")
    try:
        codecs.lookup(args.encoding)
    except LookupError:
        parser.error("unknown encoding %r" % args.encoding)
    dates = {}
    for item in args.date:
        column, equals, pattern = item.partition("=")
        if not equals or "%" not in pattern:
            parser.error("--date needs COLUMN=FORMAT, for example signup=%%d/%%m/%%Y, not %r" % item)
        dates.setdefault(column, []).append(pattern)
    paths = [os.path.realpath(path) for path in (args.file, args.output, args.rejects)]
    if len(set(paths)) != 3:
        parser.error("input, --output and --rejects must be three different files")
    rules = {"null": set(args.null), "date": dates, "decimal": set(args.decimal_comma),
             "required": set(args.required), "unique": args.unique}

    csv.field_size_limit(1 << 30)
    partial = [args.output + ".partial", args.rejects + ".partial"]
    try:
        with open(args.file, encoding=args.encoding, newline="") as source, \
                open(partial[0], "w", encoding="utf-8", newline="") as target, \
                open(partial[1], "w", encoding="utf-8", newline="") as rejects:
            count = clean(args, rules, source, target, rejects)
        os.replace(partial[0], args.output)
        os.replace(partial[1], args.rejects)
    except (OSError, UnicodeError, csv.Error, CleanError) as error:
        if isinstance(error, UnicodeError):
            error = "not valid %s, say the right --encoding (%s)" % (args.encoding, error)
        print("csv_clean: %s: %s" % (args.file, error), file=sys.stderr)
        for path in partial:
            if os.path.exists(path):
                os.remove(path)
        return 2
    print(", ".join("%s %d" % item for item in count.items()))
    return 1 if count["rejected"] else 0


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
