#!/usr/bin/env python3
"""Describe a CSV file: encoding, delimiter, broken rows, and per column types, gaps and oddities.

The file is read twice, row by row. Exit status: 0 done, 1 the file has no rows, 2 wrong use or
the file cannot be read.
"""

import argparse
import codecs
import collections
import csv
import hashlib
import json
import re
import signal
import sys

BOMS = [(codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")]
DELIMITERS = [",", ";", "\t", "|"]
NULLS = {"na", "n/a", "null", "none", "nil", "nan", "-", "--", "#n/a", "unknown"}
KINDS = [
    ("integer", re.compile(r"[+-]?(0|[1-9]\d*)\Z")),
    ("leading zero", re.compile(r"0\d+\Z")),
    ("decimal", re.compile(r"[+-]?\d+\.\d+\Z")),
    ("decimal comma", re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+\Z")),
    ("thousands comma", re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?\Z")),
    ("exponent", re.compile(r"[+-]?\d+([.,]\d+)?[eE][+-]?\d+\Z")),
    ("iso date", re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?\Z")),
    ("other date", re.compile(r"\d{1,2}([/.-])\d{1,2}\1(\d{4}|\d{2})( \d{1,2}:\d{2}.*)?\Z")),
    ("boolean", re.compile(r"(true|false|yes|no)\Z", re.I)),
]
MOJIBAKE = re.compile("Ã[\u0080-\u00bf]|â€|Â[\u00a0-\u00bf]|\ufffd")
INVISIBLE = re.compile("[\u00a0\u200b\u200c\u200d\u2060\ufeff]")
DISTINCT_LIMIT = 5000


class ProfileError(Exception):
    pass


def detect_encoding(path):
    """Return (encoding, line-end counts, has NUL bytes)."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    utf8, ends, nul, carry = True, collections.Counter(), False, b""
    with open(path, "rb") as handle:
        head = handle.read(4)
        for bom, name in BOMS:
            if head.startswith(bom):
                return name, ends, False
        handle.seek(0)
        while True:
            block = handle.read(1 << 20)
            if not block:
                break
            nul = nul or b"\0" in block
            text = carry + block
            carry = text[-1:] if text.endswith(b"\r") else b""
            text = text[:-1] if carry else text
            crlf = text.count(b"\r\n")
            ends["CRLF"] += crlf
            ends["LF"] += text.count(b"\n") - crlf
            ends["CR"] += text.count(b"\r") - crlf
            if utf8:
                try:
                    decoder.decode(block)
                except UnicodeDecodeError:
                    utf8 = False
    ends["CR"] += 1 if carry else 0
    if utf8:
        try:
            decoder.decode(b"", True)
        except UnicodeDecodeError:
            utf8 = False
    return ("utf-8" if utf8 else "cp1252"), ends, nul


def detect_delimiter(path, encoding):
    """The delimiter that gives the most fields with the most even row length in the first rows."""
    best = (0.0, 0, ",")
    for delimiter in DELIMITERS:
        with open(path, encoding=encoding, errors="replace", newline="") as handle:
            lengths = []
            try:
                for row in csv.reader(handle, delimiter=delimiter):
                    if row:
                        lengths.append(len(row))
                    if len(lengths) >= 200:
                        break
            except csv.Error:
                continue
        if not lengths:
            continue
        length, count = collections.Counter(lengths).most_common(1)[0]
        if length > 1:
            best = max(best, (count / len(lengths), length, delimiter))
    return best[2]


def kind_of(value):
    for name, pattern in KINDS:
        if pattern.match(value):
            return name
    return "text"


class Column:
    def __init__(self, name):
        self.name = name
        self.empty = self.padded = self.nulls = self.mojibake = self.invisible = self.formula = 0
        self.first_over_12 = self.second_over_12 = 0
        self.kinds = collections.Counter()
        self.values = collections.Counter()
        self.many = False
        self.shortest, self.longest = None, 0
        self.low = self.high = None

    def add(self, raw):
        value = raw.strip()
        self.padded += value != raw
        if not value:
            self.empty += 1
            return
        self.nulls += value.lower() in NULLS
        self.mojibake += bool(MOJIBAKE.search(value))
        self.invisible += bool(INVISIBLE.search(value))
        kind = kind_of(value)
        self.kinds[kind] += 1
        self.formula += kind == "text" and value[0] in "=+@" or (kind == "text" and value[0] == "-" and len(value) > 2)
        if kind == "other date":
            first, second = re.split(r"[/.-]", value)[:2]
            self.first_over_12 += int(first) > 12
            self.second_over_12 += int(second) > 12
        if kind in ("integer", "decimal"):
            number = float(value)
            self.low = number if self.low is None else min(self.low, number)
            self.high = number if self.high is None else max(self.high, number)
        self.shortest = len(value) if self.shortest is None else min(self.shortest, len(value))
        self.longest = max(self.longest, len(value))
        if value in self.values or len(self.values) < DISTINCT_LIMIT:
            self.values[value] += 1
        else:
            self.many = True

    def report(self, rows):
        return {
            "name": self.name,
            "empty": self.empty,
            "empty_percent": round(100 * self.empty / rows, 1) if rows else 0,
            "distinct": ("more than %d" % DISTINCT_LIMIT) if self.many else len(self.values),
            "kinds": dict(self.kinds.most_common()),
            "length": [self.shortest or 0, self.longest],
            "range": None if self.low is None else [self.low, self.high],
            "top": [[value[:60], count] for value, count in self.values.most_common(3)],
        }

    def findings(self):
        found = []
        kinds = set(self.kinds)
        numeric = kinds & {"integer", "decimal", "decimal comma", "thousands comma", "exponent"}
        if "leading zero" in kinds:
            found.append("%d values with leading zeros: treat it as text" % self.kinds["leading zero"])
        if "exponent" in kinds:
            found.append("%d values such as 1.2E+11: digits were probably lost in a spreadsheet" % self.kinds["exponent"])
        if "decimal comma" in kinds and kinds & {"decimal", "thousands comma"}:
            found.append("decimal commas and decimal points are mixed")
        if self.kinds["other date"]:
            if self.first_over_12 and self.second_over_12:
                found.append("day-month and month-day dates are mixed")
            elif not self.first_over_12 and not self.second_over_12:
                found.append("the order of day and month cannot be told from the values")
            else:
                found.append("dates are %s first" % ("day" if self.first_over_12 else "month"))
            if self.kinds["iso date"]:
                found.append("ISO dates and other dates are mixed")
        if numeric and self.kinds["text"] and self.kinds["text"] <= 0.05 * sum(self.kinds.values()):
            texts = [value for value in self.values if kind_of(value) == "text"][:3]
            found.append("nearly all numbers, but also text: %s" % ", ".join(repr(text[:30]) for text in texts))
        if self.nulls:
            found.append("%d values that may mean 'no value' (NA, null, - ...)" % self.nulls)
        if self.padded:
            found.append("%d values with spaces around them" % self.padded)
        if self.mojibake:
            found.append("%d values with broken characters (wrong encoding earlier)" % self.mojibake)
        if self.invisible:
            found.append("%d values with invisible or non-breaking characters" % self.invisible)
        if self.formula:
            found.append("%d values that a spreadsheet may run as a formula" % self.formula)
        folded = collections.Counter(value.lower() for value in self.values)
        if not self.many and any(count > 1 for count in folded.values()):
            found.append("values that differ only in upper and lower case")
        return found


def profile(path, encoding, delimiter, header):
    detected, ends, nul = detect_encoding(path)
    encoding = encoding or detected
    delimiter = delimiter or detect_delimiter(path, encoding)
    findings, ragged, columns = [], [], None
    rows = blank = duplicates = multiline = 0
    seen = set()
    csv.field_size_limit(1 << 30)
    try:
        with open(path, encoding=encoding, newline="") as handle:
            reader = csv.reader(handle, delimiter=delimiter)
            previous = 0
            for row in reader:
                start, previous = previous + 1, reader.line_num
                if not row or not any(cell.strip() for cell in row):
                    blank += 1
                    continue
                if columns is None:
                    names = row if header else ["column %d" % (i + 1) for i in range(len(row))]
                    columns = [Column(name.strip()) for name in names]
                    if header:
                        continue
                rows += 1
                if reader.line_num - start > 20:
                    findings.append("line %d: a field spans %d lines; a quote may not be closed" % (
                        start, reader.line_num - start + 1))
                multiline += reader.line_num > start
                if len(row) != len(columns):
                    ragged.append([start, len(row)])
                digest = hashlib.blake2b("\x1f".join(row).encode("utf-8", "surrogatepass"), digest_size=12).digest()
                duplicates += digest in seen
                seen.add(digest)
                for column, cell in zip(columns, row):
                    column.add(cell)
    except UnicodeDecodeError as error:
        raise ProfileError("not valid %s (%s at byte %d of a block); try --encoding" % (encoding, error.reason, error.start))
    except UnicodeError as error:
        raise ProfileError("not valid %s: %s" % (encoding, error))
    except csv.Error as error:
        raise ProfileError("not readable as CSV: %s" % error)

    columns = columns or []
    names = [column.name for column in columns]
    for name, count in collections.Counter(names).items():
        if count > 1:
            findings.append("the column name %r occurs %d times" % (name, count))
    if "" in names:
        findings.append("a column has no name")
    if header and names and all(kind_of(name) not in ("text", "boolean") for name in names):
        findings.append("the first row looks like data; is there a header? (--no-header)")
    if len(columns) == 1 and rows:
        findings.append("only one column; is the delimiter right?")
    if nul:
        findings.append("the file holds NUL bytes (UTF-16 without a byte order mark, or damaged)")
    if encoding == "cp1252" and detected == "cp1252":
        findings.append("not UTF-8; cp1252 is a guess, check words with accents")
    if sum(1 for count in ends.values() if count) > 1:
        findings.append("mixed line ends: %s" % ", ".join("%s %d" % item for item in ends.items() if item[1]))
    if ragged:
        shown = ", ".join("line %d has %d" % tuple(item) for item in ragged[:5])
        findings.append("%d rows do not have %d fields: %s%s" % (
            len(ragged), len(columns), shown, ", ..." if len(ragged) > 5 else ""))
    if duplicates:
        findings.append("%d rows are exact duplicates of earlier ones" % duplicates)
    for column in columns:
        findings += ["column %r: %s" % (column.name, text) for text in column.findings()]
    return {
        "file": path, "encoding": encoding, "delimiter": delimiter, "rows": rows, "blank_rows": blank,
        "rows_with_line_breaks": multiline, "wrong_length": len(ragged), "duplicates": duplicates,
        "columns": [column.report(rows) for column in columns], "findings": findings,
    }


def show(report):
    print("file:       %(file)s\nencoding:   %(encoding)s" % report)
    print("delimiter:  %r" % report["delimiter"])
    print("rows:       %(rows)d (blank %(blank_rows)d, wrong length %(wrong_length)d, duplicates %(duplicates)d, "
          "with line breaks %(rows_with_line_breaks)d)" % report)
    for column in report["columns"]:
        print("\n%s" % (column["name"] or "(no name)"))
        print("  empty %s %%, distinct %s, length %d to %d" % (
            column["empty_percent"], column["distinct"], column["length"][0], column["length"][1]))
        print("  kinds: %s" % (", ".join("%s %d" % item for item in column["kinds"].items()) or "none"))
        if column["range"]:
            print("  range: %g to %g" % tuple(column["range"]))
        print("  top:   %s" % ", ".join("%r %d" % tuple(item) for item in column["top"]))
    print("\nFindings (%d)" % len(report["findings"]))
    for text in report["findings"]:
        print("- " + text)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--encoding", help="default: detected (UTF-8, else cp1252)")
    parser.add_argument("--delimiter", help=r"default: detected; '\t' for a tab")
    parser.add_argument("--no-header", action="store_true", help="the first row is data")
    parser.add_argument("--json", action="store_true", help="print the profile as JSON")
    args = parser.parse_args(argv)
    delimiter = "\t" if args.delimiter in ("\\t", "tab") else args.delimiter
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        parser.error("--delimiter must be one character, not a quote or a line break")
    if args.encoding:
        try:
            codecs.lookup(args.encoding)
        except LookupError:
            parser.error("unknown encoding %r" % args.encoding)
    try:
        report = profile(args.file, args.encoding, delimiter, not args.no_header)
    except OSError as error:
        print("csv_profile: cannot read %s: %s" % (args.file, error.strerror), file=sys.stderr)
        return 2
    except ProfileError as error:
        print("csv_profile: %s: %s" % (args.file, error), file=sys.stderr)
        return 2
    if args.json:
        print(json.dumps(report, indent=2, ensure_ascii=False))
    else:
        show(report)
    return 0 if report["rows"] else 1


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
