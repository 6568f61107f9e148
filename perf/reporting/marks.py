"""Where the numbers of a plot's dots stand."""

import math

from .axes import BOTTOM, LEFT, TOP, text_width

DOT = 4.5
MARK_SIZE, MARK_HEIGHT = 12, 12
NEAR = 10  # a number farther from its dot has a line to it


def grouped(points):
    """[(first, count)]: points that follow each other and whose dots cover each other share a number such as 3–5."""
    groups = []
    for i, point in enumerate(points):
        if i and math.dist(points[i - 1], point) < 1.5 * DOT:
            groups[-1][1] += 1
        else:
            groups.append([i, 1])
    return groups


def boxes_along(start, end, thickness):
    """A line as small boxes."""
    (x0, y0), (x1, y1) = start, end
    count = max(1, math.ceil(math.dist(start, end) / 3))
    half = thickness / 2
    for i in range(count + 1):
        x, y = x0 + (x1 - x0) * i / count, y0 + (y1 - y0) * i / count
        yield x - half, y - half, x + half, y + half


def meets(box, others):
    return any(box[0] < right and left < box[2] and box[1] < bottom and top < box[3] for left, top, right, bottom in others)


def line_to(box, dots):
    """From the nearest dot to a number's box."""
    ends = [((x, y), (min(max(x, box[0]), box[2]), min(max(y, box[1]), box[3]))) for x, y in dots]
    return min(ends, key=lambda each: math.dist(*each))


def leader_of(own, others, box):
    """The line from a number's own dots to its box, or None where it stands beside them and no other dot is as near."""
    line = line_to(box, own)
    is_clear = not others or math.dist(*line_to(box, others)) > math.dist(*line) + 1
    return None if math.dist(*line) <= NEAR and is_clear else line


def around(x, y, half):
    """Boxes in rings about the point, to the right and left first."""
    for ring in range(60):
        for turn in (0, 180, -90, 90, -30, 210, 30, 150, -60, 240, 60, 120):
            across, up = math.cos(math.radians(turn)), math.sin(math.radians(turn))
            left = x + across * (half + DOT + 1 + 4 * ring)
            middle = y - up * (MARK_HEIGHT / 2 + DOT + 1 + 4 * ring)
            yield left - half, middle - MARK_HEIGHT / 2, left + half, middle + MARK_HEIGHT / 2


def place_marks(points, roof, width, height):
    """[(number, its box, its line or None)]: beside the dots, or as near as it covers no dot, number, line or roof, and
    its line passes through no other dot or number."""
    lines = [box for start, end in zip(roof, roof[1:]) for box in boxes_along(start, end, 4)]
    dot_boxes = [(x - DOT, y - DOT, x + DOT, y + DOT) for x, y in points]
    placed = []

    def is_free(box, own, others, other_boxes, crowded):
        inside = LEFT < box[0] and box[2] < width - 2 and TOP < box[1] and box[3] < height - BOTTOM
        numbers = [each for _, each, _ in placed]
        if not inside or meets(box, dot_boxes) or meets(box, numbers) or not crowded and meets(box, lines):
            return False
        leader = leader_of(own, others, box)
        return crowded or leader is None or not any(meets(each, numbers + other_boxes) for each in boxes_along(*leader, 1))

    for first, count in grouped(points):
        own = points[first:first + count]
        others, other_boxes = (each[:first] + each[first + count:] for each in (points, dot_boxes))
        mark = f"{first + 1}" if count == 1 else f"{first + 1}–{first + count}"
        half = text_width(mark, MARK_SIZE) / 2
        x, y = (sum(each) / count for each in zip(*own))
        box = next((each for crowded in (False, True) for each in around(x, y, half)
                    if is_free(each, own, others, other_boxes, crowded)), None)
        if box is None:
            raise ValueError(f"no room for the number {mark} at {x:.0f}, {y:.0f}")
        leader = leader_of(own, others, box)
        placed.append((mark, box, leader))
        lines += boxes_along(*leader, 1) if leader else []
    return placed
