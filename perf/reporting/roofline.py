"""The roofline: each work below the most that its bytes and operations allow."""

import math
from html import escape

from . import text
from .axes import LogAxes, number_text, svg
from .marks import DOT, MARK_SIZE, place_marks


def roofline_points(run):
    """[(operations a byte, operations a second, name, share of the roof)], in the order of the first."""
    copy, peak = run.device.get("copy_bytes_per_second"), run.device.get("peak_operations_per_second")
    figures = [figure for figure in run.figures.values()
               if not figure.problem and figure.entry.get("operations") and figure.entry.get("bytes")
               and figure.entry.get("set") not in ("classic", "sweep", "narrow", "smoke")
               and not figure.entry.get("family")]
    operations = [figure.operation for figure in figures]
    points = []
    for figure in figures:
        x, y = figure.entry["operations"] / figure.entry["bytes"], figure.rate("operations")
        name = figure.operation if operations.count(figure.operation) == 1 else figure.name
        points.append((x, y, name, y / min(peak, x * copy)))
    return sorted(points, key=lambda point: (round(math.log10(point[0]), 2), -point[1]))


def roofline_svg(run, points, width, height, kind):
    copy, peak = run.device["copy_bytes_per_second"], run.device["peak_operations_per_second"]
    low = min(x for x, *_ in points) / 2
    high = max(max(x for x, *_ in points) * 2, peak / copy * 4)
    axes = LogAxes([low, high], [min(y for _, y, *_ in points) / 2, peak], width, height)
    ridge = peak / copy
    roof = [(low, low * copy), (ridge, peak), (high, peak)] if low < ridge else [(low, peak), (high, peak)]
    roof = [(axes.x(x), axes.y(max(y, axes.y_low))) for x, y in roof]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in roof)
    body = axes.frame("operations a byte", "operations a second", number_text, number_text)
    body += f"<polyline class='roof' points='{line}'/>"
    at = [(axes.x(x), axes.y(y)) for x, y, *_ in points]
    for (x, y), (_, rate, name, share) in zip(at, points):
        tip = f"{name}: {text.rate(rate, 'FLOP/s')}, {share * 100:.0f} % of the roof"
        body += f"<circle class='own' cx='{x:.1f}' cy='{y:.1f}' r='{DOT}'><title>{escape(tip)}</title></circle>"
    for mark, (left, top, right, bottom), leader in place_marks(at, roof, width, height):
        if leader:
            body += "<line class='leader' x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}'/>".format(*leader[0], *leader[1])
        body += (f"<text class='name' font-size='{MARK_SIZE}' x='{(left + right) / 2:.1f}' y='{(top + bottom) / 2 + 4:.1f}' "
                 f"text-anchor='middle'>{mark}</text>")
    return svg(axes, body, f"Roofline of {run.label}", kind)


def roofline(run):
    """Operations a second over operations a byte, below what the device can do at most; numbers name the works below."""
    copy, peak = run.device.get("copy_bytes_per_second"), run.device.get("peak_operations_per_second")
    points = roofline_points(run) if copy and peak else []
    if not points:
        return ""
    names = "".join(f"<li><span>{escape(name)}</span> <small>{text.rate(rate, 'FLOP/s')}, {share * 100:.0f} %</small></li>"
                    for _, rate, name, share in points)
    return (f"<h3>{escape(run.label)}</h3>" + roofline_svg(run, points, 860, 500, "wide") + roofline_svg(run, points, 370, 520, "narrow")
            + f"<ol class='works'>{names}</ol>"
            + f"<p class='note'>The roof: {text.rate(copy, 'B/s')} copied, {text.rate(peak, 'FLOP/s')}, both measured on the device.</p>")
