#!/usr/bin/env python3
"""public_names.py BUILD_FOLDER check|renew: what programs of others name and find at every door but the C ABI and the wire, which Tools/generate
compares: members of JSON, paths and queries of HTTP, flags, columns of CSV, metrics, variables of the environment, and the names of the
bindings with their arguments. Fails if one of Proto/baseline/names.txt is not there any more. renew writes that file at a release.

Commands are asked; of bindings the sources are read. Without the gateway's program, its flags are not compared."""

import ast
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
KEPT = ROOT / "Proto/baseline/names.txt"


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def sources(*patterns):
    return [path.read_text(encoding="utf-8") for pattern in patterns for path in sorted(ROOT.glob(pattern))]


# -- Data


def members(schema, place):
    """The members of a schema, those of its alternatives and items too."""
    if isinstance(schema, list):
        for one in schema:
            yield from members(one, place)
    elif isinstance(schema, dict):
        for name, one in schema.get("properties", {}).items():
            kind = one.get("$ref", "").rpartition("/")[2] or one.get("type") or json.dumps(one.get("const", ""))
            yield f"{place}.{name}: {kind}"
            yield from members(one, f"{place}.{name}")
        for name in ("items", "oneOf", "anyOf", "allOf"):
            yield from members(schema.get(name), place)
        if "enum" in schema:
            yield from (f"{place} = {value}" for value in schema["enum"])


def data():
    for name, schema in json.loads(read("docs/face-engine.schema.json"))["$defs"].items():
        yield from (f"json {one}" for one in members(schema, name))
    document = json.loads(read("Gateway/Sources/GatewayHTTP/Resources/openapi.json"))
    for name, schema in document["components"]["schemas"].items():
        yield from (f"http {one}" for one in members(schema, name))
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method == "parameters":
                continue
            yield f"http {method.upper()} {path}"
            yield from (
                f"http {method.upper()} {path} {code}" for code in operation["responses"] if code.startswith("2")
            )
            for one in operation.get("parameters", []):
                yield f"http {method.upper()} {path} {one['in']} {one['name']}"
                yield from (
                    f"http {method.upper()} {path} {one['name']}{value}" for value in members(one["schema"], "")
                )


def metrics():
    # Names are written out, or made of a part: f"face_engine_\(name)" after gauge("uptime_seconds", …).
    for text in sources(
        "Sources/Command/face-engine/Output/*Metrics*.swift",
        "Sources/Command/ResultJSON/*Metrics*.swift",
        "Gateway/Sources/GatewayMetrics/*.swift",
    ):
        yield from (f"metric {name}" for name in re.findall(r'"((?:face_engine_|gateway_)?[a-z]+(?:_[a-z]+)+)"', text))


def environment():
    for text in sources("docs/*.md", "README.md", "SECURITY.md", "Proto/PROTOCOL.md"):
        yield from (f"environment {name}" for name in re.findall(r"\bFACE_ENGINE_(?!LONG|TEST)[A-Z]+\b", text))


# -- Commands


def flags(command, path):
    yield f"command {path}"
    for one in command.get("arguments", []):
        kind = "" if one["kind"] == "flag" else " VALUE"
        yield from (
            f"flag {path} {'-' if name['kind'] == 'short' else '--'}{name['name']}{kind}"
            for name in one.get("names", [])
        )
        if one["kind"] == "positional":
            yield f"flag {path} {one['valueName'].upper()}"
        yield from (f"flag {path} {one['valueName']} = {value}" for value in one.get("allValues", []))
    for one in command.get("subcommands", []):
        if one["shouldDisplay"] and one["commandName"] != "help":
            yield from flags(one, f"{path} {one['commandName']}")


def commands(build):
    for program in (build / "face-engine", ROOT / "Gateway/.build/release/face-engine-gateway"):
        if not program.exists():
            print(f"names: {program.name} is not built; its flags are not compared", file=sys.stderr)
            continue
        text = subprocess.run([program, "--experimental-dump-help"], capture_output=True, check=True, text=True).stdout
        yield from flags(json.loads(text)["command"], program.name)
    photo = ROOT / "Examples/photos/grace_hopper.jpg"
    for name in ("detect", "quality"):
        more = ["--pose", "--expressions", "--quality"] if name == "detect" else []
        line = [build / "face-engine", name, "--csv", *more, "--model", ROOT / "Models/yunet", photo]
        header = subprocess.run(line, capture_output=True, check=True, text=True).stdout.splitlines()[0]
        yield from (f"csv {name} {column}" for column in header.split(","))


# -- Bindings


def python():
    modules = [ast.parse(text) for text in sources("Bindings/Python/faceengine/*.py")]
    exported = {
        name
        for module in modules
        for one in module.body
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and one.targets[0].id == "__all__"
        for name in ast.literal_eval(one.value)
    }
    for module in modules:
        for one in module.body:
            # Options are dictionaries for type checkers, and arguments for people.
            if getattr(one, "name", "") not in exported and not getattr(one, "name", "").endswith("Options"):
                continue
            if isinstance(one, ast.ClassDef):
                yield f"python {one.name}"
                for item in one.body:
                    if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
                        yield from signature(item, f"{one.name}.")
                    elif isinstance(item, (ast.Assign, ast.AnnAssign)):
                        targets = item.targets if isinstance(item, ast.Assign) else [item.target]
                        yield from (
                            f"python {one.name}.{target.id}"
                            for target in targets
                            if isinstance(target, ast.Name) and not target.id.startswith("_")
                        )
            else:
                yield from signature(one, "")


def signature(function, place):
    if function.name.startswith("_") and function.name != "__init__":
        return
    yield f"python {place}{function.name}()"
    arguments = function.args
    for one in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
        if one.arg not in ("self", "cls") and not one.arg.startswith("_"):
            yield f"python {place}{function.name}({one.arg})"


def uncommented(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)


TYPE = re.compile(
    r"^ *((?:[a-z]+(?:\([a-z]+\))? )*)(?:class|struct|enum|record|interface|extension|protocol|actor) ([\w.]+)[^;{]*\{",
    re.MULTILINE,
)


def types(text):
    """[(where it begins and ends, words before it, its name)] of the types of a source, outer ones first."""
    found = []
    for one in TYPE.finditer(text):
        depth, end = 1, one.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        found.append((one.start(), end, one[1].split(), one[2]))
    return found


def declared(door, texts, pattern, of_public=False):
    """What a pattern finds in sources, each after the type around it, with single spaces."""
    for text in map(uncommented, texts):
        whole = types(text)
        for found in re.finditer(pattern, text):
            around = [(words, name) for start, end, words, name in whole if start < found.start(1) < end]
            if not of_public or around and "public" in around[-1][0]:
                yield f"{door} {'.'.join(name for _, name in around)}: {' '.join(found[1].split())}"


def swift():
    """Names and labels: a function may get arguments that have a default."""
    texts = sources("Bindings/Swift/FaceEngine*/**/*.swift")
    yield from declared("swift", texts, r"\n *(case \w+)", of_public=True)
    for line in declared(
        "swift", texts, r"\n *(?:@\w+ )*public (?!import)((?:[a-z]+(?:\([a-z]+\))? )*[\w`]+\??(?:\([^{]*?\) )?)"
    ):
        name, _, rest = line.partition("(")
        yield name
        yield from (f"{name}({label}:)" for label in re.findall(r"[(,] ?(\w+)(?: \w+)?:", f"({rest}"))


def bindings():
    yield from python()
    yield from swift()
    java = sources("Bindings/Java/source/**/*.java", "Bindings/Java/generated/**/*.java")
    for line in declared(
        "java", java, r"\bpublic ((?:static |final |abstract |sealed )*[\w<>\[\], .?]+\s?(?:\([^)]*\))?)"
    ):
        name, _, components = line.partition("(")
        if ": record " in name:
            yield name
            yield from (f"{name}: {one.strip()}" for one in components.rstrip(")").split(", "))
        else:
            yield line
    yield from declared("java", java, r"\n  ([A-Z][A-Z_0-9]+)\(")
    qml = sources("Bindings/QtQuick/*.hpp")
    yield from declared("qml", qml, r"Q_PROPERTY\((\S+ \S+)")
    yield from declared("qml", qml, r"Q_INVOKABLE ([^;]+);")
    for text in qml:
        for part in re.findall(r"\nsignals:\n(.*?)\n(?:private|public|protected|};)", text, re.DOTALL):
            yield from (f"qml signal {one}" for one in re.findall(r"void (\w+\([^;]*\));", part))
    # With those of the contract, which Tools/generate compares, these are all.
    yield from declared("gstreamer", sources("Bindings/GStreamer/*.c"), r'g_param_spec_\w+\(\s*"([a-z-]+)"')
    cpp = [
        re.sub(r"namespace detail \{.*?\n\}", "", text, flags=re.DOTALL) for text in sources("include/face_engine.hpp")
    ]
    yield from declared("c++", cpp, r"\n  (?!return)(?:explicit |static )*[\w:<>&*]+ [&*]?(\w+)\(")


def main(arguments):
    if len(arguments) != 2 or arguments[1] not in ("check", "renew"):
        print("usage: public_names.py BUILD_FOLDER check|renew", file=sys.stderr)
        return 2
    names = {*data(), *metrics(), *environment(), *commands(pathlib.Path(arguments[0]).resolve()), *bindings()}
    if arguments[1] == "renew":
        KEPT.write_text("".join(f"{one}\n" for one in sorted(names)), encoding="utf-8")
        return 0
    missing = set(KEPT.read_text(encoding="utf-8").splitlines()) - names
    if not (ROOT / "Gateway/.build/release/face-engine-gateway").exists():
        missing = {one for one in missing if not re.match(r"(?:flag|command) face-engine-gateway\b", one)}
    for one in sorted(missing):
        print(f'names: the last release had "{one}"; keep it, or see docs/compatibility.md', file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
