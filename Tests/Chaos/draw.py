#!/usr/bin/env python3
"""draw.py MEMORY_CSV: a picture (SVG) of what chaos.py wrote, the resident memory over time, on standard output.

A line for each engine; a mark where a round of it ended.
"""

import csv
import itertools
import sys

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 860, 320, 60, 40, 40
STYLE = """
  text { font: 13px system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif; fill: #1f2328; }
  .line { fill: none; stroke: #0969da; stroke-width: 1.5; } .grid { stroke: #d1d9e0; } .end { fill: #cf222e; }
  @media (prefers-color-scheme: dark) { text { fill: #f0f6fc; } .line { stroke: #4493f8; } .grid { stroke: #3d444d; } }
"""
MIB = 1 << 20


def lives(rows):
    """The points of each engine: seconds, round, bytes."""
    return [[point for _, *point in life] for _, life in itertools.groupby(rows, key=lambda row: row[0])]


def main(path):
    with open(path, newline="") as file:
        rows = [(row["engine"], float(row["seconds"]), int(row["round"]), int(row["resident_bytes"])) for row in csv.DictReader(file)]
    if not rows:
        sys.exit(f"draw.py: {path} has no rows; let chaos.py run for a round")
    step = max(50, -(-max(row[3] for row in rows) // MIB // 250) * 50)
    top = -(-max(row[3] for row in rows) // (step * MIB)) * step
    longest = rows[-1][1] or 1

    def x(seconds):
        return LEFT + seconds / longest * (WIDTH - LEFT - 20)

    def y(mebibytes):
        return HEIGHT - BOTTOM - mebibytes / top * (HEIGHT - BOTTOM - TOP)

    drawn = [f'<text x="{LEFT}" y="20">Resident memory of the engine, MiB: {rows[-1][2]} rounds, {longest / 60:.0f} minutes</text>']
    for mebibytes in range(0, top + 1, step):
        drawn.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - 20}" y1="{y(mebibytes):.1f}" y2="{y(mebibytes):.1f}"/>')
        drawn.append(f'<text x="{LEFT - 8}" y="{y(mebibytes) + 4:.1f}" text-anchor="end">{mebibytes}</text>')
    for tenth in range(0, 11, 2):
        seconds = longest * tenth / 10
        drawn.append(f'<text x="{x(seconds):.1f}" y="{HEIGHT - 14}" text-anchor="middle">{seconds / 60:.1f} min</text>')
    for life in lives(rows):
        points = " ".join(f"{x(seconds):.1f},{y(resident / MIB):.1f}" for seconds, _, resident in life)
        drawn.append(f'<polyline class="line" points="{points}"/>')
        for here, following in zip(life, life[1:] + [(0, 0, 0)]):
            if here[1] != following[1]:
                drawn.append(f'<circle class="end" cx="{x(here[0]):.1f}" cy="{y(here[2] / MIB):.1f}" r="2.5"/>')
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">'
          f'<style>{STYLE}</style>{"".join(drawn)}</svg>')


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
