#!/usr/bin/env python3
"""Draws docs/images/scaling.svg from the tables of docs/scaling.md, and docs/images/comparison.svg from the log of `bench/compare.py`."""

from __future__ import annotations

import math
import re
from pathlib import Path

import compare

DOCS = Path(__file__).resolve().parent.parent / "docs"
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 380, 64, 120, 48, 48
COLORS = {"build": "#bc4c00", "pagerank": "#0969da", "bfs": "#1a7f37", "wcc": "#8250df"}
STYLE = """<style>
text { font: 13px system-ui, sans-serif; fill: #59636e; } .title { font-size: 14px; font-weight: 600; fill: #1f2328; } .end { text-anchor: end; } .middle { text-anchor: middle; }
.card { fill: #f6f8fa; } .grid { stroke: #d1d9e0; } path { fill: none; stroke-width: 2; }
@media (prefers-color-scheme: dark) { text { fill: #9da7b3; } .title { fill: #e6edf3; } .card { fill: #161b22; } .grid { stroke: #3d444d; } path, circle { filter: brightness(1.6); } }
</style>"""


def bars(x: int, width: int, heading: str, values: list[tuple[str, float, str]]) -> list[str]:
    """Return one panel of horizontal bars, with a line at each power of ten."""
    least = math.floor(math.log10(min(value for _, value, _ in values)) - 0.3)
    per_decade = width / (math.log10(max(value for _, value, _ in values)) - least)
    parts = [f'<text class="title" x="{x}" y="64">{heading}</text>']
    for decade in range(int(width / per_decade) + 1):
        parts.append(f'<line class="grid" x1="{x + decade * per_decade:.1f}" x2="{x + decade * per_decade:.1f}" y1="72" y2="{78 + 30 * len(values)}"/>')
    for row, (system, value, label) in enumerate(values):
        y, length = 80 + 30 * row, round(per_decade * (math.log10(value) - least), 1)
        color = COLORS["pagerank"] if system == "outcrop" else "#818b98"
        parts.append(f'<rect x="{x}" y="{y}" width="{length}" height="20" rx="2" fill="{color}"/><text x="{x + length + 6}" y="{y + 15}">{label}</text>')
    return parts


def comparison() -> str:
    """Return the chart of the README: whole processes of PageRank, seconds and peak memory."""
    graph, found = compare.medians()
    runs = found["pagerank"]
    height = 110 + 30 * len(runs)
    parts = [f'<rect class="card" width="{WIDTH}" height="{height}" rx="8"/>']
    parts.append(f'<text class="title" x="24" y="32">PageRank of {graph["edges"] / 1e6:.0f} million edges, from the file to the ranks, two cores</text>')
    parts += [f'<text class="end" x="96" y="{95 + 30 * row}">{system}</text>' for row, system in enumerate(runs)]
    seconds = [(system, run["process_seconds"], f"{run['process_seconds']:.3g} s") for system, run in runs.items()]
    memory = [(system, run["peak_rss"] / 2**20, size(run["peak_rss"])) for system, run in runs.items()]
    parts += bars(106, 210, "Seconds", seconds)
    parts += bars(430, 230, "Peak memory", memory)
    parts.append(f'<text x="24" y="{height - 14}">Logarithmic scales, one line per power of ten. outcrop reads from disk; the others hold the graph in memory.</text>')
    label = "Seconds and memory of PageRank: " + "; ".join(f"{system} {time[2]}, {space[2]}" for (system, *_), time, space in zip(runs.items(), seconds, memory))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">'
    return "\n".join([head, STYLE, *parts, "</svg>"]) + "\n"


def size(count: float) -> str:
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{count / 2**20:.0f} MiB"


def rows_of(text: str, heading: str) -> list[list[str]]:
    """Return the cells of the first table after a heading, without its head."""
    table = text[text.index(heading) :].split("\n|", 1)[1].split("\n\n", 1)[0]
    return [[cell.strip().replace(",", "") for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def series() -> dict[str, list[tuple[float, float]]]:
    """Return edges and seconds with two threads per series."""
    text = (DOCS / "scaling.md").read_text(encoding="utf-8")
    builds = rows_of(text, "## Builds")
    edges = {row[0]: float(row[1]) for row in builds}
    runs = {name: rows_of(text, f"\n`{name}`: ") for name in COLORS if name != "build"}
    points = {name: [(edges[row[0]], float(row[5])) for row in rows] for name, rows in runs.items()}
    return {"build": [(edges[row[0]], float(row[3])) for row in builds], **points}


def scaling() -> str:
    """Return the chart: logarithmic axes, one line per series."""

    def x(value: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * math.log(value / 3e6) / math.log(600e6 / 3e6), 1)

    def y(value: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * math.log(value / 0.005) / math.log(100 / 0.005), 1)

    parts = [f'<rect class="card" width="{WIDTH}" height="{HEIGHT}" rx="8"/>']
    parts.append('<text class="title" x="24" y="30">Seconds by edges, two threads; builds in 256 MiB, runs in a sixth of the store</text>')
    for seconds in (0.01, 0.1, 1, 10, 100):
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(seconds)}" y2="{y(seconds)}"/>')
        parts.append(f'<text class="end" x="{LEFT - 8}" y="{y(seconds) + 4}">{seconds:g} s</text>')
    for millions in (4, 16, 64, 256):
        parts.append(f'<text class="middle" x="{x(millions * 1e6)}" y="{HEIGHT - 20}">{millions} M edges</text>')
    for name, points in series().items():
        line = "L".join(f"{x(edges)} {y(seconds)}" for edges, seconds in points)
        parts.append(f'<path stroke="{COLORS[name]}" d="M{line}"/>')
        parts += [f'<circle cx="{x(edges)}" cy="{y(seconds)}" r="3" fill="{COLORS[name]}"/>' for edges, seconds in points]
        shift = {"bfs": -4, "wcc": 12}.get(name, 4)
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{y(points[-1][1]) + shift}">{name}</text>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Seconds by edges">'
    return "\n".join([head, STYLE, *parts, "</svg>"]) + "\n"


CHARTS = {DOCS / "images" / "scaling.svg": scaling, DOCS / "images" / "comparison.svg": comparison}

if __name__ == "__main__":
    for path, chart in CHARTS.items():
        path.write_text(chart(), encoding="utf-8")
