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
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if each_second >= factor:
            return f"{each_second / factor:.3g} {prefix}{unit}"
    return f"{each_second:.3g} {unit}"


def percent(part, whole):
    return f"{part / whole * 100:.0f} %" if part and whole else ""


def cell(text, kind="", tag="td"):
    return f"<{tag}{f' class={kind!r}' if kind else ''}>{text}</{tag}>"


def row(cells):
    return "<tr>" + "".join(cells) + "</tr>"


def table(heads, rows, kind=""):
    head = "".join(cell(escape(text), "" if i == 0 else "n", "th") for i, text in enumerate(heads))
    return f"<div class='scroll'><table class='{kind}'><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
