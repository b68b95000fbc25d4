"""Holds every answer that a test gets against what /openapi.json says of it."""

import functools
import json
import pathlib
import re
import sys

import jsonschema

GATEWAY = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(GATEWAY.parent / "Tests"))

from json_lines import SCHEMA, closed  # noqa: E402, F401

DOCUMENT = closed(json.loads((GATEWAY / "Sources/GatewayHTTP/Resources/openapi.json").read_text()))
# Paths as they are come before those with parameters.
PATHS = sorted(
    ((re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), item) for path, item in DOCUMENT["paths"].items()),
    key=lambda pair: pair[0].pattern.count("[^/]+"),
)


@functools.cache
def validator(pointer):
    return jsonschema.Draft202012Validator({"$ref": f"#/{pointer}", **DOCUMENT})


def place(method, path, status):
    """Where the document has the answer; None for a path or a method that it does not have."""
    for pattern, item in PATHS:
        if pattern.fullmatch(path.split("?")[0]):
            break
    else:
        return None
    operation = item.get(method.lower())
    if operation is None:
        return None
    answer = operation["responses"].get(str(status))
    assert answer is not None, f"{method} {path} was answered with {status}, which /openapi.json does not know"
    if "$ref" in answer:
        return answer["$ref"].removeprefix("#/")
    name = next(name for name, other in DOCUMENT["paths"].items() if other is item)
    return "/".join(("paths", name.replace("~", "~0").replace("/", "~1"), method.lower(), "responses", str(status)))


def check(method, path, status, headers, body):
    """Fails for JSON that the document forbids."""
    found = place(method, path, status)
    if found is None or headers.get("content-type") != "application/json" or "content-encoding" in headers or not body:
        return
    pointer = f"{found}/content/application~1json/schema"
    error = jsonschema.exceptions.best_match(validator(pointer).iter_errors(json.loads(body)))
    assert error is None, f"{method} {path}: {status} {body[:200]}: {error.json_path}: {error.message[:500]}"
