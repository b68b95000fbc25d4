#!/usr/bin/env python3
"""openapi.py [--check]: writes the gateway's OpenAPI document from what is below and docs/face-engine.schema.json, whose faces
are its faces. With --check writes nothing, and fails when the committed file differs."""

import copy
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
TARGET = HERE / "Sources/face-engine-gateway/Resources/openapi.json"
LINES = json.loads((HERE.parent / "docs/face-engine.schema.json").read_text())["$defs"]

FLAGS = {
    "landmarks": "478 points of each face, and those of its eyes, eyebrows, nose, lips and contour",
    "pose": "the rotation of the head in degrees",
    "expressions": "smile, openness of mouth and eyes, and 52 expression coefficients",
    "quality": "how good a picture of the face this is, 0 to 1",
    "transform": "where the head is, as a 4 × 4 matrix in centimetres",
    "iso-quality": "the measures of ISO/IEC 29794-5 that need no further network",
    "point-precision": "how far off each of the 478 points is expected to be, in pixels",
    "gaze": "where each eye is, in centimetres, and in which direction it looks",
    "all": "all of these",
    "prominent-only": "only the most prominent face",
}
NUMBERS = {
    "min-confidence": ({"type": "number", "minimum": 0, "maximum": 1}, "leave out faces with a lower confidence"),
    "overlap-threshold": ({"type": "number", "minimum": 0, "maximum": 1}, "keep one of two boxes that overlap by more"),
    "min-face-share": ({"type": "number", "minimum": 0, "maximum": 1}, "leave out faces narrower than this share of the picture's width"),
    "min-face-size": ({"type": "number", "minimum": 0, "maximum": 100000}, "leave out faces with fewer pixels"),
    "max-faces": ({"type": "integer", "minimum": 0, "maximum": 100000}, "at most this many faces; 0 for all"),
}
CHOICES = {
    "accuracy": (["low", "balanced", "high"], "speed against faces found"),
    "rotations": (["upright", "any"], "how heads may be tilted to be found"),
    "constellation": (["65", "76"], "the landmarks as so many points"),
}


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def moved(value):
    """A schema of the command's lines, with its references where this document has them."""
    if isinstance(value, dict):
        return {key: item.replace("#/$defs/", "#/components/schemas/") if key == "$ref" else moved(item)
                for key, item in value.items()}
    return [moved(item) for item in value] if isinstance(value, list) else value


def text(schema, description="", kind="application/json", **others):
    return {"description": description or "Done", "content": {kind: {"schema": schema}}, **others}


def errors(*codes):
    names = {400: "The request can never succeed", 401: "The token is missing or wrong", 403: "The host or origin may not call",
             404: "There is no such thing", 405: "The path has no such method", 409: "Another frame is being searched",
             413: "The body is too large", 415: "The body is compressed", 429: "Too many at a time", 503: "There is no engine",
             499: "The call was cancelled", 500: "A bug: please report it", 501: "Not done here", 504: "The time was over"}
    every = {*codes, 400, 401, 403, 405, 429, 500, 501, 503, 504, 499}
    responses = {str(code): text(ref("Error"), name) for code, name in names.items()}
    responses.update({f"v2-{code}": text(ref("InferenceError"), name) for code, name in names.items()})
    return sorted(every), responses


def operation(summary, answers, *codes, prefix="", **others):
    failures = {str(code): {"$ref": f"#/components/responses/{prefix}{code}"} for code in errors(*codes)[0]}
    return {"summary": summary, "responses": {**answers, **failures}, **others}


def inference(*arguments, **others):
    """An operation whose errors are those of the Open Inference Protocol."""
    return operation(*arguments, prefix="v2-", **others)


def parameters():
    def one(name, schema, description):
        return {"name": name, "in": "query", "description": description, "schema": schema}
    return ([one(name, {"enum": ["true", "false"]}, what) for name, what in FLAGS.items()]
            + [one(name, *pair) for name, pair in NUMBERS.items()]
            + [one(name, {"enum": values}, what) for name, (values, what) in CHOICES.items()])


def without(line, *names):
    schema = copy.deepcopy(moved(LINES[line]))
    for name in names:
        schema["properties"].pop(name)
    schema["required"] = [name for name in schema["required"] if name not in names]
    schema.pop("description", None)
    return schema


def check_event():
    """The events of a check, without what the frame tells itself."""
    schema = copy.deepcopy(moved(LINES["checkEvent"]))
    frame = {"schemaVersion", "frame", "timestamp", "dropped", "image"}
    for one in schema["oneOf"]:
        for name in frame:
            one["properties"].pop(name, None)
        one["required"] = [name for name in one["required"] if name not in frame]
    return schema


def frame_answer():
    schema = without("frame", "image", "mask")
    link = {"type": "object", "required": ["url", "width", "height"],
            "properties": {"url": {"type": "string"}, "width": {"type": "integer"}, "height": {"type": "integer"}}}
    schema["properties"].update({
        "state": ref("state"), "tip": {"type": "string"}, "text": {"type": "string", "description": "For people, in English"},
        "progress": {"type": "number", "minimum": 0, "maximum": 1}, "actionsDone": {"type": "integer"},
        "actions": {"type": "integer"}, "attempt": {"type": "integer"}, "circle": ref("circle"),
        "events": {"type": "array", "items": ref("CheckEvent")}, "picture": link, "crop": link})
    return schema


def tensor(data):
    return {"type": "object", "required": ["name", "datatype", "shape"], "properties": {
        "name": {"type": "string"}, "datatype": {"type": "string"}, "shape": {"type": "array", "items": {"type": "integer"}},
        "parameters": {"type": "object"}, "data": data}}


def session_options():
    values = {name: {"type": "boolean"} for name in FLAGS if name != "all"}
    values.update({name: schema for name, (schema, _) in NUMBERS.items()})
    values["accuracy"] = {"enum": CHOICES["accuracy"][0]}
    return {"type": "object", "description": "Flags of face-engine watch or face-engine check, without dashes in front",
            "properties": values, "additionalProperties": True}


def document():
    session = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    model = {"name": "model", "in": "path", "required": True, "schema": {"type": "string"}}
    picture = {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
    status = {"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}}
    truth = lambda name: {"type": "object", "required": [name], "properties": {name: {"type": "boolean"}}}
    json_body = lambda schema: {"required": True, "content": {"application/json": {"schema": schema}}}
    jpeg = {"200": text({"type": "string", "format": "binary"}, "A JPEG file", "image/jpeg")}
    inputs = {"type": "array", "items": tensor({"type": "array"})}
    outputs = tensor({"type": "array", "items": {"type": "number"}})
    infer = {"type": "object", "required": ["inputs"], "properties": {
        "id": {"type": "string"}, "parameters": {"type": "object"}, "inputs": inputs,
        "outputs": {"type": "array", "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}}}}
    inferred = {"type": "object", "required": ["model_name", "outputs"], "properties": {
        "model_name": {"type": "string"}, "model_version": {"type": "string"}, "id": {"type": "string"},
        "outputs": {"type": "array", "items": outputs}}}
    metadata = {"type": "object", "required": ["name", "versions", "platform", "inputs", "outputs"], "properties": {
        "name": {"type": "string"}, "versions": {"type": "array", "items": {"type": "string"}},
        "platform": {"type": "string"}, "inputs": inputs, "outputs": {"type": "array", "items": outputs}}}
    schemas = {name: moved(LINES[name]) for name in
               ("point", "vector", "box", "circle", "regions", "eye", "face", "error", "model", "state")}
    schemas.update(Error={"type": "object", "required": ["error"], "properties": {"error": ref("error")},
                          "additionalProperties": False},
                   InferenceError={"type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}},
                   Picture=without("picture", "image", "left", "mask", "outputs"), Frame=frame_answer(), CheckEvent=check_event())
    timing = {"Server-Timing": {"description": "engine;dur=MILLISECONDS: what the engine took", "schema": {"type": "string"}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "face-engine-gateway", "version": "1",
                 "description": "Faces in pictures and video, over HTTP. Names are those of the command line.",
                 "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}},
        "paths": {
            "/": {"get": operation("The page", {"200": text({"type": "string"}, "HTML", "text/html")}, 404)},
            "/healthz": {"get": operation("Whether the gateway runs", {"200": text(status)})},
            "/readyz": {"get": operation("Whether the engine answers", {"200": text(status)})},
            "/metrics": {"get": operation("Metrics for Prometheus", {"200": text({"type": "string"}, "Text", "text/plain")})},
            "/openapi.json": {"get": operation("This document", {"200": text({"type": "object"})})},
            "/v1/detect": {"post": operation(
                "Find the faces of a picture: a JPEG, PNG or WebP file",
                {"200": text(ref("Picture"), "What face-engine detect --json prints, without the picture's name", headers=timing)},
                404, 413, 415, parameters=parameters(), requestBody=picture)},
            "/v1/sessions": {"post": operation(
                "Begin to follow faces, or a guided check",
                {"201": text({"type": "object", "required": ["id", "kind", "idle_timeout_seconds"], "properties": {
                    "id": {"type": "string"}, "kind": {"enum": ["track", "check"]},
                    "idle_timeout_seconds": {"type": "integer"}}}, "Begun",
                    headers={"Location": {"schema": {"type": "string"}}})}, 413, 415,
                requestBody=json_body({"type": "object", "required": ["kind"], "properties": {
                    "kind": {"enum": ["track", "check"]}, "options": session_options()}}))},
            "/v1/sessions/{id}": {
                "parameters": [session],
                "delete": operation("End a session", {"204": {"description": "Ended"}}, 404)},
            "/v1/sessions/{id}/frames": {
                "parameters": [session],
                "post": operation("Send a frame", {"200": text(ref("Frame"), headers=timing)}, 404, 409, 413, 415, requestBody=picture,
                                  parameters=[{"name": "X-Timestamp-Ns", "in": "header", "description": "When it was taken",
                                               "schema": {"type": "integer", "minimum": 0, "maximum": 2 ** 63 - 1}}])},
            "/v1/sessions/{id}/restart": {
                "parameters": [session],
                "post": operation("Begin a check anew", {"204": {"description": "Begun anew"}}, 404)},
            "/v1/sessions/{id}/picture": {
                "parameters": [session], "get": operation("The picture of a check that succeeded", jpeg, 404)},
            "/v1/sessions/{id}/crop": {
                "parameters": [session], "get": operation("The square around its face", jpeg, 404)},
            "/v2": {"get": inference("Open Inference Protocol: the server", {"200": text({"type": "object", "required": ["name", "version"]})})},
            "/v2/health/live": {"get": inference("Whether the gateway runs", {"200": text(truth("live"))})},
            "/v2/health/ready": {"get": inference("Whether the engine answers", {"200": text(truth("ready"))})},
            "/v2/models/{model}": {"parameters": [model], "get": inference(
                "Names, types and shapes of a model", {"200": text(metadata)}, 404)},
            "/v2/models/{model}/ready": {"parameters": [model], "get": inference(
                "Whether a model can be used", {"200": text(truth("ready"))}, 404)},
            "/v2/models/{model}/infer": {"parameters": [model], "post": inference(
                "Find the faces of pictures", {"200": text(inferred)}, 404, 413, 415, requestBody=json_body(infer))},
        },
        "components": {"schemas": schemas, "responses": errors()[1],
                       "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{}, {"token": []}],
    }


def main():
    text = json.dumps(document(), ensure_ascii=False, separators=(",", ":")) + "\n"
    if TARGET.exists() and TARGET.read_text() == text:
        return 0
    if sys.argv[1:] == ["--check"]:
        print(f"openapi.py: {TARGET} is not what this gives; run Gateway/openapi.py and commit", file=sys.stderr)
        return 1
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
