"""Derives the edges and triangles of the face mesh from its trails."""

import collections


def edges(trails):
    """The pairs of neighbours on the trails: each once, the smaller number first, in ascending order."""
    return sorted({tuple(sorted(pair)) for trail in trails for pair in zip(trail, trail[1:])})


def triangles(trails, hairline):
    """The triangles between the edges: counter-clockwise as a viewer sees the face, smallest number first, in ascending order."""
    neighbours = collections.defaultdict(set)
    for a, b in edges(trails):
        neighbours[a].add(b)
        neighbours[b].add(a)
    loops = {frozenset((a, b, c)) for a in neighbours for b in neighbours[a] for c in neighbours[a] & neighbours[b]}
    count = collections.Counter(side for loop in loops for side in sides(loop))
    # A loop around a wing of the nose has three triangles inside it and is none itself.
    loops = {loop for loop in loops if any(count[side] < 3 for side in sides(loop))}
    beside = collections.defaultdict(list)
    for loop in loops:
        for side in sides(loop):
            beside[side].append(loop)
    # The hairline runs clockwise along the mesh's rim; neighbours pass along their common side in opposite directions.
    rim = hairline[1], hairline[0]
    (first,) = beside[frozenset(rim)]
    found, waiting = {}, [(first, rim)]
    while waiting:
        loop, (a, b) = waiting.pop()
        if loop in found:
            continue
        (c,) = loop - {a, b}
        found[loop] = (a, b, c)
        waiting += [
            (other, (to, start)) for start, to in ((a, b), (b, c), (c, a)) for other in beside[frozenset((start, to))]
        ]
    return sorted(
        triangle[place:] + triangle[:place] for triangle in found.values() for place in [triangle.index(min(triangle))]
    )


def sides(loop):
    a, b, c = loop
    return frozenset((a, b)), frozenset((b, c)), frozenset((c, a))
