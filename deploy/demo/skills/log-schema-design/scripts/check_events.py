#!/usr/bin/env python3
"""Check structured log events (one JSON object a line) against the common fields.

Finds lines that are not JSON objects, missing or badly typed common fields, fields whose type
differs between events, keys that look like values, and names or values that look sensitive.
Values are never printed. Exit status: 0 clean, 1 findings, 2 wrong use or unreadable input.
"""

import argparse
import collections
import json
import re
import signal
import sys

REQUIRED = ["timestamp", "level", "event", "message", "service", "version", "env"]
TEXT = {
    "timestamp": r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3,9}Z",
    "level": r"debug|info|warn|error",
    "event": r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+",
    "message": r"(?s).{0,500}",
    "service": r"[a-z][a-z0-9-]*",
    "version": r".+",
    "env": r".+",
    "trace_id": r"[0-9a-f]{32}",
    "span_id": r"[0-9a-f]{16}",
    "request_id": r"[A-Za-z0-9_-]{8,64}",
    "cause_id": r".{1,64}",
    "tenant_id": r".{1,64}",
    "user_id": r".{1,64}",
}
NUMBERS = {"duration_ms": 0, "sample_rate": 1}
KEY = re.compile(r"[a-z][a-z0-9_]*\Z")
SENSITIVE_KEY = re.compile(
    r"passw(or)?d|passphrase|secret|authorization|cookie|api_?key|private_?key|access_?token|refresh_?token|"
    r"(^|_)(token|pin|cvv|cvc|ssn|iban|e_?mail|phone|birth_?date|card_?number)$", re.I)
SENSITIVE_VALUE = [
    ("an e-mail address", re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+\.[A-Za-z]{2,}")),
    ("a JSON web token", re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.")),
    ("a bearer token", re.compile(r"\bBearer\s+[A-Za-z0-9._~+/-]{12,}", re.I)),
    ("a private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY")),
    ("a cloud access key", re.compile(r"\b(AKIA|ASIA)[0-9A-Z]{16}\b")),
    ("a URL with a password", re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]+@", re.I)),
    ("a URL with a query string", re.compile(r"\bhttps?://[^\s?]+\?[^\s=]+=", re.I)),
]
CARD = re.compile(r"(?<![\dA-Za-z])\d(?:[ -]?\d){12,18}(?![\dA-Za-z])")


def luhn(digits):
    total = 0
    for position, digit in enumerate(reversed(digits)):
        value = int(digit)
        if position % 2:
            value = value * 2 - 9 if value > 4 else value * 2
        total += value
    return total % 10 == 0


def type_name(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    return {str: "string", list: "array", dict: "object"}[type(value)]


class Checker:
    def __init__(self, max_bytes):
        self.max_bytes = max_bytes
        self.findings = collections.OrderedDict()
        self.types = collections.defaultdict(dict)
        self.events = 0

    def add(self, line, text):
        first, count = self.findings.get(text, (line, 0))
        self.findings[text] = (first, count + 1)

    def line(self, number, raw):
        if self.max_bytes and len(raw) > self.max_bytes:
            self.add(number, "line longer than %d bytes" % self.max_bytes)
        try:
            event = json.loads(raw.decode("utf-8"), object_pairs_hook=self.pairs(number))
        except UnicodeDecodeError:
            self.add(number, "not UTF-8")
            return
        except (ValueError, RecursionError):
            self.add(number, "not JSON")
            return
        if not isinstance(event, dict):
            self.add(number, "not a JSON object")
            return
        self.events += 1
        for name in REQUIRED:
            if name not in event:
                self.add(number, "%s is missing" % name)
        for name, pattern in TEXT.items():
            if name in event and not (isinstance(event[name], str) and re.fullmatch(pattern, event[name])):
                self.add(number, "%s has the wrong form" % name)
        for name, low in NUMBERS.items():
            if name in event and not (type_name(event[name]) == "number" and event[name] >= low):
                self.add(number, "%s must be a number, at least %d" % (name, low))
        for name, value in event.items():
            if name not in TEXT and name not in NUMBERS and not isinstance(value, dict):
                self.add(number, "%s is not a common field; put it into an object of its domain" % name[:40])
        self.walk(number, event, "")

    def pairs(self, number):
        def build(pairs):
            result = dict(pairs)
            if len(result) != len(pairs):
                self.add(number, "a key occurs twice in one object")
            return result
        return build

    def walk(self, number, value, path):
        kind = type_name(value)
        if path:
            self.types[path].setdefault(kind, number)
        if kind == "object":
            for name, child in value.items():
                where = "%s.%s" % (path, name[:40]) if path else name[:40]
                if not KEY.match(name):
                    self.add(number, "key %r under %r is not snake_case or looks like a value" % (name[:40], path or "top"))
                    where = "%s.*" % path if path else "*"
                if SENSITIVE_KEY.search(name):
                    self.add(number, "sensitive name: %s" % where)
                self.walk(number, child, where)
        elif kind == "array":
            for child in value:
                self.walk(number, child, path + "[]")
        elif kind == "string":
            for label, pattern in SENSITIVE_VALUE:
                if pattern.search(value):
                    self.add(number, "%s looks like it holds %s" % (path, label))
            for found in CARD.finditer(value):
                if luhn(re.sub(r"\D", "", found.group(0))):
                    self.add(number, "%s looks like it holds a card number" % path)
                    break

    def finish(self):
        for path, kinds in sorted(self.types.items()):
            if path.endswith("*"):
                continue
            real = {kind: line for kind, line in kinds.items() if kind != "null"}
            if "null" in kinds:
                self.add(kinds["null"], "%s is null; leave it out instead" % path)
            if len(real) > 1:
                detail = ", ".join("%s (line %d)" % item for item in sorted(real.items()))
                self.add(min(real.values()), "%s has several types: %s" % (path, detail))


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", help="file with one event a line, or -")
    parser.add_argument("--max-bytes", type=int, default=8192, metavar="N", help="longest line (default 8192, 0: no limit)")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    args = parser.parse_args(argv)
    checker = Checker(args.max_bytes)
    try:
        handle = sys.stdin.buffer if args.file == "-" else open(args.file, "rb")
        with handle:
            for number, raw in enumerate(handle, 1):
                if raw.strip():
                    checker.line(number, raw.rstrip(b"\r\n"))
    except OSError as error:
        print("check_events: cannot read %s: %s" % (args.file, error.strerror), file=sys.stderr)
        return 2
    checker.finish()
    if args.json:
        print(json.dumps({"events": checker.events, "findings": [
            {"text": text, "first_line": line, "count": count} for text, (line, count) in checker.findings.items()]}, indent=2))
    else:
        for text, (line, count) in checker.findings.items():
            print("line %d%s: %s" % (line, " (%d times)" % count if count > 1 else "", text))
        print("%d events, %d different findings" % (checker.events, len(checker.findings)))
    if not checker.events and not checker.findings:
        print("check_events: no events", file=sys.stderr)
        return 1
    return 1 if checker.findings else 0


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
