"""Pages with one mistake each, and what is said about it."""


def drawing(content, kind="narrow", width=380):
    return f"<svg class='{kind}' font-size='12' viewBox='0 0 {width} 100' aria-label='A'>{content}</svg>"


def text(words, x=50, y=50, more=""):
    return f"<text x='{x}' y='{y}' {more}>{words}</text>"


BAR = "<tr><td><svg class='bar' viewBox='0 0 120 14'><rect class='{}'/></svg></td><td><span class='pill {}'>met</span></td></tr>"

SOUND = (drawing(text("one") + text("two", 90) + "<circle cx='20' cy='50' r='4'/><polyline class='roof' points='0,90 380,90'/>")
         + BAR.format("good", "good") + "<style>:root { --ink: #222222; --page: #ffffff; }</style>")

PLANTED = [
    (drawing(text("one") + text("two", 60)), "'one' and 'two' lie on top of each other"),
    (drawing(text("one", 370)), "'one' is cut off"),
    (drawing(text("one"), width=800), "'one' is too small on a screen of 420 pixels"),
    (drawing(text("one") + "<circle cx='55' cy='48' r='4'/>"), "'one' lies on a dot"),
    (drawing(text("one") + "<polyline class='roof' points='0,90 100,0'/>"), "'one' lies on the roof"),
    (BAR.format("bad", "good"), "a bar is bad beside a verdict that is good"),
    ("<style>:root { --soft: #999999; --page: #ffffff; }</style>", "--soft on --page has a contrast of 2.85 in the light theme"),
]
