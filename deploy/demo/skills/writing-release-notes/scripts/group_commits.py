#!/usr/bin/env python3
"""Group commits into a draft of release notes.

Reads standard input in this format (fields end with 0x1f, records with 0x1e):

    git log --format='%H%x1f%s%x1f%b%x1e' v1.4.0..HEAD | group_commits.py

Conventional Commit types are grouped, breaking changes come first, and a commit that was reverted
in the same range is dropped together with its revert. Commits without a type are listed last.
"""

import argparse
import json
import re
import signal
import sys

HEADER = re.compile(r"^(?P<type>[A-Za-z]+)(?:\((?P<scope>[^()]+)\))?(?P<bang>!)?:\s*(?P<text>.+)$")
BREAKING = re.compile(r"^BREAKING[ -]CHANGE:\s*(.+(?:\n(?![A-Za-z-]+(?::\s| #)).+)*)", re.M)
REVERTS = re.compile(r"This reverts commit ([0-9a-f]{7,40})")
SECTIONS = [
    ("breaking", "Breaking changes"),
    ("security", "Security"),
    ("feat", "New"),
    ("perf", "Changed"),
    ("fix", "Fixed"),
    ("deprecate", "Deprecated"),
    ("revert", "Reverted"),
    ("docs", "Documentation"),
    ("internal", "Internal (usually left out)"),
    ("other", "No type: decide by hand"),
]
INTERNAL = {"build", "chore", "ci", "refactor", "style", "test", "tests"}
ALIASES = {"feature": "feat", "bugfix": "fix", "doc": "docs", "sec": "security", "deprecated": "deprecate"}


def parse(data):
    commits = []
    for number, record in enumerate(data.split("\x1e"), 1):
        record = record.strip("\n")
        if not record.strip():
            continue
        fields = record.split("\x1f")
        if len(fields) != 3 or not re.fullmatch(r"[0-9a-f]{7,64}", fields[0]):
            raise ValueError("record %d is not in the expected format; see --help" % number)
        commits.append({"hash": fields[0], "subject": fields[1].strip(), "body": fields[2].strip()})
    return commits


def drop_reverted(commits):
    """Drop pairs of a commit and its revert. Newest first, so a revert of a revert works out."""
    dropped = set()
    for commit in commits:
        if commit["hash"] in dropped:
            continue
        for prefix in REVERTS.findall(commit["body"]):
            for other in commits:
                if other is not commit and other["hash"].startswith(prefix):
                    dropped.update((commit["hash"], other["hash"]))
    return [commit for commit in commits if commit["hash"] not in dropped], len(dropped)


def classify(commit):
    subject, body = commit["subject"], commit["body"]
    note = BREAKING.search(body)
    header = HEADER.match(subject)
    kind, scope, text = "other", None, subject
    if header:
        found = header.group("type").lower()
        found = ALIASES.get(found, found)
        known = {key for key, _ in SECTIONS} - {"breaking", "internal", "other"}
        if found in INTERNAL:
            kind = "internal"
        elif found in known:
            kind = found
        if kind != "other":
            scope, text = header.group("scope"), header.group("text")
    elif subject.startswith('Revert "'):
        kind = "revert"
    breaking = bool(note) or bool(header and kind != "other" and header.group("bang"))
    return {
        "section": "breaking" if breaking else kind,
        "type": kind,
        "scope": scope,
        "text": text[:1].upper() + text[1:],
        "breaking_note": " ".join(note.group(1).split()) if note else None,
        "hash": commit["hash"],
    }


def markdown(title, entries, dropped):
    lines = ["# " + title, ""]
    for key, heading in SECTIONS:
        group = [entry for entry in entries if entry["section"] == key]
        if not group:
            continue
        lines += ["## " + heading, ""]
        for entry in group:
            scope = "**%s:** " % entry["scope"] if entry["scope"] else ""
            lines.append("- %s%s (%s)" % (scope, entry["text"], entry["hash"][:9]))
            if entry["breaking_note"]:
                lines.append("  - %s" % entry["breaking_note"])
        lines.append("")
    if dropped:
        lines += ["<!-- %d commits left out: reverted within the range -->" % dropped, ""]
    return "\n".join(lines)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--title", default="Unreleased", help="heading of the draft (default: Unreleased)")
    parser.add_argument("--json", action="store_true", help="print the entries as JSON")
    args = parser.parse_args(argv)

    if sys.stdin.isatty():
        parser.error("pipe the output of git log into this script; see --help")
    try:
        commits = parse(sys.stdin.buffer.read().decode("utf-8", "replace"))
    except ValueError as error:
        print("group_commits: %s" % error, file=sys.stderr)
        return 2
    if not commits:
        print("group_commits: no commits on standard input (is the range empty?)", file=sys.stderr)
        return 1
    kept, dropped = drop_reverted(commits)
    entries = [classify(commit) for commit in kept]
    if args.json:
        print(json.dumps({"title": args.title, "reverted": dropped, "entries": entries}, indent=2))
    else:
        print(markdown(args.title, entries, dropped), end="")
    return 0


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
