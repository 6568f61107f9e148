"""Ratios of drawn works: their distribution as numbers, and as a picture."""

import math
from html import escape

from . import runs, tables, text
from .axes import LEFT, RIGHT, TOP, BOTTOM, FONT

COPY_LIMIT, PEAK_LIMIT = 92, 75  # percent of the device's own rates: a work that reaches one counts as 1 at the least
WORST = 20


class Ratio:
    """The peer's time divided by ours, of one work."""

    def __init__(self, run, own, theirs, variant, clock):
        self.name, self.family, self.variant = own.name, own.entry.get("family", ""), variant
        self.ours, self.theirs = own.time(clock), theirs
        self.measured = theirs / self.ours
        self.limit = at_limit(run, own)
        self.ratio = max(1.0, self.measured) if self.limit else self.measured
        self.kernels = own.entry.get("kernels", [])
        self.physical = tables.physical(run, own)


def at_limit(run, own):
    """Whether the device can hardly do it faster, by its own rates."""
    def percent(what, peak):
        return 100 * (own.rate(what) or 0) / run.device[peak] if run.device.get(peak) else 0
    return (percent("bytes", "copy_bytes_per_second") >= COPY_LIMIT
            or percent("operations", "peak_operations_per_second") >= PEAK_LIMIT)


def best_of(peer, own, variants, clock):
    """(the least time of the variants, the variant), by the clock: the device's where both have it, the wall's for small
    works, where the host counts, and for those without a kernel."""
    found = []
    for variant in variants:
        figure = peer.figure(own.name, variant)
        if figure is not None and figure.time(clock):
            ours, theirs = tables.both_times(own, figure, clock)
            found.append((theirs / ours, theirs, variant))
    return min(found)[1:] if found else (None, None)


NO_KERNEL = 0.1  # microseconds of device time: less than any kernel takes


def shared_clock(peer, own, variants):
    """The device's, where both have it and it ran a kernel: of what is made without one the host's time alone counts."""
    has_both = own.spread("device") and any(
        figure is not None and figure.spread("device") for figure in (peer.figure(own.name, each) for each in variants))
    return "device" if has_both and own.spread("device")["median"] >= NO_KERNEL else "wall"


def ratios_of(run, peer, table):
    """The ratios of a table's set, of works that take the peer at least so long; and the works without one, by reason."""
    ratios, without = [], {}
    for key, own in run.figures.items():
        if own.entry.get("set") != table["set"]:
            continue
        other = next((peer.figures[own.name, each] for each in table["variants"] if (own.name, each) in peer.figures), None)
        clock = "wall" if table.get("wall") else shared_clock(peer, own, table["variants"])
        theirs, variant = best_of(peer, own, table["variants"], clock) if not own.problem else (None, None)
        reason = (f"ours: {own.problem}" if own.problem else "the peer did not measure it" if other is None
                  else other.problem if theirs is None else "too short" if theirs < table.get("least_us", 0) else "")
        if reason:
            without.setdefault(reason, []).append(own.name)
        else:
            ratios.append(Ratio(run, own, theirs, variant, clock))
    return sorted(ratios, key=lambda each: each.ratio), without


def geometric_mean(numbers):
    return math.exp(sum(math.log(number) for number in numbers) / len(numbers))


class Summary:
    """What the goals are about."""

    def __init__(self, ratios):
        numbers = [each.ratio for each in ratios]
        self.count = len(numbers)
        self.mean, self.worst = geometric_mean(numbers), min(numbers)
        self.below_1 = sum(number < 1 for number in numbers) / len(numbers)
        self.below_0_8 = sum(number < 0.8 for number in numbers) / len(numbers)
        self.at_limit = sum(each.limit and each.measured < 1 for each in ratios)

    def rows(self, goal):
        """(what, measured, goal, met or None)."""
        def row(what, value, shown, name, at_least):
            wanted = goal.get(name)
            if wanted is None:
                return what, shown, "", None
            sign = "≥" if at_least else "≤"
            limit = f"{sign} {wanted * 100:g} %" if name.startswith("below") else f"{sign} {wanted:g}"
            return what, shown, limit, value >= wanted if at_least else value <= wanted

        return [row("works", self.count, str(self.count), "works", True),
                row("geometric mean", self.mean, f"{self.mean:.2f}", "geometric_mean", True),
                row("share below 1", self.below_1, f"{self.below_1 * 100:.1f} %", "below_1", False),
                row("share below 0.8", self.below_0_8, f"{self.below_0_8 * 100:.1f} %", "below_0_8", False),
                row("worst", self.worst, f"{self.worst:.2f}", "worst", True)]


def by_family(ratios):
    """[(family, count, geometric mean, worst)], the slowest first."""
    families = {}
    for each in ratios:
        families.setdefault(each.family, []).append(each.ratio)
    return sorted(((name, len(each), geometric_mean(each), min(each)) for name, each in families.items()),
                  key=lambda row: row[2])


class Axis:
    """Ratios from 1/16 to 16, in bins of a quarter of an octave; what lies beyond is in the outermost."""

    low, high, bins = -4, 4, 32

    def __init__(self, width, height):
        self.width, self.height = width, height

    def x(self, octave):
        return LEFT + (octave - self.low) / (self.high - self.low) * (self.width - LEFT - RIGHT)

    def y(self, share):
        return self.height - BOTTOM - share * (self.height - TOP - BOTTOM)

    def bin_of(self, ratio):
        place = (math.log2(ratio) - self.low) / (self.high - self.low) * self.bins
        return max(0, min(self.bins - 1, int(math.floor(place))))


def bars(axis, ratios, highest):
    counts = [0] * axis.bins
    for each in ratios:
        counts[axis.bin_of(each.ratio)] += 1
    step = (axis.high - axis.low) / axis.bins
    for i, count in enumerate(counts):
        left, right = axis.x(axis.low + i * step), axis.x(axis.low + (i + 1) * step)
        side = "above" if axis.low + i * step >= 0 else "below"
        if count:
            top = axis.y(count / highest)
            yield (f"<rect class='bin {side}' x='{left + 0.5:.1f}' y='{top:.1f}' width='{right - left - 1:.1f}' "
                   f"height='{axis.y(0) - top:.1f}'><title>{count} works from {2 ** (axis.low + i * step):.2f} to "
                   f"{2 ** (axis.low + (i + 1) * step):.2f}</title></rect>")


def cumulative(axis, ratios):
    """The share of works whose ratio is at most x."""
    points, count = [f"{axis.x(axis.low):.1f},{axis.y(0):.1f}"], len(ratios)
    for i, each in enumerate(ratios):
        x = axis.x(max(axis.low, min(axis.high, math.log2(each.ratio))))
        points += [f"{x:.1f},{axis.y(i / count):.1f}", f"{x:.1f},{axis.y((i + 1) / count):.1f}"]
    points.append(f"{axis.x(axis.high):.1f},{axis.y(1):.1f}")
    return f"<polyline class='line c1' points='{' '.join(points)}'/>"


def fraction(octave):
    return f"1/{2 ** -octave}" if octave < 0 else str(2 ** octave)


def picture(ratios, label, width, height, kind):
    axis = Axis(width, height)
    counts = [0] * axis.bins
    for each in ratios:
        counts[axis.bin_of(each.ratio)] += 1
    body = ""
    for share in (0, 0.25, 0.5, 0.75, 1):
        body += (f"<line class='grid' x1='{LEFT}' x2='{width - RIGHT}' y1='{axis.y(share):.1f}' y2='{axis.y(share):.1f}'/>"
                 f"<text class='label' x='{LEFT - 8}' y='{axis.y(share) + 4:.1f}' text-anchor='end'>{share * 100:g} %</text>")
    body += "".join(bars(axis, ratios, max(counts)))
    for octave in range(axis.low, axis.high + 1, 1 if width > 500 else 2):
        x = axis.x(octave)
        body += (f"<line class='{'one' if octave == 0 else 'grid'}' x1='{x:.1f}' x2='{x:.1f}' y1='{TOP}' y2='{axis.y(0):.1f}'/>"
                 f"<text class='label' x='{x:.1f}' y='{height - BOTTOM + 17}' text-anchor='middle'>{fraction(octave)}</text>")
    body += cumulative(axis, ratios)
    body += f"<text class='label' x='{width - RIGHT}' y='{height - 7}' text-anchor='end'>the peer's time / ours</text>"
    return (f"<svg class='plot {kind}' font-size='{FONT}' viewBox='0 0 {width} {height}' role='img' "
            f"aria-label='{escape(label, quote=True)}'>{body}</svg>")


def tables_of(all_runs, goals):
    """(table, run, peer, ratios, works without one) of each distribution that the runs have."""
    for table in goals.get("distributions", []):
        for run in all_runs:
            peer = runs.peer_of(run, table["peer"], all_runs) if tables.suits(run, table["device"]) else None
            ratios, without = ratios_of(run, peer, table) if peer else ([], {})
            if ratios:
                yield table, run, peer, ratios, without


def worst_rows(ratios):
    for each in ratios[:WORST]:
        kernels = "; ".join(f"{line} ({text.duration(us)})" for line, us in each.kernels)
        name = escape(each.name) + (f"<br><small>{escape(kernels)}</small>" if kernels else "")
        yield [(name, "first"), (text.duration(each.theirs), "n"), (text.duration(each.ours), "n"),
               (f"<b>{each.ratio:.2f}</b>", "n"), (escape(each.variant), "n"), (each.physical, "n")]


def mark(met):
    return "" if met is None else f"<span class='pill {'good' if met else 'bad'}'>{'met' if met else 'below'}</span>"


def section(table, run, peer, ratios, without):
    summary = Summary(ratios)
    goal_rows = [[(what, "first"), (shown, "n"), (limit, "n"), (mark(met), "verdict")]
                 for what, shown, limit, met in summary.rows(table)]
    family_rows = [[(escape(name), "first"), (str(count), "n"), (f"{mean:.2f}", "n"), (f"{worst:.2f}", "n")]
                   for name, count, mean, worst in by_family(ratios)]
    label = f"Distribution of the ratios of {run.label} beside {peer.label}: {table['title']}"
    left_out = sum(len(names) for names in without.values())
    return (f"<h2>{escape(table['title'])}</h2><p>{escape(run.device['name'])}, beside {escape(peer.label)}: works drawn "
            "from the whole vocabulary. Bars count works by the peer's time divided by ours, in quarters of an octave; the "
            "line is the share of works up to a ratio. A work that reaches 92 % of the device's copy rate or 75 % of its "
            f"f32 peak counts as 1 where it is below ({summary.at_limit} do). {left_out} works have no ratio.</p>"
            + picture(ratios, label, 860, 360, "wide") + picture(ratios, label, 370, 300, "narrow")
            + text.table(["", "measured", "goal", ""], goal_rows)
            + "<h3>The worst</h3>" + text.table(["work", peer.label, "Eglantine", "ratio", "", "limit"], list(worst_rows(ratios)))
            + f"<details><summary>{len(family_rows)} families</summary>"
            + text.table(["family", "works", "geometric mean", "worst"], family_rows) + "</details>")


def sections(all_runs, goals):
    return "".join(section(*each) for each in tables_of(all_runs, goals))
