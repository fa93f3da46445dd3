#!/usr/bin/env python3
"""Check, compare, sort and raise version numbers by Semantic Versioning 2.0.0."""

import argparse
import re
import signal
import sys

NUMBER = r"(?:0|[1-9]\d*)"
PATTERN = re.compile(
    r"(?P<prefix>v?)(?P<major>{0})\.(?P<minor>{0})\.(?P<patch>{0})"
    r"(?:-(?P<pre>(?:{0}|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:{0}|\d*[A-Za-z-][0-9A-Za-z-]*))*))?"
    r"(?:\+(?P<build>[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?".format(NUMBER),
    re.ASCII,
)


class VersionError(ValueError):
    pass


class Version:
    def __init__(self, text):
        found = PATTERN.fullmatch(text)
        if not found:
            raise VersionError("%r is not a semantic version: %s" % (text, explain(text)))
        self.text = text
        self.prefix = found.group("prefix")
        self.core = tuple(int(found.group(part)) for part in ("major", "minor", "patch"))
        self.pre = found.group("pre").split(".") if found.group("pre") else []

    def precedence(self):
        """A sort key: numeric identifiers before text ones, a release after its pre-releases."""
        pre = [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in self.pre]
        return (self.core, not self.pre, pre)


def explain(text):
    body = text[1:] if text.startswith("v") else text
    core = re.split(r"[-+]", body, maxsplit=1)[0]
    parts = core.split(".")
    if len(parts) != 3:
        return "it needs exactly three numbers, MAJOR.MINOR.PATCH"
    for part in parts:
        if not (part.isascii() and part.isdigit()):
            return "%r is not a number" % part
        if len(part) > 1 and part.startswith("0"):
            return "%r has a leading zero" % part
    pre = re.search(r"-([^+]*)", body)
    if pre:
        for part in pre.group(1).split("."):
            if not part:
                return "a pre-release identifier is empty"
            if part.isdigit() and len(part) > 1 and part.startswith("0"):
                return "the numeric identifier %r has a leading zero" % part
    return "only letters, digits and hyphens are allowed after '-' and '+'"


def render(prefix, core, pre=()):
    text = prefix + ".".join(str(part) for part in core)
    return text + ("-" + ".".join(pre) if pre else "")


def bump(level, version, label):
    major, minor, patch = version.core
    if level == "release":
        if not version.pre:
            raise VersionError("%s is a release already" % version.text)
        return render(version.prefix, version.core)
    if level == "pre":
        if not version.pre:
            raise VersionError("%s is not a pre-release; bump major, minor or patch with --pre" % version.text)
        if label and version.pre[0] != label:
            candidate = render(version.prefix, version.core, [label, "1"])
            if Version(candidate).precedence() < version.precedence():
                raise VersionError("%s would sort before %s" % (candidate, version.text))
            return candidate
        pre = list(version.pre)
        if pre[-1].isdigit():
            pre[-1] = str(int(pre[-1]) + 1)
        else:
            pre.append("1")
        return render(version.prefix, version.core, pre)
    core = {"major": (major + 1, 0, 0), "minor": (major, minor + 1, 0), "patch": (major, minor, patch + 1)}[level]
    if version.pre:
        # 2.0.0-rc.1 already announces 2.0.0: do not skip to 3.0.0.
        announced = {"major": minor == patch == 0, "minor": patch == 0, "patch": True}[level]
        if announced:
            core = version.core
            if label:
                raise VersionError("%s is a pre-release of %s already; use: bump pre" % (
                    version.text, render(version.prefix, core)))
    return render(version.prefix, core, [label, "1"] if label else ())


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    command = commands.add_parser("bump", help="print the next version")
    command.add_argument("level", choices=["major", "minor", "patch", "pre", "release"])
    command.add_argument("version")
    command.add_argument("--pre", metavar="LABEL", help="make it a pre-release, for example rc or beta")

    command = commands.add_parser("compare", help="print <, = or > (precedence; build metadata is ignored)")
    command.add_argument("first")
    command.add_argument("second")

    command = commands.add_parser("sort", help="sort versions, lowest first")
    command.add_argument("versions", nargs="*", help="default: one a line from standard input")
    command.add_argument("--skip-invalid", action="store_true", help="leave out lines that are not versions")

    command = commands.add_parser("check", help="exit 0 if all are valid, 1 if not")
    command.add_argument("versions", nargs="+")
    args = parser.parse_args(argv)

    try:
        if args.command == "bump":
            if args.pre and not re.fullmatch(r"[A-Za-z][0-9A-Za-z-]*", args.pre, re.ASCII):
                raise VersionError("--pre must start with a letter and have only letters, digits, hyphens")
            if args.pre and args.level == "release":
                raise VersionError("--pre makes no sense with: bump release")
            print(bump(args.level, Version(args.version), args.pre))
        elif args.command == "compare":
            first, second = Version(args.first).precedence(), Version(args.second).precedence()
            print("<" if first < second else ">" if first > second else "=")
        elif args.command == "sort":
            lines = args.versions or [line.strip() for line in sys.stdin if line.strip()]
            versions = []
            for line in lines:
                try:
                    versions.append(Version(line))
                except VersionError as error:
                    if not args.skip_invalid:
                        raise
                    print("semver: skipped: %s" % error, file=sys.stderr)
            for version in sorted(versions, key=Version.precedence):
                print(version.text)
        else:
            for text in args.versions:
                Version(text)
    except VersionError as error:
        print("semver: %s" % error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
