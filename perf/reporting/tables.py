"""The ratio tables and the full figures."""

import math
from html import escape

from . import runs, text


def ratio_bar(ratio, goal, met):
    """A bar on a logarithmic scale from 1/8 to 8, with a tick where the goal is, in the colour of the verdict."""
    place = lambda value: max(0.0, min(1.0, 0.5 + math.log2(max(value, 1e-6)) / 6)) * 120
    kind = "good" if met else "bad"
    return (f"<svg class='bar' viewBox='0 0 120 14' preserveAspectRatio='none' role='img' aria-label='{ratio:.2f} of {goal}'>"
            f"<rect class='track' x='0' y='5' width='120' height='4' rx='2'/>"
            f"<rect class='{kind}' y='3' width='{max(1.5, place(ratio)):.1f}' height='8' rx='2'/>"
            f"<line class='tick' x1='{place(goal):.1f}' x2='{place(goal):.1f}' y1='0' y2='14'/></svg>")


def both_times(ours, theirs, clock):
    """The two times to compare: device time where both have it, else wall time."""
    if clock is None:
        clock = "device" if ours.spread("device") and theirs.spread("device") else "wall"
    return ours.time(clock), theirs.time(clock)


def physical(run, figure):
    """Percent of the device's own copy bandwidth, or of its arithmetic peak: whichever is more."""
    copy, peak = run.device.get("copy_bytes_per_second"), run.device.get("peak_operations_per_second")
    limits = [(figure.rate("bytes") or 0, copy, "of copy"), (figure.rate("operations") or 0, peak, "of peak")]
    shares = [(part / whole, name) for part, whole, name in limits if part and whole]
    return f"{max(shares)[0] * 100:.0f} % {max(shares)[1]}" if shares else ""


def goal_text(goal):
    if "at_most_us" in goal:
        return f"≤ {goal['at_most_us']} µs"
    if "at_least_gflops" in goal:
        return f"≥ {goal['at_least_gflops']} GFLOP/s"
    return f"≥ {goal['ratio']}" + (f" <small>({goal['stretch']})</small>" if "stretch" in goal else "")


class Verdict:
    """A goal, what was measured, and how far the one is from the other."""

    def __init__(self, goal, own, peer):
        self.goal, self.own, self.score = goal, own.figure(goal["work"]), None
        variant = goal.get("variant", "eager" if peer is not None and peer.program == "torch" else "")
        self.peer = peer.figure(goal["work"], variant) if peer else None
        self.clock, self.variant = goal.get("time"), variant
        self.ours = self.own.time(self.clock) if self.own else None
        self.theirs, self.ratio = None, None
        if self.own and self.peer:
            self.ours, self.theirs = both_times(self.own, self.peer, self.clock)
            self.ratio = self.theirs / self.ours
        if self.own:
            self.score = self.score_of()

    def score_of(self):
        """At least 1 when the goal is met; None when there is nothing to compare with."""
        if "at_most_us" in self.goal:
            return self.goal["at_most_us"] / self.ours
        if "at_least_gflops" in self.goal:
            return self.own.rate("operations") * 1e-9 / self.goal["at_least_gflops"]
        return self.ratio / self.goal["ratio"] if self.ratio else None

    @property
    def met(self):
        """A ratio is shown with two digits, and is judged as it is shown."""
        return self.score is not None and self.score >= 0.995

    @property
    def mark(self):
        if self.own is None:
            return "<span class='pill'>not measured</span>"
        if self.score is None:
            return "<span class='pill'>no peer</span>"
        return "<span class='pill good'>met</span>" if self.met else "<span class='pill bad'>below</span>"

    def row(self, run):
        name = self.goal["work"] + (f" <small>{escape(self.variant)}</small>" if self.goal.get("variant") else "")
        bar = ratio_bar(self.ratio, self.goal["ratio"], self.met) if self.ratio and "ratio" in self.goal else ""
        ratio = f"<b>{self.ratio:.2f}</b>" if self.ratio else ""
        return [(name, "first"), (text.duration(self.theirs), "n"), (text.duration(self.ours), "n"), (ratio, "n"),
                (goal_text(self.goal), "n"), (bar, "picture"), (self.mark, "verdict"),
                (physical(run, self.own) if self.own else "", "n")]


def suits(run, wanted):
    return run.is_own and run.device["software"] == wanted["software"] and run.device["kind"] in wanted["kinds"]


def goal_section(table, run, all_runs):
    peer = runs.peer_of(run, table["peer"], all_runs)
    verdicts = [Verdict(goal, run, peer) for goal in table["goals"]]
    met = sum(1 for verdict in verdicts if verdict.met)
    beside = escape(peer.label) if peer else f"no results of {escape(table['peer'])} for this device"
    heads = ["work", peer.label if peer else table["peer"], "Eglantine", "ratio", "goal", "⅛ … 1 … 8", "", "limit"]
    return (f"<h2>{escape(table['title'])}</h2><p>{escape(run.device['name'])}, beside {beside}: "
            f"<b>{met} of {len(verdicts)}</b> goals met. A ratio is the peer's time divided by Eglantine's; more is better. "
            "A bar shows it from ⅛ to 8 with 1 in the middle, and the line across is the goal.</p>"
            + text.table(heads, [verdict.row(run) for verdict in verdicts], "goals"))


def change_of(run, figure, variant):
    before = run.before.get((figure.name, variant))
    if before is None or before.problem or not before.time():
        return ""
    return f"{before.time() / figure.time():.2f} ×"


def figure_row(run, key):
    figure, variant = run.figures[key], key[1]
    name = escape(figure.name) + (f" <small>{escape(variant)}</small>" if variant else "")
    if figure.problem:
        return [(name, "first"), (escape(figure.problem), "problem")]
    spread = figure.spread("device") or figure.spread("wall")
    device = figure.spread("device")
    amount = text.rate(figure.rate("items"), "items/s") or text.rate(figure.rate("operations"), "FLOP/s")
    cells = [text.duration(device and device["median"]), text.duration(figure.time("wall")), text.duration(spread["min"]),
             f"{text.duration(spread['p25'])} – {text.duration(spread['p75'])}", text.rate(figure.rate("bytes"), "B/s"),
             amount, physical(run, figure), change_of(run, figure, variant)]
    return [(name, "first")] + [(each, "n") for each in cells]


def figures_section(run):
    heads = ["work", "device time", "wall", "least", "middle half", "bytes", "arithmetic", "limit", "faster than before"]
    body = text.table(heads, [figure_row(run, key) for key in run.figures])
    where = "" if run.is_own else " on " + escape(run.device["name"])
    return f"<details><summary>{escape(run.label)}{where}: {len(run.figures)} figures</summary>{body}</details>"
