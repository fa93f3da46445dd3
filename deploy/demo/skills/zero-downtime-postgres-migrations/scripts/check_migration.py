#!/usr/bin/env python3
"""Flag statements in a PostgreSQL migration that are unsafe on a large or busy table.

Reads SQL text only: no database connection, no packages. Bodies of functions and DO blocks are
not examined. To accept a finding, put a comment above the statement:

    -- lint-ignore: rule-id, other-rule-id   reason
"""

import argparse
import json
import re
import signal
import sys

IDENT = r'(?:"[^"]+"|[A-Za-z_][\w$]*)'
NAME = r"{0}(?:\.{0})*".format(IDENT)
IGNORE = re.compile(r"--\s*lint-ignore:\s*([a-z-]+(?:\s*,\s*[a-z-]+)*)")
DOLLAR_TAG = re.compile(r"\$(?:[A-Za-z_]\w*)?\$")
VOLATILE = re.compile(
    r"\b(gen_random_uuid|uuidv4|uuidv7|uuid_generate_v\w+|random|clock_timestamp|timeofday|nextval)\s*\(",
    re.I,
)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def sanitise(sql):
    """Blank out comments, string contents and dollar-quoted bodies, keeping every offset."""
    out, i, n = [], 0, len(sql)
    while i < n:
        two = sql[i:i + 2]
        ch = sql[i]
        if two == "--":
            j = sql.find("\n", i)
            j = n if j < 0 else j
            out.append(blank(sql[i:j]))
        elif two == "/*":
            depth, j = 1, i + 2
            while j < n and depth:
                if sql[j:j + 2] == "/*":
                    depth, j = depth + 1, j + 2
                elif sql[j:j + 2] == "*/":
                    depth, j = depth - 1, j + 2
                else:
                    j += 1
            out.append(blank(sql[i:j]))
        elif ch == "'":
            escapes = i > 0 and sql[i - 1] in "eE" and (i < 2 or not re.match(r"[\w$]", sql[i - 2]))
            j = i + 1
            while j < n:
                if escapes and sql[j] == "\\":
                    j += 2
                elif sql[j:j + 2] == "''":
                    j += 2
                elif sql[j] == "'":
                    break
                else:
                    j += 1
            j = min(j + 1, n)
            out.append("'" + blank(sql[i + 1:j - 1]) + "'" if j - i >= 2 else "'")
        elif ch == '"':
            j = sql.find('"', i + 1)
            j = n if j < 0 else j + 1
            out.append(sql[i:j].replace(";", "_").replace(",", "_"))
        elif ch == "$" and DOLLAR_TAG.match(sql, i) and not (i and re.match(r"\w", sql[i - 1])):
            tag = DOLLAR_TAG.match(sql, i).group(0)
            j = sql.find(tag, i + len(tag))
            j = n if j < 0 else j + len(tag)
            out.append(blank(sql[i:j]))
        else:
            j = i + 1
            out.append(ch)
        i = j
    return "".join(out)


def statements(sql):
    """Yield (line, normalised text, ignored rule ids) for each statement."""
    clean = sanitise(sql)
    start = 0
    for end in [m.start() for m in re.finditer(";", clean)] + [len(clean)]:
        body = clean[start:end]
        text = " ".join(body.split())
        if text:
            first = start + len(body) - len(body.lstrip())
            ignored = set()
            for found in IGNORE.finditer(sql[start:end]):
                ignored.update(part.strip() for part in found.group(1).split(","))
            yield clean.count("\n", 0, first) + 1, text, ignored
        start = end + 1


def split_actions(text):
    parts, depth, current = [], 0, []
    for ch in text:
        if ch == "(":
            depth += 1
        elif ch == ")":
            depth -= 1
        if ch == "," and depth == 0:
            parts.append("".join(current).strip())
            current = []
        else:
            current.append(ch)
    parts.append("".join(current).strip())
    return [part for part in parts if part]


def key(name):
    return name.split(".")[-1].strip('"').lower()


def has(pattern, text):
    return re.search(pattern, text, re.I) is not None


class Linter:
    def __init__(self, path, transactional):
        self.path = path
        self.transactional = transactional
        self.in_transaction = transactional
        self.new_tables = set()
        self.validated = set()
        self.not_valid_in_transaction = set()
        self.lock_timeout = False
        self.timeout_reported = False
        self.findings = []

    def add(self, level, rule, message):
        if rule not in self.ignored:
            self.findings.append({"file": self.path, "line": self.line, "level": level,
                                  "rule": rule, "message": message})

    def run(self, sql):
        for self.line, text, self.ignored in statements(sql):
            self.check(text)
        return self.findings

    def needs_lock_timeout(self):
        """Report a missing lock_timeout once per file, at the first statement that needs it."""
        if not self.lock_timeout and not self.timeout_reported:
            self.timeout_reported = "missing-lock-timeout" not in self.ignored
            self.add("error", "missing-lock-timeout",
                     "set lock_timeout before this statement, so that it cannot queue for long")

    def check(self, text):
        if has(r"^(BEGIN|START TRANSACTION)\b", text):
            self.in_transaction = True
        elif has(r"^(COMMIT|END|ROLLBACK|ABORT)\b", text) and not has(r"^ROLLBACK TO\b", text):
            self.in_transaction = self.transactional
            self.not_valid_in_transaction.clear()
        elif has(r"^SET (SESSION |LOCAL )?lock_timeout\b", text):
            self.lock_timeout = not has(r"(=|\bTO)\s*(0|DEFAULT)\s*$", text)
        elif has(r"^CREATE (GLOBAL |LOCAL )?(TEMP |TEMPORARY |UNLOGGED )?TABLE\b", text):
            found = re.search(r"\bTABLE (?:IF NOT EXISTS )?(%s)" % NAME, text, re.I)
            if found:
                self.new_tables.add(key(found.group(1)))
        elif has(r"^CREATE (UNIQUE )?INDEX\b", text):
            self.check_create_index(text)
        elif has(r"^(DROP INDEX|REINDEX)\b", text):
            if has(r"\bCONCURRENTLY\b", text):
                self.check_concurrently()
            elif has(r"^DROP", text):
                self.add("error", "drop-index-not-concurrent",
                         "use DROP INDEX CONCURRENTLY; plain DROP INDEX blocks reads and writes")
            else:
                self.add("error", "reindex-not-concurrent",
                         "use REINDEX ... CONCURRENTLY; plain REINDEX blocks writes and most reads")
        elif has(r"^ALTER TABLE\b", text):
            self.check_alter_table(text)
        elif has(r"^DROP TABLE\b", text):
            self.needs_lock_timeout()
            self.add("warning", "drop-table",
                     "make sure no running code, view or foreign key uses the table; keep a dump")
        elif has(r"^TRUNCATE\b", text):
            self.needs_lock_timeout()
            self.add("warning", "truncate", "takes ACCESS EXCLUSIVE and removes every row")
        elif has(r"^(VACUUM\s*\(?.*\bFULL\b|CLUSTER\b)", text):
            self.add("error", "table-rewrite",
                     "rewrites the table under ACCESS EXCLUSIVE; use an online tool such as pg_repack")
        elif has(r"^REFRESH MATERIALIZED VIEW\b", text) and not has(r"\bCONCURRENTLY\b", text):
            self.add("warning", "refresh-not-concurrent",
                     "blocks readers of the view; use CONCURRENTLY (it needs a unique index)")
        elif has(r"^CREATE (OR REPLACE )?(CONSTRAINT )?TRIGGER\b", text):
            self.needs_lock_timeout()
        elif has(r"^(UPDATE|DELETE FROM)\b", text) and not has(r"\bWHERE\b", text):
            self.add("error", "unbounded-write",
                     "touches every row in one transaction; work in batches by primary key")

    def check_concurrently(self):
        if self.in_transaction:
            self.add("error", "concurrently-in-transaction",
                     "CONCURRENTLY fails inside a transaction block; run it outside")

    def check_create_index(self, text):
        found = re.search(r"\bON (ONLY )?(%s)" % NAME, text, re.I)
        table = key(found.group(2)) if found else ""
        if has(r"\bINDEX CONCURRENTLY\b", text):
            self.check_concurrently()
            if has(r"\bIF NOT EXISTS\b", text):
                self.add("warning", "if-not-exists-concurrent",
                         "IF NOT EXISTS accepts an INVALID index left by a failed build; check "
                         "pg_index.indisvalid")
        elif table not in self.new_tables and not (found and found.group(1)):
            self.add("error", "index-not-concurrent",
                     "blocks writes while it builds; use CREATE INDEX CONCURRENTLY")

    def check_alter_table(self, text):
        found = re.match(r"ALTER TABLE (?:IF EXISTS )?(?:ONLY )?(%s)\s*\*?\s*(.*)$" % NAME, text, re.I)
        if not found:
            return
        table = key(found.group(1))
        if table in self.new_tables:
            return
        self.needs_lock_timeout()
        for action in split_actions(found.group(2)):
            self.check_action(table, action)

    def check_action(self, table, action):
        not_valid = has(r"\bNOT VALID\b", action)
        if has(r"^ADD (CONSTRAINT|CHECK|FOREIGN|UNIQUE|PRIMARY|EXCLUDE)\b", action):
            if not_valid:
                self.not_valid_in_transaction.add(table)
            if has(r"\bFOREIGN KEY\b", action) and not not_valid:
                self.add("error", "fk-not-valid",
                         "scans the table while writes to both tables wait; add it NOT VALID, then VALIDATE")
            elif has(r"\b(UNIQUE|PRIMARY KEY)\b", action) and not has(r"\bUSING INDEX\b", action):
                self.add("error", "unique-without-index",
                         "builds the index under ACCESS EXCLUSIVE; build it CONCURRENTLY, then "
                         "ADD CONSTRAINT ... USING INDEX")
            elif has(r"\bCHECK\s*\(", action) and not not_valid:
                self.add("error", "check-not-valid",
                         "scans the table under ACCESS EXCLUSIVE; add it NOT VALID, then VALIDATE")
        elif has(r"^ADD\b", action):
            self.check_add_column(action)
        elif has(r"^VALIDATE CONSTRAINT\b", action):
            self.validated.add(table)
            if self.in_transaction and table in self.not_valid_in_transaction:
                self.add("error", "validate-same-transaction",
                         "the lock of ADD CONSTRAINT is held during the scan; validate in a later transaction")
        elif has(r"^ALTER\b.*\bSET NOT NULL\b", action):
            if table not in self.validated:
                self.add("error", "set-not-null",
                         "scans under ACCESS EXCLUSIVE unless a valid CHECK (col IS NOT NULL) exists")
        elif has(r"^ALTER (COLUMN )?(?!COLUMN\b)%s (SET DATA )?TYPE\b" % IDENT, action):
            self.add("error", "alter-type",
                     "most type changes rewrite the table; use a new column unless the types are "
                     "binary compatible")
        elif has(r"^RENAME\b", action) and not has(r"^RENAME CONSTRAINT\b", action):
            self.add("error", "rename", "breaks code that still uses the old name; add new, dual write, drop old")
        elif has(r"^DROP (COLUMN )?(?!CONSTRAINT\b)", action):
            self.add("warning", "drop-column", "release code that no longer names this column first")
        elif has(r"^ATTACH PARTITION\b", action):
            self.add("warning", "attach-partition",
                     "scans the new partition unless it has a valid CHECK that implies the bounds")

    def check_add_column(self, action):
        default = re.search(r"\bDEFAULT\b(.*)$", action, re.I)
        if default and VOLATILE.search(default.group(1)):
            self.add("error", "volatile-default",
                     "rewrites the table; add the column, set the default, then backfill")
        elif has(r"\b(SMALL|BIG)?SERIAL[248]?\b|\bAS IDENTITY\b|\bSTORED\b", action):
            self.add("error", "column-rewrite", "serial, identity and stored generated columns rewrite the table")
        elif has(r"\bNOT NULL\b", action) and not default:
            self.add("error", "not-null-without-default", "fails when the table has rows")
        if has(r"\bREFERENCES\b", action):
            self.add("error", "fk-not-valid",
                     "add the column without REFERENCES, then the foreign key NOT VALID, then VALIDATE")
        if has(r"\b(UNIQUE|PRIMARY KEY)\b", action):
            self.add("error", "unique-without-index", "add the column first, then build a unique index CONCURRENTLY")


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="SQL file, or - for standard input")
    parser.add_argument("--transactional", action="store_true",
                        help="the migration tool wraps each file in one transaction")
    parser.add_argument("--strict", action="store_true", help="exit 1 for warnings too")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    args = parser.parse_args(argv)

    findings = []
    for path in args.files:
        try:
            if path == "-":
                sql = sys.stdin.read()
            else:
                with open(path, encoding="utf-8-sig") as handle:
                    sql = handle.read()
        except (OSError, UnicodeDecodeError) as error:
            print("check_migration: cannot read %s: %s" % (path, error), file=sys.stderr)
            return 2
        findings += Linter(path, args.transactional).run(sql)

    if args.json:
        print(json.dumps(findings, indent=2))
    else:
        for item in findings:
            print("{file}:{line}: {level}: [{rule}] {message}".format(**item))
        print("%d finding(s)" % len(findings))
    failing = [item for item in findings if args.strict or item["level"] == "error"]
    return 1 if failing else 0


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
