#include "report_style.hpp"

const char* const report_style = R"(
:root { color-scheme: light dark; --page: #fbfaf8; --card: #ffffff; --ink: #22252a; --soft: #666c75; --rule: #e2dfd9;
  --accent: #b3365b; --faint: #b3365b; --right: #2563a8; --wrong: #e07b00; }
@media (prefers-color-scheme: dark) { :root { --page: #15171a; --card: #1d2024; --ink: #e8e6e2; --soft: #9aa0a8; --rule: #33373d;
  --accent: #f0809f; --faint: #f0809f; --right: #2f75c4; --wrong: #d97a0a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 50rem; margin: 0 auto; padding: 2.5rem 1.1rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.15rem; margin: 2.8rem 0 .3rem; }
p { margin: .2rem 0 .9rem; max-width: 42rem; overflow-wrap: anywhere; }
.lead, .note { color: var(--soft); }
.note { font-size: .9rem; }
.alert { border-left: .25rem solid var(--wrong); padding: .5rem .9rem; background: var(--card); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .7rem; margin: 1.4rem 0 1rem; }
.facts div { background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; padding: .7rem .9rem; }
.facts b { display: block; font-size: 1.5rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.facts span { color: var(--soft); font-size: .85rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .38rem .6rem .38rem 0; border-bottom: 1px solid var(--rule); }
th { width: 11rem; font-weight: 400; color: var(--soft); }
td { overflow-wrap: anywhere; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; padding: .8rem; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--soft); font-variant-numeric: tabular-nums; }
svg.narrow { display: none; }
@media (max-width: 40rem) {
  svg.wide { display: none; } svg.narrow { display: block; } .card { padding: .5rem .3rem; }
  main { padding: 1.5rem .8rem 3rem; } th { width: 7rem; }
}
.grid { stroke: var(--rule); }
.axis { stroke: var(--soft); }
.epoch { stroke: var(--soft); stroke-dasharray: 2 4; opacity: .7; }
path { fill: none; stroke-linejoin: round; }
.raw { stroke: var(--faint); opacity: .35; }
.smooth { stroke: var(--accent); stroke-width: 2.2; }
.dot { fill: var(--accent); }
svg .value, svg .head, svg .count { fill: var(--ink); }
svg .value { paint-order: stroke; stroke: var(--card); stroke-width: 4px; stroke-linejoin: round; }
svg .none { opacity: .7; }
svg .strong { fill: #fff; }
rect.right { fill: var(--right); }
rect.wrong { fill: var(--wrong); }
.filters img, .guesses img { display: block; width: 100%; height: auto; image-rendering: pixelated; border-radius: .25rem; }
.filters { display: grid; grid-template-columns: repeat(8, 1fr); gap: .5rem; }
@media (max-width: 40rem) { .filters { grid-template-columns: repeat(4, 1fr); } }
.guesses { display: grid; grid-template-columns: repeat(auto-fill, minmax(5rem, 1fr)); gap: 1rem .7rem; }
figure { margin: 0; }
figcaption { font-size: .8rem; line-height: 1.35; padding-top: .3rem; }
figcaption b { font-weight: 600; }
footer { margin-top: 3rem; padding-top: .8rem; border-top: 1px solid var(--rule); color: var(--soft); font-size: .85rem; }
)";
