#!/usr/bin/env python3
"""Fails when files need one another in a circle: C files by the functions they call, C++ files by what they include, modules of
Python by their imports, also those for type checkers and those inside functions. Names each circle with the names that close it."""

import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
C = ["Plugins", "Bindings/GStreamer", "Bindings/Java/native", "Sources/Native/*"]
CPP = ["Bindings/QtQuick"]
PYTHON = ["Bindings/Python/faceengine"]

# A notebook shows faces as a picture with marks: draw needs Faces, and Faces draws itself when a notebook requests it.
ALLOWED = {("_faces", "_notebook")}

DEFINED = re.compile(r"^(?!static\b|typedef\b)\w[\w\s*]*?[\s*](\w+)\([^;{}]*\)\s*\{", re.MULTILINE)
MACRO = re.compile(r"^#define (\w+)(.*(?:\\\n.*)*)", re.MULTILINE)


def code_of(path):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)


def by_calls(folder):
    """{(file, file): names} of C: the first one calls functions of the second one, also by macros."""
    codes = {path.name: code_of(path) for path in sorted(folder.glob("*.c"))}
    macros = {
        name: set(re.findall(r"\w+", body))
        for path in folder.glob("*.h")
        for name, body in MACRO.findall(code_of(path))
    }
    home = {}
    for file, code in codes.items():
        types = re.findall(r"^G_DEFINE_TYPE\w*\(\w+, (\w+)", code, re.MULTILINE)
        home.update(dict.fromkeys([*DEFINED.findall(code), *(f"{name}_get_type" for name in types)], file))
    edges = {}
    for file, code in codes.items():
        names, last = set(re.findall(r"\w+", code)), None
        while names != last:
            last, names = names, names.union(*(macros[name] for name in names & set(macros)))
        for name in sorted(names & set(home)):
            edges.setdefault((file, home[name]), []).append(name)
    return edges


def by_includes(folder):
    """The same of C++, where a header and a source of one name are one."""
    edges = {}
    for path in sorted([*folder.glob("*.cpp"), *folder.glob("*.hpp")]):
        for name in re.findall(r'^#include "([\w.]+)\.hpp"', path.read_text(encoding="utf-8"), re.MULTILINE):
            edges.setdefault((path.stem, name), []).append(f"{name}.hpp")
    return edges


def by_imports(folder):
    """The same of a package's modules."""
    modules = {path.stem for path in folder.glob("*.py")}
    edges = {}
    for path in sorted(folder.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                for name in (one.name for one in node.names):
                    module = node.module or (name if name in modules else "__init__")
                    if (path.stem, module) not in ALLOWED:
                        edges.setdefault((path.stem, module), []).append(name)
    return edges


def circles(edges):
    """Each list of names whose first needs the second, and so on, and the last the first; one for each name in a circle."""
    needs = {}
    for one, other in edges:
        if one != other:
            needs.setdefault(one, []).append(other)
    found = []
    for start in needs:
        if any(start in circle for circle in found):
            continue
        paths, seen = [[start]], set()
        while paths:
            path = paths.pop(0)
            if start in needs.get(path[-1], []):
                found.append(path)
                break
            for name in needs.get(path[-1], []):
                if name not in seen:
                    seen.add(name)
                    paths.append([*path, name])
    return found


def main():
    problems, files = [], 0
    for read, folders in ((by_calls, C), (by_includes, CPP), (by_imports, PYTHON)):
        for folder in sorted(path for pattern in folders for path in ROOT.glob(pattern)):
            edges = read(folder)
            files += len({one for one, _ in edges})
            for circle in circles(edges):
                steps = zip(circle, [*circle[1:], circle[0]])
                problems.append(
                    f"{folder.relative_to(ROOT)}: "
                    + ", ".join(f"{one} needs {other} ({', '.join(edges[one, other][:3])})" for one, other in steps)
                )
    print("\n".join(problems), end="\n" if problems else "", file=sys.stderr)
    return 1 if problems or files < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
