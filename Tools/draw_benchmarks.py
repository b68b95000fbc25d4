#!/usr/bin/env python3
"""Draws docs/benchmarks.svg from docs/benchmarks.json: what was measured, when, where and with which command.

    python3 Tools/draw_benchmarks.py > docs/benchmarks.svg

A value is one number, or the lowest and the highest of several. Bars of all panels have one scale.
"""

import json
import pathlib
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parents[1]
WIDTH, LEFT, RIGHT = 860, 310, 90  # of the picture, of the names, of the numbers
BAR, GAP, GROUP_GAP = 17, 4, 12
STYLE = """
  text { font: 13px system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif; fill: #1f2328; }
  .title { font-size: 15px; font-weight: 600; } .note { font-size: 11.5px; fill: #59636e; }
  .ours { fill: #0969da; } .other { fill: #afb8c1; } .spread { fill-opacity: 0.45; }
  .own { font-weight: 600; } .axis { stroke: #d1d9e0; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; } .note { fill: #9198a1; } .ours { fill: #4493f8; } .other { fill: #656c76; } .axis { stroke: #3d444d; }
  }
"""


def text(x, y, words, kind="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def bars(y, name, values, scale):
    """A bar, from lowest to highest where there are two, with its name before and its number behind it."""
    kind = "ours" if name.startswith("FaceEngine") else "other"
    low, high = values[0] * scale, values[-1] * scale
    drawn = [f'<rect x="{LEFT}" y="{y}" width="{low:.1f}" height="{BAR}" class="{kind}"/>']
    if high > low:
        drawn.append(
            f'<rect x="{LEFT + low:.1f}" y="{y}" width="{high - low:.1f}" height="{BAR}" class="{kind} spread"/>'
        )
    own = " own" if kind == "ours" else ""
    drawn.append(text(LEFT - 8, y + BAR - 4, name, own, "end"))
    number = f"{values[0]:g} ms" if len(values) == 1 else f"{values[0]:g} to {values[-1]:g} ms"
    drawn.append(text(LEFT + high + 6, y + BAR - 4, number, own))
    return drawn


def main():
    data = json.loads((ROOT / "docs/benchmarks.json").read_text(encoding="utf-8"))
    highest = max(
        max(values) for panel in data["panels"] for group in panel["groups"] for values in group["values"].values()
    )
    scale = (WIDTH - LEFT - RIGHT) / highest
    drawn, y = [], 10
    for panel in data["panels"]:
        drawn += [text(16, y + 16, panel["title"], "title"), text(16, y + 34, panel["unit"], "note")]
        top = y = y + 48
        for group in panel["groups"]:
            drawn.append(text(16, y + BAR - 4, group["name"]))
            for name, values in group["values"].items():
                drawn += bars(y, name, values, scale)
                y += BAR + GAP
            y += GROUP_GAP
        drawn.append(f'<line x1="{LEFT}" x2="{LEFT}" y1="{top - 4}" y2="{y - GROUP_GAP + 2}" class="axis"/>')
        drawn.append(
            text(16, y + 6, f"{panel['measured']}, {panel.get('machine', data['machine'])}: {panel['command']}", "note")
        )
        y += 34
    title = "Benchmarks: FaceEngine beside OpenVINO, onnxruntime, ncnn, libfacedetection, OpenCV and MediaPipe; shorter is better"
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y - 12}" width="{WIDTH}" height="{y - 12}" role="img">'
        f"<!-- Made by Tools/draw_benchmarks.py. --><title>{title}</title><style>{STYLE}</style>"
    )
    print("\n".join(drawn))
    print("</svg>")


if __name__ == "__main__":
    main()
