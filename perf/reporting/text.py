"""Numbers and HTML as people read them."""

from html import escape


def duration(us):
    if us is None:
        return ""
    if us >= 1e6:
        return f"{us * 1e-6:.3g} s"
    if us >= 1e3:
        return f"{us * 1e-3:.4g} ms"
    return f"{us:.3g} µs"


def rate(each_second, unit):
    if not each_second:
        return ""
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if each_second >= factor:
            return f"{each_second / factor:.3g} {prefix}{unit}"
    return f"{each_second:.3g} {unit}"


def percent(part, whole):
    return f"{part / whole * 100:.0f} %" if part and whole else ""


def row(cells, heads):
    """cells: (HTML, class). The last one takes what columns are left. A narrow page shows the head beside the value."""
    parts = []
    for i, (html, kind) in enumerate(cells):
        span = f" colspan='{len(heads) - i}'" if i == len(cells) - 1 and i < len(heads) - 1 else ""
        head = escape(heads[i], quote=True) if kind == "n" else ""
        empty = " empty" if not html else ""
        parts.append(f"<td class='{kind}{empty}' data-head='{head}'{span}>{html}</td>")
    return "<tr>" + "".join(parts) + "</tr>"


def table(heads, rows, kind=""):
    head = "".join(f"<th class='{'n' if i else ''}'>{escape(text)}</th>" for i, text in enumerate(heads))
    body = "".join(row(cells, heads) for cells in rows)
    return f"<table class='{kind}'><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
