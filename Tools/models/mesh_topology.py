#!/usr/bin/env python3
"""Write Sources/Vision/Rendering/MeshTopology.swift: which points of the face mesh are joined by lines.

    python3 Tools/models/mesh_topology.py face_mesh_connections.py

The file is MediaPipe's mediapipe/python/solutions/face_mesh_connections.py; its FACEMESH_TESSELATION names each edge of each
triangle as a pair of points. The edges, each once, become as few trails as a simple walk finds: from each point to the
next along an edge that no trail has.
"""

import pathlib
import re
import sys
import textwrap

TARGET = pathlib.Path(__file__).resolve().parents[2] / "Sources/Vision/Rendering/MeshTopology.swift"
HEAD = '''/// The edges of the face mesh's triangles, as trails of points: each point of a trail is joined to the next
/// one.
///
/// Made by Tools/models/mesh_topology.py of MediaPipe's FACEMESH_TESSELATION (face_mesh_connections.py).
package enum MeshTopology {
  /// Each edge is in one trail, once.
  package static let trails: [[UInt16]] = [
'''


def trails_of(edges):
    ends = {}
    for a, b in edges:
        ends.setdefault(a, set()).add(b)
        ends.setdefault(b, set()).add(a)
    trails = []
    while left := [point for point in sorted(ends) if ends[point]]:
        # A trail that is not closed ends where an odd number of edges meet.
        trail = [next((point for point in left if len(ends[point]) % 2), left[0])]
        while ends[trail[-1]]:
            point = trail[-1]
            following = max(ends[point], key=lambda other: (len(ends[other]) % 2 == 0, len(ends[other]), -other))
            ends[point].remove(following)
            ends[following].remove(point)
            trail.append(following)
        trails.append(trail)
    return trails


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    _, _, table = pathlib.Path(sys.argv[1]).read_text().partition("FACEMESH_TESSELATION")
    pairs = re.findall(r"\((\d+), +(\d+)\)", table)
    edges = sorted({tuple(sorted(map(int, pair))) for pair in pairs})
    trails = trails_of(edges)
    assert sorted(tuple(sorted(pair)) for trail in trails for pair in zip(trail, trail[1:])) == edges
    lines = [
        textwrap.fill(f"[{', '.join(map(str, trail))}],", 110, initial_indent="    ", subsequent_indent="      ")
        for trail in trails]
    TARGET.write_text(HEAD + "\n".join(lines) + "\n  ]\n}\n")
    print(f"{len(edges)} edges in {len(trails)} trails")


if __name__ == "__main__":
    main()
