#!/usr/bin/env python3
"""Check a commit message: subject, blank line, wrapping, leftovers, and Conventional Commits.

FILE is the file that git gives to a commit-msg hook, or - for standard input. Lines that start
with the comment character and all below a scissors line are ignored, as git does. Merge commits
and the default revert subject are accepted as they are. Exit status: 0 fine, 1 problems, 2 wrong
use or the file cannot be read.
"""

import argparse
import re
import signal
import sys

TYPES = "build chore ci docs feat fix perf refactor revert style test"
CONVENTIONAL = re.compile(r"(?P<type>[A-Za-z]+)(?P<scope>\([^()\s][^()]*\))?(?P<bang>!)?: (?P<text>\S.*)\Z")
TRAILER = re.compile(r"([A-Za-z][A-Za-z-]*|BREAKING CHANGE)(: | #)\S")
NOT_IMPERATIVE = re.compile(
    r"(added|adds|adding|changed|changes|changing|created|creates|deleted|deletes|fixed|fixes|fixing|"
    r"implemented|implements|improved|improves|made|makes|moved|moves|removed|removes|removing|renamed|"
    r"renames|refactored|refactors|updated|updates|updating|used|uses|using)\Z", re.I)
VAGUE = re.compile(r"(fix|fixes|bug ?fix|update|updates|changes|stuff|misc|wip|minor|cleanup|refactor|test|temp|asdf)"
                   r"( (it|bug|bugs|code|stuff|things|files?|tests?))?\.?\Z", re.I)
SCISSORS = re.compile(r"[^\w\s] -+ >8 -+\Z")


def read_lines(text, comment):
    lines = []
    for line in text.replace("\r\n", "\n").split("\n"):
        if comment and SCISSORS.match(line.rstrip()) and line.startswith(comment):
            break
        if comment and line.startswith(comment):
            continue
        lines.append(line.rstrip())
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return lines


def may_be_long(line):
    return (line.startswith((" ", "\t", ">", "|")) or TRAILER.match(line) or "://" in line
            or " " not in line.strip())


def check(lines, args):
    """Yield (level, line number, text)."""
    if not lines:
        yield "error", 1, "the message is empty"
        return
    subject = lines[0]
    if subject.startswith(("Merge ", 'Revert "', "Reapply \"")):
        return
    if re.match(r"(fixup|squash|amend)! ", subject):
        yield "error", 1, "a fixup commit; squash it: git rebase --interactive --autosquash"
        return
    text = subject
    if args.conventional:
        found = CONVENTIONAL.match(subject)
        if not found:
            yield "error", 1, "not of the form 'type(scope): subject'"
        else:
            text = found.group("text")
            allowed = args.types.split()
            if found.group("type") not in allowed:
                yield "error", 1, "unknown type %r; use one of: %s" % (found.group("type"), ", ".join(allowed))
            footer = any(line.startswith(("BREAKING CHANGE: ", "BREAKING-CHANGE: ")) for line in lines[1:])
            if found.group("bang") and not footer:
                yield "warning", 1, "breaking change without a 'BREAKING CHANGE: ' footer that says what to do"
    elif subject[:1].islower() and not re.match(r"[\w./-]+: ", subject):
        yield "warning", 1, "the subject starts with a lower-case letter"
    if len(subject) > args.max_subject:
        yield "error", 1, "the subject has %d characters, at most %d" % (len(subject), args.max_subject)
    elif len(subject) > 50:
        yield "note", 1, "the subject has %d characters; about 50 is best" % len(subject)
    if text.endswith(".") and not text.endswith("..."):
        yield "error", 1, "the subject ends with a full stop"
    if re.match(r"wip\b", text, re.I):
        yield "error", 1, "work in progress"
    elif VAGUE.match(text):
        yield "error", 1, "the subject says nothing about the effect"
    first = text.split(" ")[0]
    if NOT_IMPERATIVE.match(first):
        yield "warning", 1, "%r is not imperative (Add, Fix, Remove ...)" % first
    if len(lines) > 1 and lines[1]:
        yield "error", 2, "the second line must be blank"
    fenced = False
    for number, line in enumerate(lines[1:], 2):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and len(line) > args.max_body and not may_be_long(line):
            yield "error", number, "%d characters, at most %d" % (len(line), args.max_body)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", help="file with the message, or -")
    parser.add_argument("--conventional", action="store_true", help="require Conventional Commits")
    parser.add_argument("--types", default=TYPES, help="allowed types, separated by spaces")
    parser.add_argument("--max-subject", type=int, default=72, metavar="N", help="default 72")
    parser.add_argument("--max-body", type=int, default=72, metavar="N", help="default 72")
    parser.add_argument("--comment-char", default="#", metavar="C", help="as core.commentChar; empty: no comments")
    parser.add_argument("--strict", action="store_true", help="warnings are errors")
    args = parser.parse_args(argv)
    try:
        if args.file == "-":
            text = sys.stdin.buffer.read().decode("utf-8")
        else:
            with open(args.file, encoding="utf-8") as handle:
                text = handle.read()
    except (OSError, UnicodeDecodeError) as error:
        print("check_commit_message: cannot read %s: %s" % (args.file, error), file=sys.stderr)
        return 2
    failed = False
    for level, number, message in check(read_lines(text, args.comment_char), args):
        print("%s: line %d: %s" % (level, number, message), file=sys.stderr)
        failed = failed or level == "error" or (args.strict and level == "warning")
    return 1 if failed else 0


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
