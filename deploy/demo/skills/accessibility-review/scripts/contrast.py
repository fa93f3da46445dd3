#!/usr/bin/env python3
"""Contrast ratio of two colours by WCAG 2.2, with an optional suggestion that passes.

Colours: #rgb, #rgba, #rrggbb, #rrggbbaa, rgb(), rgba(), hsl(), hsla(), black, white. A translucent
foreground is blended over the background; the background must be opaque. Exit status: 0 the ratio
is at least --need, 1 it is not, 2 wrong use.
"""

import argparse
import colorsys
import json
import math
import re
import signal
import sys

FUNCTION = re.compile(r"(rgba?|hsla?)\(\s*([^()]*?)\s*\)\Z")
NAMED = {"black": "#000000", "white": "#ffffff"}


class ColourError(ValueError):
    pass


def number(text, scale):
    """A CSS number, or a percentage of scale."""
    try:
        value = float(text[:-1]) / 100 * scale if text.endswith("%") else float(text)
    except ValueError:
        raise ColourError("%r is not a number" % text)
    if not math.isfinite(value):
        raise ColourError("%r is not a number" % text)
    return value


def clamp(value, high):
    return min(max(value, 0.0), high)


def parse(text):
    """Return (red, green, blue, alpha); the colours from 0 to 255, alpha from 0 to 1."""
    raw = NAMED.get(text.strip().lower(), text.strip().lower())
    if raw.startswith("#"):
        digits = raw[1:]
        if not re.fullmatch(r"[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8}", digits):
            raise ColourError("%r is not a colour" % text)
        if len(digits) <= 4:
            digits = "".join(digit * 2 for digit in digits)
        parts = [int(digits[i:i + 2], 16) for i in range(0, len(digits), 2)]
        return parts[0], parts[1], parts[2], (parts[3] / 255 if len(parts) == 4 else 1.0)
    found = FUNCTION.match(raw)
    if not found:
        raise ColourError("%r is not a colour this script knows" % text)
    parts = [part for part in re.split(r"[\s,/]+", found.group(2)) if part]
    if len(parts) not in (3, 4):
        raise ColourError("%r needs three or four values" % text)
    alpha = clamp(number(parts[3], 1.0), 1.0) if len(parts) == 4 else 1.0
    if found.group(1).startswith("rgb"):
        red, green, blue = (clamp(number(part, 255.0), 255.0) for part in parts[:3])
        return red, green, blue, alpha
    hue = number(parts[0][:-3] if parts[0].endswith("deg") else parts[0], 360.0) % 360 / 360
    if not (parts[1].endswith("%") and parts[2].endswith("%")):
        raise ColourError("%r: saturation and lightness need a %% sign" % text)
    saturation, lightness = (clamp(number(part, 1.0), 1.0) for part in parts[1:3])
    return tuple(part * 255 for part in colorsys.hls_to_rgb(hue, lightness, saturation)) + (alpha,)


def blend(front, back):
    alpha = front[3]
    return tuple(f * alpha + b * (1 - alpha) for f, b in zip(front[:3], back[:3]))


def luminance(colour):
    parts = []
    for part in colour[:3]:
        part /= 255
        parts.append(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def ratio(first, second):
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def to_hex(colour):
    return "#%02x%02x%02x" % tuple(int(round(part)) for part in colour[:3])


def suggest(front, back, need):
    """Keep hue and saturation; change the lightness as little as possible."""
    hue, lightness, saturation = colorsys.rgb_to_hls(*(part / 255 for part in front[:3]))
    best = None
    for step in range(1001):
        candidate_lightness = step / 1000
        rgb = colorsys.hls_to_rgb(hue, candidate_lightness, saturation)
        candidate = tuple(float(round(part * 255)) for part in rgb)
        if ratio(candidate, back) >= need:
            distance = abs(candidate_lightness - lightness)
            if best is None or distance < best[0]:
                best = (distance, candidate)
    return best[1] if best else None


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("foreground")
    parser.add_argument("background")
    parser.add_argument("--need", type=float, default=4.5, metavar="RATIO",
                        help="4.5 text (default), 3 large text and controls, 7 for AAA")
    parser.add_argument("--suggest", action="store_true", help="print the nearest foreground that reaches --need")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    args = parser.parse_args(argv)
    if not 1 <= args.need <= 21:
        parser.error("--need must be between 1 and 21")
    try:
        front, back = parse(args.foreground), parse(args.background)
        if back[3] < 1:
            raise ColourError("the background must be opaque; blend it with what is below first")
    except ColourError as error:
        parser.error(str(error))

    shown = blend(front, back)
    value = ratio(shown, back)
    passed = {"text AA (4.5)": value >= 4.5, "large text AA, controls (3)": value >= 3,
              "text AAA (7)": value >= 7, "large text AAA (4.5)": value >= 4.5}
    # Never round up to a value that passes.
    floor = math.floor(value * 100 + 1e-9) / 100
    result = {"foreground": to_hex(shown), "background": to_hex(back), "ratio": floor,
              "need": args.need, "enough": value >= args.need, "levels": passed}
    if args.suggest and value < args.need:
        better = suggest(shown, back, args.need)
        result["suggestion"] = to_hex(better) if better else None
    if args.json:
        print(json.dumps(result, indent=2))
    else:
        print("%s on %s: %.2f:1, %s (needs %g)" % (
            result["foreground"], result["background"], floor, "enough" if result["enough"] else "NOT enough", args.need))
        for name, good in passed.items():
            print("  %-4s %s" % ("yes" if good else "no", name))
        if "suggestion" in result:
            better = result["suggestion"]
            if better:
                print("suggestion: %s (%.2f:1)" % (better, math.floor(ratio(parse(better), back) * 100 + 1e-9) / 100))
            else:
                print("suggestion: none with this background; change the background")
    return 0 if result["enough"] else 1


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
