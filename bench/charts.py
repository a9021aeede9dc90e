#!/usr/bin/env python3
"""Draws docs/images/scaling.svg from the tables of docs/scaling.md, which `bench/scaling.py report` prints."""

from __future__ import annotations

import math
import re
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
CHART = DOCS / "images" / "scaling.svg"
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 380, 64, 120, 48, 48
COLORS = {"build": "#bc4c00", "pagerank": "#0969da", "bfs": "#1a7f37", "wcc": "#8250df"}
STYLE = """<style>
text { font: 13px system-ui, sans-serif; fill: #59636e; } .title { font-size: 14px; font-weight: 600; fill: #1f2328; } .end { text-anchor: end; } .middle { text-anchor: middle; }
.card { fill: #f6f8fa; } .grid { stroke: #d1d9e0; } path { fill: none; stroke-width: 2; }
@media (prefers-color-scheme: dark) { text { fill: #9da7b3; } .title { fill: #e6edf3; } .card { fill: #161b22; } .grid { stroke: #3d444d; } path, circle { filter: brightness(1.6); } }
</style>"""


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


def chart() -> str:
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


if __name__ == "__main__":
    CHART.write_text(chart(), encoding="utf-8")
