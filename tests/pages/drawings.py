"""The drawings of a page, as far as the checks need them: texts, dots, roofs, bars and verdicts."""

import math
import re
from html.parser import HTMLParser


class Drawing:
    def __init__(self, attributes):
        self.kind = attributes.get("class", "")
        self.label = attributes.get("aria-label", self.kind)
        self.width, self.height = map(float, attributes["viewbox"].split()[2:])
        self.size = float(attributes.get("font-size", 0))
        self.texts = []
        self.marks = []  # what no text may lie on: (what it is, corners)

    @property
    def is_narrow(self):
        return "wide" not in self.kind.split()


class Text:
    """A text's box: its four corners."""

    def __init__(self, text, attributes, drawing, turn):
        self.text, self.size = text, float(attributes.get("font-size", drawing.size))
        width = 0.56 * self.size * len(text)
        x, y = float(attributes["x"]), float(attributes["y"])
        left = x - {"start": 0, "middle": width / 2, "end": width}[attributes.get("text-anchor", "start")]
        box = [(left, y - 0.72 * self.size), (left + width, y - 0.72 * self.size), (left + width, y), (left, y)]
        self.corners = [turned(point, turn) for point in box]


def turned(point, turn):
    if turn is None:
        return point
    angle, cx, cy = turn
    x, y = point[0] - cx, point[1] - cy
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return cx + x * cos - y * sin, cy + x * sin + y * cos


def overlap(a, b):
    """Whether two convex shapes meet: no edge's normal separates them."""
    for corners in (a, b):
        for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1]):
            nx, ny = y1 - y0, x0 - x1
            spans = [[nx * x + ny * y for x, y in each] for each in (a, b)]
            if max(spans[0]) <= min(spans[1]) or max(spans[1]) <= min(spans[0]):
                return False
    return True


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.drawings, self.verdicts = [], []
        self.drawing = self.text = self.bar = None
        self.turns = []
        self.style = "".join(re.findall(r"<style>(.*?)</style>", text, re.DOTALL))
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "svg":
            self.drawing = Drawing(attributes)
            self.drawings.append(self.drawing)
        elif tag == "g":
            turn = re.match(r"rotate\(([-\d.]+) ([-\d.]+) ([-\d.]+)\)", attributes.get("transform", ""))
            self.turns.append(tuple(map(float, turn.groups())) if turn else None)
        elif tag == "text":
            self.text = attributes
        elif tag == "circle":
            x, y, r = (float(attributes[each]) for each in ("cx", "cy", "r"))
            self.drawing.marks.append(("a dot", [(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)]))
        elif tag == "polyline" and attributes.get("class") == "roof":
            points = [tuple(map(float, each.split(","))) for each in attributes["points"].split()]
            self.drawing.marks += [("the roof", [start, end]) for start, end in zip(points, points[1:])]
        elif tag == "rect" and attributes.get("class") in ("good", "bad"):
            self.bar = attributes["class"]
        elif tag == "span" and attributes.get("class") in ("pill good", "pill bad"):
            self.verdicts.append((self.bar, attributes["class"].split()[1]))
        elif tag == "tr":
            self.bar = None

    def handle_endtag(self, tag):
        if tag == "svg":
            self.drawing = None
        elif tag == "g":
            self.turns.pop()
        elif tag == "text":
            self.text = None

    def handle_data(self, data):
        if self.text is not None and data.strip():
            turn = next((each for each in reversed(self.turns) if each), None)
            self.drawing.texts.append(Text(data, self.text, self.drawing, turn))
