"""The contrast of a page's colours, which its style names: --ink: #23211f. Light ones come first, dark ones after."""

import re

LEAST = 4.5  # WCAG's for text
TEXTS = ("ink", "faint", "soft", "good", "bad")
GROUNDS = {"good": ("paper", "page", "card", "good-soft"), "bad": ("paper", "page", "card", "bad-soft")}


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def too_faint(style):
    """(theme, text, ground, contrast) of the texts that are hard to read. A page without a ground has other names."""
    for theme, block in zip(("light", "dark"), re.findall(r":root\s*{(.*?)}", style, re.DOTALL)):
        colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
        for text in TEXTS:
            for ground in GROUNDS.get(text, ("paper", "page", "card")):
                # In the demo's page --faint is a line.
                if text in colours and ground in colours and not (text == "faint" and "soft" in colours):
                    found = contrast(colours[text], colours[ground])
                    if found < LEAST:
                        yield theme, text, ground, found
