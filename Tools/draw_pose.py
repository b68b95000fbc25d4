#!/usr/bin/env python3
"""Draws docs/pose.svg: what the signs of yaw, pitch and roll mean.

    python3 Tools/draw_pose.py > docs/pose.svg

The heads are egg-shaped models, turned as Sources/Vision/Analysis/HeadPose.swift defines the angles and seen along the
axis of depth: x to the right, y down, z away from the camera, which a head that is not turned looks at.
"""

from math import cos, pi, radians, sin, sqrt

HALF = (74, 100, 86)  # half axes of the head
LINE = 'fill="none" stroke="#222" stroke-width="2.5" stroke-linecap="round"'
ARROW = 'fill="none" stroke="#c03020" stroke-width="5" marker-end="url(#tip)"'
TEXT = 'font-family="sans-serif" text-anchor="middle"'


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def turn(yaw, pitch, roll):
    """Rz(roll) Ry(-yaw) Rx(-pitch), of degrees."""
    y, p, r = radians(-yaw), radians(-pitch), radians(roll)
    around_y = [[cos(y), 0, sin(y)], [0, 1, 0], [-sin(y), 0, cos(y)]]
    around_x = [[1, 0, 0], [0, cos(p), -sin(p)], [0, sin(p), cos(p)]]
    around_z = [[cos(r), -sin(r), 0], [sin(r), cos(r), 0], [0, 0, 1]]
    return product(around_z, product(around_y, around_x))


def place(rotation, right, down, out=1.0):
    """A place on the head: degrees to the picture's right of the nose and below it. None on the far side."""
    u, v = radians(right), radians(down)
    point = (sin(u) * cos(v), sin(v), -cos(u) * cos(v))
    at = [sum(rotation[i][k] * point[k] * HALF[k] * out for k in range(3)) for i in range(3)]
    facing = sum(rotation[2][k] * point[k] / HALF[k] for k in range(3))
    return (at[0], at[1]) if facing < 0 else None


def path(points, style, closed=False):
    seen = [point for point in points if point]
    if len(seen) < 2:
        return ""
    return f'<path d="M{" L".join(f"{x:.1f} {y:.1f}" for x, y in seen)}{" Z" if closed else ""}" {style}/>'


def outline(rotation):
    """The edge of the turned head: of M Mᵀ, the upper left part is the ellipse's."""
    m = [[rotation[i][k] * HALF[k] for k in range(3)] for i in range(2)]
    a, b, d = (sum(p * q for p, q in zip(m[i], m[j])) for i, j in ((0, 0), (0, 1), (1, 1)))
    first, second = sqrt(a), b / sqrt(a)
    third = sqrt(d - second * second)
    angles = [2 * pi * i / 72 for i in range(72)]
    return path([(first * cos(t), second * cos(t) + third * sin(t)) for t in angles],
                'fill="#f6e3d0" stroke="#222" stroke-width="2.5"', closed=True)


def ear(rotation, side):
    """How far away it is, and the ear."""
    x, y, z = (sum(rotation[i][k] * p for k, p in enumerate((side * HALF[0], 0, 12))) for i in range(3))
    fill = "#9cc4e4" if side > 0 else "#e8cdb4"
    return z, f'<ellipse cx="{x:.1f}" cy="{y:.1f}" rx="13" ry="22" fill="{fill}" stroke="#222" stroke-width="2.5"/>'


def head(yaw, pitch, roll):
    rotation = turn(yaw, pitch, roll)

    def curve(places, style=LINE, closed=False, out=1.0):
        return path([place(rotation, right, down, out) for right, down in places], style, closed)

    parts = sorted([ear(rotation, -1), ear(rotation, 1), (0, outline(rotation))], reverse=True)
    drawn = [part for _, part in parts]
    pale = 'fill="none" stroke="#c9a98c" stroke-width="1.5"'
    drawn.append(curve([(0, down) for down in range(-88, 89, 4)], pale))
    drawn.append(curve([(right, -12) for right in range(-88, 89, 4)], pale))
    for side in (-1, 1):
        circle = [2 * pi * i / 24 for i in range(24)]
        drawn.append(curve([(side * 27 + 11 * cos(t), -12 + 6 * sin(t)) for t in circle],
                           'fill="#fff" stroke="#222" stroke-width="2"', closed=True))
        drawn.append(curve([(side * 27 + 4 * cos(t), -12 + 4 * sin(t)) for t in circle], 'fill="#222"', closed=True))
        drawn.append(curve([(side * 27 + x, -24 - 3 * cos(radians(x * 6))) for x in range(-13, 14, 2)]))
    # The nose stands out of the face.
    bridge, tip, wing = place(rotation, 0, -6), place(rotation, 0, 14, 1.22), place(rotation, 0, 19)
    drawn.append(path([bridge, tip, wing], LINE + ' stroke-linejoin="round"'))
    drawn.append(curve([(x, 40 + 4 * cos(radians(x * 4))) for x in range(-22, 23, 2)]))
    return "".join(drawn)


def panel(x, name, words, angles, arrow):
    return (f'<g transform="translate({x} 165)">{head(*angles)}<path d="{arrow}" {ARROW}/>'
            f'<text y="165" font-size="20" font-weight="bold" {TEXT}>{name}</text>'
            f'<text y="190" font-size="15" {TEXT}>{words}</text></g>')


print('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 370" width="1000" height="370" role="img">'
      '<!-- Made by Tools/draw_pose.py. -->'
      '<defs><marker id="tip" markerWidth="4" markerHeight="4" refX="1" refY="2" orient="auto">'
      '<path d="M0 0 L4 2 L0 4 Z" fill="#c03020"/></marker></defs>'
      '<title>The signs of yaw, pitch and roll</title><rect width="1000" height="370" fill="#fff"/>'
      f'<text x="500" y="26" font-size="15" {TEXT}>as the picture shows the person; '
      'the blue ear is the subject’s left one</text>')
print(panel(125, "0, 0, 0", "into the camera", (0, 0, 0), ""))
print(panel(375, "yaw +30", "to the subject’s left", (30, 0, 0), "M-55 122 Q0 140 55 122"))
print(panel(625, "pitch +25", "chin up", (0, 25, 0), "M112 45 Q124 0 112 -45"))
print(panel(875, "roll +20", "to the left shoulder", (0, 0, 20), "M-48 -111 Q0 -135 48 -111"))
print("</svg>")
