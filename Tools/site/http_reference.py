"""The page of the gateway's HTTP interface, from its OpenAPI document."""

import json
import pathlib
import re

PATH = pathlib.Path(__file__).resolve().parents[2] / "Gateway/Sources/GatewayHTTP/Resources/openapi.json"
CHAPTERS = [("/v1", "Faces"), ("/v2", "Open Inference Protocol"), ("/", "The gateway itself")]
PREFIX = "#/components/"


def cell(text):
    return str(text).replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def kind(schema):
    """A schema in few words."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{anchor(name)})"
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(value)}`" if not isinstance(value, str) else f"`{value}`" for value in schema["enum"])
    for name in ("oneOf", "anyOf", "allOf"):
        if name in schema:
            return " or ".join(kind(one) for one in schema[name])
    names = schema.get("type", "any")
    if names == "array":
        counts = {schema.get("minItems"), schema.get("maxItems")}
        number = f" of {counts.pop()}" if len(counts) == 1 and None not in counts else ""
        many = "" if number or "maxItems" not in schema else f", at most {schema['maxItems']}"
        return f"array{number}: {kind(schema.get('items', {}))}{many}"
    text = " or ".join(names) if isinstance(names, list) else names
    if schema.get("properties"):
        text += " with " + ", ".join(f"`{name}`" for name in schema["properties"])
    if "minimum" in schema and "maximum" in schema:
        text += f" {number_text(schema['minimum'])} to {number_text(schema['maximum'])}"
    elif "minimum" in schema:
        text += f" from {number_text(schema['minimum'])}"
    if "pattern" in schema:
        text += f", `{schema['pattern']}`" if len(schema["pattern"]) < 40 else ", a pattern"
    return text


def number_text(number):
    return f"2^{number.bit_length()} − 1" if isinstance(number, int) and number > 2 ** 31 else f"{number:,}".replace(",", "\u202f")


def anchor(name):
    """Schemas may differ only by the case of their names, anchors not."""
    return f"schema-{name}"


def table(head, rows):
    return "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {' | '.join(row)} |" for row in rows)])


def properties(schema):
    required = set(schema.get("required", []))
    rows = [[f"`{name}`", kind(one).replace("|", "\\|"), "yes" if name in required else "", cell(one.get("description", ""))]
            for name, one in schema.get("properties", {}).items()]
    if isinstance(schema.get("additionalProperties"), dict):
        rows.append(["any other", kind(schema["additionalProperties"]), "", ""])
    return table(["member", "type", "always", "what"], rows) if rows else ""


def content(media):
    return " or ".join(f"`{name}`" + (f": {kind(one['schema'])}" if one.get("schema") else "") for name, one in media.items())


def operation(path, method, what, shared):
    place = re.sub(r"[^a-z0-9]+", "-", path).strip("-") or "page"
    parts = [f"### {method.upper()} {path} {{ #{method}-{place} }}", f"{what['summary']}."]
    if what.get("description"):
        parts.append(what["description"])
    if what.get("security") == []:
        parts.append("Needs no token.")
    parameters = [*shared, *what.get("parameters", [])]
    if parameters:
        rows = [[f"`{one['name']}`", one["in"], kind(one.get("schema", {})), cell(one.get("description", ""))] for one in parameters]
        parts.append(table(["parameter", "in", "type", "what"], rows))
    if body := what.get("requestBody"):
        parts.append(f"**Body:** {content(body['content'])}" + ("" if body.get("required") else ", if any"))
    rows, errors = [], []
    for code, answer in what["responses"].items():
        if "$ref" in answer:
            errors.append(f"[{code}](#{'errors-of-v2' if 'responses/v2-' in answer['$ref'] else 'errors'})")
        else:
            headers = "".join(f"; header `{name}`" + (f": {cell(one['description'])}" if one.get("description") else "")
                              for name, one in answer.get("headers", {}).items())
            rows.append([code, cell(answer["description"]) + headers, content(answer.get("content", {}))])
    if rows:
        parts.append(table(["answer", "what", "content"], rows))
    if errors:
        parts.append("Errors: " + ", ".join(errors))
    return parts


def page():
    document = json.loads(PATH.read_text(encoding="utf-8"))
    parts = ["# HTTP", document["info"]["description"] + " [The gateway](../docs/gateway.md) says how it is started and who may call. "
             "This page is made from [openapi.json](openapi.json), which the gateway serves at `/openapi.json`."]
    left = dict(document["paths"])
    for prefix, title in CHAPTERS:
        parts.append(f"## {title}")
        for path in [path for path in left if path.startswith(prefix)]:
            methods = left.pop(path)
            shared = methods.pop("parameters", [])
            for method, what in methods.items():
                parts += operation(path, method, what, shared)
    for prefix, title, name in (("", "Errors", "errors"), ("v2-", "Errors of /v2", "errors-of-v2")):
        rows = [[code.removeprefix("v2-"), cell(answer["description"]), content(answer["content"])]
                for code, answer in document["components"]["responses"].items() if code.startswith("v2-") == bool(prefix)]
        parts += [f"## {title} {{ #{name} }}", table(["status", "what", "content"], rows)]
    parts.append("## Schemas")
    for name, schema in document["components"]["schemas"].items():
        parts.append(f"### {name} {{ #{anchor(name)} }}")
        if schema.get("description"):
            parts.append(schema["description"] + ".")
        if "properties" in schema:
            parts.append(properties(schema))
        elif any(one in schema for one in ("oneOf", "anyOf")):
            for number, one in enumerate(schema.get("oneOf") or schema["anyOf"]):
                if "properties" in one:
                    parts += ["or" if number else "One of:", properties(one)]
                else:
                    parts.append(("or " if number else "") + kind(one))
        else:
            parts.append(kind(schema))
    return "\n\n".join(part for part in parts if part) + "\n"
