"""The page: goals, rooflines, sweeps, every figure."""

import pathlib
from html import escape

from . import distribution, roofline, sweeps, tables, text

STYLE = (pathlib.Path(__file__).parent / "page.css").read_text(encoding="utf-8")


def words(command):
    """Lines break between the words of a command, not at the hyphens of its options."""
    return " ".join(f"<span class='word'>{escape(word)}</span>" for word in command.split())


def run_card(run):
    device, data = run.device, run.data
    lines = [("driver", device.get("driver")), ("library", data.get("library")), ("commit", data.get("commit")),
             ("measured", data.get("date")), ("host", data.get("host")),
             ("copy", text.rate(device.get("copy_bytes_per_second"), "B/s")),
             ("f32 peak", text.rate(device.get("peak_operations_per_second"), "FLOP/s")), ("command", data.get("command"))]
    rows = "".join(f"<dt>{name}</dt><dd>{words(value) if name == 'command' else escape(str(value))}</dd>" for name, value in lines if value)
    return f"<section class='card'><h3>{escape(device['name'] if run.is_own else run.label)}</h3><dl>{rows}</dl></section>"


def goal_sections(all_runs, goals):
    return "".join(tables.goal_section(table, run, all_runs) for table in goals["tables"] for run in all_runs
                   if tables.suits(run, table["device"]))


def html_of(all_runs, goals):
    rooflines = "".join(roofline.roofline(run) for run in all_runs if run.is_own)
    plots = "".join(sweeps.sweep_plot(*key, series) for key, series in sweeps.sweeps(all_runs))
    parts = ["<h1>Eglantine, measured</h1>", f"<div class='cards'>{''.join(run_card(run) for run in all_runs)}</div>",
             goal_sections(all_runs, goals), distribution.sections(all_runs, goals)]
    if rooflines:
        parts += ["<h2>Rooflines</h2>", "<p>Each work below the most that its bytes and operations allow. The numbers are those of the list below, which gives rates and shares of the roof; works whose dots cover each other share one.</p>", rooflines]
    if plots:
        parts += ["<h2>Sizes</h2>", f"<div class='sweeps'>{plots}</div>"]
    parts += ["<h2>Every figure</h2>"] + [tables.figures_section(run) for run in all_runs]
    return ("<!doctype html><html lang='en'><head><meta charset='utf-8'>"
            "<meta name='viewport' content='width=device-width, initial-scale=1'><title>Eglantine, measured</title>"
            f"<style>{STYLE}</style></head><body><main>{''.join(parts)}</main></body></html>\n")
