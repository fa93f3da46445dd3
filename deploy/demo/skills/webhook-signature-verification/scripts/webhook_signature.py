#!/usr/bin/env python3
"""Sign or verify a webhook body, and say why a signature does not match.

The secret is read from an environment variable, so that it is not in the process list. FILE is
the raw body, or - for standard input. Exit status: 0 valid, 1 not valid, 2 wrong use.
"""

import argparse
import base64
import binascii
import hashlib
import hmac
import json
import os
import shlex
import signal
import sys
import time

SCHEMES = ["standard", "github", "stripe", "slack"]


class Invalid(Exception):
    pass


class Usage(Exception):
    pass


def standard_key(secret):
    text = secret[len("whsec_"):] if secret.startswith("whsec_") else secret
    try:
        key = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        if secret != secret.strip():
            raise Usage("the secret has white space around it")
        raise Usage("the secret is not base64 (Standard Webhooks: whsec_ and base64)")
    if not key:
        raise Usage("the secret is empty")
    return key


def compute(scheme, secret, body, stamp, msg_id):
    """Return the signature in the form in which it is sent."""
    if scheme == "standard":
        content = ("%s.%s." % (msg_id, stamp)).encode() + body
        return "v1," + base64.b64encode(hmac.new(standard_key(secret), content, hashlib.sha256).digest()).decode()
    prefix = {"github": "", "stripe": "%s." % stamp, "slack": "v0:%s:" % stamp}[scheme]
    digest = hmac.new(secret.encode(), prefix.encode() + body, hashlib.sha256).hexdigest()
    return {"github": "sha256=", "stripe": "", "slack": "v0="}[scheme] + digest


def need(headers, name):
    if name not in headers:
        raise Invalid("the header %s is missing" % name)
    return headers[name]


def read_headers(scheme, headers):
    """Return (message id, time stamp or None, list of sent signatures)."""
    if scheme == "standard":
        sent = [part for part in need(headers, "webhook-signature").split(" ") if part.startswith("v1,")]
        if not sent:
            raise Invalid("webhook-signature holds no v1 signature")
        return need(headers, "webhook-id"), need(headers, "webhook-timestamp"), sent
    if scheme == "github":
        return None, None, [need(headers, "x-hub-signature-256")]
    if scheme == "slack":
        return None, need(headers, "x-slack-request-timestamp"), [need(headers, "x-slack-signature")]
    pairs = [part.strip().partition("=") for part in need(headers, "stripe-signature").split(",")]
    stamps = [value for name, _, value in pairs if name == "t"]
    sent = [value for name, _, value in pairs if name == "v1"]
    if not stamps or not sent:
        raise Invalid("stripe-signature needs t= and v1=")
    return None, stamps[0], sent


def equal_any(expected, sent):
    good = False
    for value in sent:
        good |= hmac.compare_digest(expected.encode(), value.encode())
    return good


def why(scheme, secret, body, stamp, msg_id, sent):
    """Try the usual mistakes and name the one that would match."""
    bodies = [("the file has a trailing newline that was not signed", body.rstrip(b"\r\n")),
              ("the file lost a trailing newline", body + b"\n"),
              ("the file has CRLF line ends, LF was signed", body.replace(b"\r\n", b"\n"))]
    try:
        data = json.loads(body)
        bodies.append(("the JSON was parsed and written again (compact)",
                       json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode()))
        bodies.append(("the JSON was parsed and written again (with spaces)", json.dumps(data).encode()))
    except ValueError:
        pass
    secrets = [("the secret has white space around it", secret.strip()),
               ("the secret was signed with a trailing newline", secret + "\n")]
    attempts = [(text, secret, other) for text, other in bodies if other != body]
    attempts += [(text, other, body) for text, other in secrets if other != secret]
    for text, key, content in attempts:
        try:
            if equal_any(compute(scheme, key, content, stamp, msg_id), sent):
                return text
        except Usage:
            continue
    if scheme == "standard":
        content = ("%s.%s." % (msg_id, stamp)).encode() + body
        expected = "v1," + base64.b64encode(hmac.new(secret.encode(), content, hashlib.sha256).digest()).decode()
        if equal_any(expected, sent):
            return "the sender used the secret as text instead of decoding the base64"
    return None


def verify(args, secret, body, headers):
    msg_id, stamp, sent = read_headers(args.scheme, headers)
    if stamp is not None and not stamp.isdigit():
        raise Invalid("the time stamp is not a number of seconds")
    good = equal_any(compute(args.scheme, secret, body, stamp, msg_id), sent)
    if not good:
        cause = why(args.scheme, secret, body, stamp, msg_id, sent)
        raise Invalid("the signature does not match" + ("; it would if: " + cause if cause else ""))
    if stamp is not None:
        now = args.now if args.now is not None else time.time()
        difference = int(now - int(stamp))
        if abs(difference) > args.tolerance:
            raise Invalid("the signature matches, but the time stamp is %d s %s (at most %d)" % (
                abs(difference), "old" if difference > 0 else "ahead", args.tolerance))


def sign(args, secret, body):
    stamp = str(args.timestamp if args.timestamp is not None else int(time.time()))
    value = compute(args.scheme, secret, body, stamp, args.id)
    if args.scheme == "standard":
        return [("webhook-id", args.id), ("webhook-timestamp", stamp), ("webhook-signature", value)]
    if args.scheme == "github":
        return [("X-Hub-Signature-256", value)]
    if args.scheme == "slack":
        return [("X-Slack-Request-Timestamp", stamp), ("X-Slack-Signature", value)]
    return [("Stripe-Signature", "t=%s,v1=%s" % (stamp, value))]


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True, metavar="{sign,verify}")
    for name, text in (("sign", "print the headers for a body"), ("verify", "check the headers of a body")):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("file", metavar="FILE", help="raw body, or -")
        command.add_argument("--scheme", choices=SCHEMES, default="standard")
        command.add_argument("--secret-env", default="WEBHOOK_SECRET", metavar="NAME", help="default WEBHOOK_SECRET")
        if name == "sign":
            command.add_argument("--id", default="msg_test", help="message id (standard)")
            command.add_argument("--timestamp", type=int, metavar="SECONDS", help="default: now")
            command.add_argument("--curl", metavar="URL", help="print a curl command that sends it")
        else:
            command.add_argument("--header", action="append", default=[], metavar="'NAME: VALUE'", help="may be repeated")
            command.add_argument("--tolerance", type=int, default=300, metavar="SECONDS", help="default 300")
            command.add_argument("--now", type=int, metavar="SECONDS", help="check as if it were this time")
    args = parser.parse_args(argv)

    try:
        secret = os.environ.get(args.secret_env, "")
        if not secret.strip():
            raise Usage("the environment variable %s is not set or empty" % args.secret_env)
        try:
            if args.file == "-":
                body = sys.stdin.buffer.read()
            else:
                with open(args.file, "rb") as handle:
                    body = handle.read()
        except OSError as error:
            raise Usage("cannot read %s: %s" % (args.file, error.strerror))
        if args.command == "sign":
            headers = sign(args, secret, body)
            if args.curl:
                name = "@-" if args.file == "-" else "@" + args.file
                words = ["curl", "--data-binary", name, "--header", "Content-Type: application/json"]
                for key, value in headers:
                    words += ["--header", "%s: %s" % (key, value)]
                print(" ".join(shlex.quote(word) for word in words + [args.curl]))
            else:
                for key, value in headers:
                    print("%s: %s" % (key, value))
            return 0
        headers = {}
        for header in args.header:
            name, colon, value = header.partition(":")
            if not colon or not name.strip():
                raise Usage("%r is not a header of the form 'Name: value'" % header)
            headers[name.strip().lower()] = value.strip()
        verify(args, secret, body, headers)
    except Invalid as error:
        print("NOT valid: %s" % error)
        return 1
    except Usage as error:
        print("webhook_signature: %s" % error, file=sys.stderr)
        return 2
    print("valid")
    return 0


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
