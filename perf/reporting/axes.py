"""Inline SVG of a plot with two logarithmic axes. Colours are classes of the page's style."""

import math
from html import escape

LEFT, RIGHT, TOP, BOTTOM = 58, 20, 22, 44
FONT = 13  # pixels of a drawing, which is shown about as wide as it is drawn


class LogAxes:
    """Two logarithmic axes, of base 10, or 2 for x."""

    def __init__(self, xs, ys, width, height, base=10):
        self.width, self.height, self.base = width, height, base
        self.x_low, self.x_high = min(xs), max(xs)
        self.y_low, self.y_high = 10 ** math.floor(math.log10(min(ys))), 10 ** math.ceil(math.log10(max(ys) * 1.05))
        if self.x_high <= self.x_low:
            self.x_high = self.x_low * 2

    def x(self, value):
        span = math.log(self.x_high / self.x_low)
        return LEFT + math.log(value / self.x_low) / span * (self.width - LEFT - RIGHT)

    def y(self, value):
        span = math.log(self.y_high / self.y_low)
        return self.height - BOTTOM - math.log(value / self.y_low) / span * (self.height - TOP - BOTTOM)

    def x_ticks(self):
        """As many powers of the base as have room for their texts."""
        low, high = math.log(self.x_low, self.base), math.log(self.x_high, self.base)
        most = max(2, (self.width - LEFT - RIGHT) // 70)
        step = max(1, math.ceil((high - low + 1) / most))
        return [self.base**i for i in range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1, step)]

    def y_ticks(self):
        """Powers of ten, and where they are two, 2 and 5 times the lower one."""
        low, high = round(math.log10(self.y_low)), round(math.log10(self.y_high))
        powers = [10.0**i for i in range(low, high + 1)]
        return powers if len(powers) > 2 else [powers[0], 2 * powers[0], 5 * powers[0], powers[1]]

    def frame(self, x_label, y_label, x_text, y_text):
        parts = []
        for tick in self.y_ticks():
            y = self.y(tick)
            parts.append(f"<line class='grid' x1='{LEFT}' x2='{self.width - RIGHT}' y1='{y:.1f}' y2='{y:.1f}'/>"
                         f"<text class='label' x='{LEFT - 8}' y='{y + 4:.1f}' text-anchor='end'>{y_text(tick)}</text>")
        for tick in self.x_ticks():
            x, text_of_tick = self.x(tick), x_text(tick)
            # The last one would stand out of the drawing if it were centred below its line.
            middle = min(x, self.width - 2 - text_width(text_of_tick) / 2)
            parts.append(f"<line class='grid' x1='{x:.1f}' x2='{x:.1f}' y1='{TOP}' y2='{self.height - BOTTOM}'/>"
                         f"<text class='label' x='{middle:.1f}' y='{self.height - BOTTOM + 17}' text-anchor='middle'>{text_of_tick}</text>")
        parts.append(f"<text class='label' x='{self.width - RIGHT}' y='{self.height - 7}' text-anchor='end'>{x_label}</text>"
                     f"<text class='label' x='{LEFT}' y='{TOP - 8}'>{y_label}</text>")
        return "".join(parts)


def text_width(text_of, size=FONT):
    """Of a text in a system's sans-serif font, rather more than less."""
    return 0.62 * size * len(text_of)


def svg(axes, body, label, kind=""):
    return (f"<svg class='plot {kind}' font-size='{FONT}' viewBox='0 0 {axes.width} {axes.height}' role='img' "
            f"aria-label='{escape(label, quote=True)}'>{body}</svg>")


def number_text(value):
    for factor, prefix in ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= factor:
            return f"{value / factor:g}{prefix}"
    return f"{value:g}"
