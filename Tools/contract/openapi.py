"""Prints the gateway's OpenAPI document from the contract and from what is below; its faces are those of the command's lines."""

import copy
import json

import schema
from contract import ROOT
from document import read
from printers import camel

CONTRACT = read()
TARGET = ROOT / "Gateway/Sources/GatewayHTTP/Resources/openapi.json"
LINES = schema.document()["$defs"]

# The largest integer that JSON has exactly in all programs; queries have larger ones.
SAFE = 2**53 - 1


# A path and a query have no control characters, nor have options.
PLAIN = {"type": "string", "pattern": "^[^\\x00-\\x1F\\x7F]*$"}


def number(least, most):
    return {"type": "number", "minimum": least, "maximum": most}


def integer(least, most):
    return {"type": "integer", "minimum": least, "maximum": most}


def limit(name):
    return next(limit["default"] for limit in CONTRACT["options"]["Limits"] if limit["name"] == name)


def record(properties, required=None):
    """An object with these members, which has all of them unless `required` lists others; there may be more."""
    return {"type": "object", "required": list(properties) if required is None else required, "properties": properties}


def numbers(message):
    """{flag: schema with a description} of the options of a message; times are in seconds."""
    found = {}
    for option in CONTRACT["options"][message]:
        if option["kind"] == "nanoseconds":
            schema = SECONDS
        elif option["kind"] == "count":
            schema = integer(option["least"], option.get("most", SAFE))
        else:
            schema = number(option["least"], option.get("most", MAX_SIDE))
        found[option["flag"]] = {**schema, "description": option["sentence"]}
    return found


def flags():
    """{flag: sentences} of the outputs, where one flag may request several."""
    found = {}
    for output in CONTRACT["outputs"]:
        flag = output["flag"]
        found[flag] = f"{found[flag]} {output['sentence']}" if flag in found else output["sentence"]
    return {
        **found,
        "all": "All of these.",
        "prominent-only": "Only the most prominent face.",
        "mirrored": sentence("Image", "mirrored"),
    }


def sentence(message, field):
    return next(one["sentence"] for one in CONTRACT["messages"][message] if one["name"] == field)


def bounds(struct, name):
    """The range of a member of a C struct."""
    return next(
        (one["least"], one["most"]) for one in CONTRACT["c"]["structs"][struct]["members"] if one["name"] == name
    )


def names(enumeration):
    """The values of an enumeration of C, but for the one that stands for none."""
    values = CONTRACT["c"]["enumerations"][enumeration]["values"]
    return [value["short"].lower() for value in values if value["short"] != "DEFAULT"]


def image_options():
    """{flag: schema with a description} of how the pixels of a picture are seen, but for the switch `mirrored`."""
    side = r"[0-9]{1,6}(\.[0-9]{1,6})?"
    schemas = {
        "orientation": integer(1, len(names("face_orientation"))),
        "region": {
            "type": "string",
            "pattern": f"^{','.join(['-?' + side] * 2 + ['[1-9]' + side.replace('1,6', '0,5', 1)] * 2)}$",
        },
        "pixel_aspect": number(*bounds("face_image", "pixel_aspect")),
    }
    return {
        name.replace("_", "-"): schema | {"description": sentence("Image", name)} for name, schema in schemas.items()
    }


# The longest side of a picture, and thus the largest size in pixels.
MAX_SIDE = limit("max_image_side")
TEXT, COUNT, SHAPE = (
    {"type": "string"},
    {"type": "integer", "minimum": 0},
    {"type": "array", "items": {"type": "integer"}},
)
SECONDS = number(0, 1_000_000)
IMAGE = image_options()
FLAGS, NUMBERS, FOLLOWING, CHECK_NUMBERS = (
    flags(),
    numbers("DetectOptions"),
    numbers("Tracking"),
    numbers("CheckOptions"),
)
VISIT_NUMBERS = numbers("VisitOptions")
MEASURES = [camel(name.split("_")) for name in names("face_iso_measure")]
ACTIONS = [name.replace("_", "-") for name in names("face_action")]
CHOICES = {
    "accuracy": (names("face_accuracy"), "trade-off between speed and faces found"),
    "rotations": (names("face_rotations"), "how far a head may be tilted"),
    "constellation": (list(CONTRACT["constellations"]), "the landmarks as this many points"),
}


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def moved(value):
    """A schema of the command's lines, with its references where this document has them."""
    if isinstance(value, dict):
        return {
            key: item.replace("#/$defs/", "#/components/schemas/") if key == "$ref" else moved(item)
            for key, item in value.items()
        }
    return [moved(item) for item in value] if isinstance(value, list) else value


def text(schema, description="", kind="application/json", **others):
    return {"description": description or "Done", "content": {kind: {"schema": schema}}, **others}


ERRORS = {
    400: "The request can never succeed",
    401: "The token is missing or wrong",
    403: "The host or origin may not call",
    404: "There is nothing at this path",
    405: "The path does not support this method",
    408: "The request arrives too slowly",
    409: "Not possible in this state of the session",
    413: "The body is too large",
    415: "The body's compression is not supported",
    429: "Too many calls at a time, or per second",
    431: "The headers are too large or too many",
    499: "The call was cancelled",
    500: "A bug: please report it",
    501: "Not supported here",
    503: "There is no engine, no room for the request, or the gateway is stopping",
    504: "The deadline passed",
}
# What any request may be answered with.
COMMON = set(ERRORS) - {404, 409}


def error_responses():
    headers = {401: {"WWW-Authenticate": "Bearer"}, 405: {"Allow": "The methods that the path supports"}}
    responses = {}
    for prefix, schema in (("", "Error"), ("v2-", "InferenceError")):
        for code, name in ERRORS.items():
            more = {
                key: {"description": what, "required": True, "schema": {"type": "string"}}
                for key, what in headers.get(code, {}).items()
            }
            responses[f"{prefix}{code}"] = text(ref(schema), name, **({"headers": more} if more else {}))
    return responses


def operation(summary, answers, *codes, prefix="", **others):
    failures = {str(code): {"$ref": f"#/components/responses/{prefix}{code}"} for code in sorted({*codes, *COMMON})}
    return {"summary": summary, "responses": {**answers, **failures}, **others}


def static(summary, answer):
    """A file that is the same for all callers."""
    tag = {"ETag": {"required": True, "schema": {"type": "string"}}}
    return operation(
        summary,
        {"200": {**answer, "headers": tag}, "304": {"description": "The caller has it", "headers": tag}},
        404,
        security=[],
    )


def inference(*arguments, **others):
    """An operation whose errors are those of the Open Inference Protocol."""
    return operation(*arguments, prefix="v2-", **others)


def in_query(schemas):
    return [
        {"name": name, "in": "query", "description": schema.pop("description"), "schema": schema}
        for name, schema in copy.deepcopy(schemas).items()
    ]


def switches(flags):
    return {
        name: {"type": "string", "enum": ["true", "false", "1", "0"], "description": what}
        for name, what in flags.items()
    }


def parameters():
    numbers = {
        name: schema | ({"maximum": 2**63 - 1} if schema.get("maximum") == SAFE else {})
        for name, schema in NUMBERS.items()
    }
    choices = {
        name: {"type": "string", "enum": values, "description": what} for name, (values, what) in CHOICES.items()
    }
    return in_query({**IMAGE, **switches(FLAGS), **numbers, **choices})


def without(line, *names):
    schema = copy.deepcopy(moved(LINES[line]))
    for name in names:
        schema["properties"].pop(name)
    schema["required"] = [name for name in schema["required"] if name not in names]
    schema.pop("description", None)
    return schema


# The members that name the frame in a line of JSON.
PLACE_OF_LINE = ("schemaVersion", "frame", "timestamp", "dropped", "image")


def check_event():
    """The events of a check, without what the frame tells itself."""
    schema = copy.deepcopy(moved(LINES["checkEvent"]))
    for one in schema["anyOf"]:
        for name in PLACE_OF_LINE:
            one["properties"].pop(name, None)
        one["required"] = [name for name in one["required"] if name not in PLACE_OF_LINE]
    return schema


def frame_answer():
    schema = without("frame", "image", "mask")
    link = record({"url": TEXT, "width": {"type": "integer"}, "height": {"type": "integer"}})
    schema["properties"].update(
        {
            "state": ref("state"),
            "tip": {"type": "string"},
            "text": {"type": "string", "description": "For people, in English"},
            "progress": {"type": "number", "minimum": 0, "maximum": 1},
            "actionsDone": {"type": "integer"},
            "actions": {"type": "integer"},
            "attempt": {"type": "integer"},
            "circle": ref("circle"),
            "events": {"type": "array", "items": ref("CheckEvent")},
            "visits": {"type": "array", "items": ref("VisitEvent"), "description": "With the option visits"},
            "picture": link,
            "crop": link,
        }
    )
    return schema


def session_options():
    """The options of a session that tracks, and those of a check."""
    track = {name: {"type": "boolean", "description": what} for name, what in FLAGS.items()}
    track.update({**IMAGE, **NUMBERS, **FOLLOWING})
    track.update({name: {"enum": values, "description": what} for name, (values, what) in CHOICES.items()})
    track["constellation"]["enum"] = [*map(int, CONTRACT["constellations"]), *CONTRACT["constellations"]]
    track["max-side"] = {
        "anyOf": [integer(*bounds("face_options", "max_side")), {"const": "native"}],
        "description": "scale a larger picture down to this long side in pixels before the search",
    }
    track["use"] = PLAIN | {"description": "the name of a loaded model"}
    circle = record({"x": number(0, 1), "y": number(0, 1), "radius": number(0.01, 2)}) | {
        "description": "Where the face should be, as fractions of the width, height and shorter side of the first frame"
    }
    switches = {
        one["flag"]: {"type": "boolean", "description": one["sentence"]} for one in CONTRACT["switches"]["CheckOptions"]
    }
    check = {
        **{name: schema for name, schema in track.items() if name not in ("analysis-rate", "pixel-aspect")},
        **CHECK_NUMBERS,
        "circle": circle,
        **switches,
        "seed": integer(0, SAFE),
        "preset": {"enum": names("face_check_preset")},
        "actions": {
            "type": "array",
            "maxItems": CONTRACT["c"]["constants"]["FACE_CHECK_MAX_ACTIONS"],
            "items": {"enum": ACTIONS},
        },
        "min-iso": {
            "type": "array",
            "items": {"type": "string", "pattern": f"^({'|'.join(MEASURES)})=(100|[0-9]{{1,2}})$"},
        },
    }
    track["reidentify"] = {"type": "boolean", "description": "give a face that comes back within 10 seconds its old id"}
    track.update(
        {"visits": {"type": "boolean", "description": "count people: answers say who came and left"}, **VISIT_NUMBERS}
    )
    what = "Flags of face-engine {}, without dashes in front"
    return [
        {"type": "object", "description": what.format(command), "properties": values, "additionalProperties": False}
        for command, values in (("watch", track), ("check", check))
    ]


def session_request():
    def kind(name):
        return record(
            {"kind": {"const": name}, "options": {"anyOf": [ref(f"{name.title()}Options"), {"type": "null"}]}}, ["kind"]
        )

    return {"oneOf": [kind("track"), kind("check")]}


TENSOR_PARAMETERS = {
    "type": "object",
    "properties": {
        "binary_data_size": {
            **COUNT,
            "description": "Bytes of the tensor after the JSON, whose own length is in Inference-Header-Content-Length",
        }
    },
}


def tensor(name, datatype, data):
    return record(
        {"name": name, "datatype": datatype, "shape": SHAPE, "parameters": TENSOR_PARAMETERS, "data": data},
        ["name", "datatype", "shape"],
    )


def infer_request():
    value = {"type": ["string", "number", "boolean"]}
    bytes_of_pixels = {"type": "array", "items": integer(0, 255)}
    nested = {
        "type": "array",
        "description": "Nested as in the shape, or flat",
        "items": {
            "anyOf": [integer(0, 255), {"type": "array", "items": {"anyOf": [integer(0, 255), bytes_of_pixels]}}]
        },
    }
    file = {"type": "string", "format": "byte", "description": "A file in base64"}
    image = tensor(
        {"const": "image"},
        {"const": "BYTES"},
        {
            "type": "array",
            "maxItems": limit("batch_images"),
            "description": "Nested as in the shape, or flat",
            "items": {"anyOf": [file, {"type": "array", "maxItems": limit("batch_images"), "items": file}]},
        },
    )
    pixels = tensor({"const": "pixels"}, {"const": "UINT8"}, nested)
    names = {"enum": ["boxes", "points", "scores", "counts", *(output["name"] for output in CONTRACT["outputs"])]}
    wanted = record(
        {"name": names, "parameters": {"type": "object", "properties": {"binary_data": {"type": "boolean"}}}}, ["name"]
    )
    return record(
        {
            "id": TEXT,
            "parameters": {
                "type": "object",
                "additionalProperties": value,
                "description": "Options of the command line, as in min_confidence; binary_data_output asks for outputs as bytes",
            },
            "inputs": {"type": "array", "minItems": 1, "maxItems": 1, "items": {"oneOf": [image, pixels]}},
            "outputs": {"type": "array", "items": wanted},
        },
        ["inputs"],
    )


def infer_answer():
    data = {
        "type": "array",
        "items": {"type": ["number", "null"]},
        "description": "null is a number that is not finite",
    }
    return record(
        {
            "model_name": TEXT,
            "model_version": TEXT,
            "id": TEXT,
            "outputs": {"type": "array", "items": tensor(TEXT, TEXT, data)},
        },
        ["model_name", "model_version", "outputs"],
    )


def model_schemas():
    def described(*more):
        return {"type": "array", "items": record({"name": TEXT, **{key: PARTS[key] for key in more}})}

    PARTS = {
        "datatype": TEXT,
        "shape": SHAPE,
        "dims": SHAPE,
        "data_type": {"type": "string", "pattern": "^TYPE_"},
        "optional": {"type": "boolean"},
    }
    total = record({"count": COUNT, "ns": COUNT})
    totals = ["success", "fail", "queue", "compute_input", "compute_infer", "compute_output", "cache_hit", "cache_miss"]
    metadata = {
        "name": TEXT,
        "versions": {"type": "array", "items": TEXT},
        "platform": TEXT,
        "inputs": described("datatype", "shape"),
        "outputs": described("datatype", "shape"),
    }
    config = {
        "name": TEXT,
        "platform": TEXT,
        "backend": TEXT,
        "max_batch_size": COUNT,
        "input": described("data_type", "dims", "optional"),
        "output": described("data_type", "dims"),
        "version_policy": {"type": "object"},
        "model_transaction_policy": {"type": "object"},
    }
    stats = {
        "name": TEXT,
        "version": TEXT,
        "inference_count": {**COUNT, "description": "Pictures"},
        "last_inference": {**COUNT, "description": "Milliseconds since 1970; 0 for none"},
        "execution_count": {**COUNT, "description": "Requests that succeeded"},
        "batch_stats": {"type": "array"},
        "inference_stats": record(dict.fromkeys(totals, total)),
    }
    entry = {"name": TEXT, "version": TEXT, "state": {"enum": ["READY", "UNAVAILABLE"]}, "reason": TEXT}
    return {
        "ModelMetadata": record(metadata),
        "ModelConfig": record(config),
        "ModelStatistics": record({"model_stats": {"type": "array", "items": record(stats)}}),
        "RepositoryIndex": {"type": "array", "items": record(entry)},
    }


def model_paths():
    """The paths of a model, and the same of one of its versions."""
    truth = record({"name": TEXT, "ready": {"type": "boolean"}})
    inferred = {
        "description": "Done: JSON, with tensors after it on request",
        "content": {
            "application/json": {"schema": ref("InferenceAnswer")},
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
        },
    }
    kinds = {
        "": ("get", "Names, types and shapes of a model", {"200": text(ref("ModelMetadata"))}, {}),
        "/ready": ("get", "Whether a model is ready", {"200": text(truth)}, {"security": []}),
        "/config": ("get", "A model's configuration, in Triton's form", {"200": text(ref("ModelConfig"))}, {}),
        "/stats": ("get", "Statistics of a model since the gateway started", {"200": text(ref("ModelStatistics"))}, {}),
        "/infer": (
            "post",
            "Find the faces of pictures",
            {"200": inferred},
            {"requestBody": {"required": True, "content": {"application/json": {"schema": ref("InferenceRequest")}}}},
        ),
    }
    paths = {}
    for version in ("", "/versions/{version}"):
        names = ["model", "version"] if version else ["model"]
        for kind, (method, summary, answers, others) in kinds.items():
            paths[f"/v2/models/{{model}}{version}{kind}"] = {
                "parameters": [
                    {
                        "name": name,
                        "in": "path",
                        "required": True,
                        "schema": PLAIN,
                        "example": {"model": "faces", "version": "1"}[name],
                    }
                    for name in names
                ],
                method: inference(summary + (" in a version" if version else ""), answers, 404, **others),
            }
    return paths


def session_paths(picture, timing):
    """The paths below a session, and the links to them."""
    jpeg = {"200": text({"type": "string", "format": "binary"}, "A JPEG file", "image/jpeg")}
    time = {
        "name": "X-Timestamp-Ns",
        "in": "header",
        "description": "The time of the frame, in nanoseconds",
        "schema": {"type": "string", "pattern": "^[0-9]{1,19}$"},
    }
    frame = {**IMAGE, **switches({"mirrored": FLAGS["mirrored"]})}
    parts = {
        "": ("delete", "endSession", operation("End a session", {"204": {"description": "Ended"}}, 404)),
        "/frames": (
            "post",
            "sendFrame",
            operation(
                "Send a frame",
                {"200": text(ref("Frame"), headers=timing)},
                404,
                409,
                requestBody=picture,
                parameters=[time, *in_query(frame)],
            ),
        ),
        "/restart": (
            "post",
            "restartCheck",
            operation(
                "Begin a new attempt of a check; 409 for a session that tracks",
                {"204": {"description": "A new attempt has begun"}},
                404,
                409,
            ),
        ),
        "/picture": (
            "get",
            "getPicture",
            operation("The picture of a check that succeeded; 409 until then", jpeg, 404, 409),
        ),
        "/crop": ("get", "getCrop", operation("The square around its face; 409 until then", jpeg, 404, 409)),
    }
    session = {"name": "id", "in": "path", "required": True, "schema": PLAIN}
    paths = {
        f"/v1/sessions/{{id}}{part}": {
            "parameters": [session],
            method: {"operationId": name, **what, "security": [{}, {"token": []}, {"session": []}]},
        }
        for part, (method, name, what) in parts.items()
    }
    links = {name: {"operationId": name, "parameters": {"id": "$response.body#/id"}} for _, name, _ in parts.values()}
    return paths, links


def document():
    file = {"type": "string", "format": "binary"}
    form = record({"file": file}) | {"additionalProperties": False}
    picture = {
        "required": True,
        "content": {"application/octet-stream": {"schema": file}, "multipart/form-data": {"schema": form}},
    }
    status = record({"status": TEXT})
    truth = lambda name: record({name: {"type": "boolean"}})
    schemas = {
        name: moved(LINES[name])
        for name in (
            "point",
            "vector",
            "box",
            "circle",
            "regions",
            "contours",
            "meshPoints",
            "eye",
            "face",
            "error",
            "model",
            "state",
        )
    }
    track, check = session_options()
    schemas.update(
        Error=record({"error": ref("error")}),
        InferenceError=record({"error": TEXT}),
        Picture=without("picture", "image", "left", "mask", "outputs"),
        Frame=frame_answer(),
        CheckEvent=check_event(),
        VisitEvent=without("visitEvent", *PLACE_OF_LINE),
        TrackOptions=track,
        CheckOptions=check,
        SessionRequest=session_request(),
        InferenceRequest=infer_request(),
        InferenceAnswer=infer_answer(),
        **model_schemas(),
    )
    timing = {
        "Server-Timing": {"description": "engine;dur=MILLISECONDS: the engine's time", "schema": {"type": "string"}}
    }
    session = record(
        {
            "id": TEXT,
            "kind": {"enum": ["track", "check"]},
            "idle_timeout_seconds": {"type": "integer", "minimum": 1},
            "token": {
                "type": "string",
                "minLength": 16,
                "description": "For the session's own paths, as authorization: Bearer TOKEN, until the session ends",
            },
        }
    )
    paths, links = session_paths(picture, timing)
    json_body = lambda schema, **others: {"content": {"application/json": {"schema": schema}}, **others}
    ready = {
        "type": "object",
        "properties": {"ready": {"type": "boolean", "description": "Only models that are loaded"}},
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "face-engine-gateway",
            "version": "1",
            "description": "Faces in pictures and video, over HTTP. Names are those of the command line.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": {
            "/": {"get": static("The page", text({"type": "string"}, "HTML", "text/html"))},
            "/healthz": {"get": operation("Whether the gateway runs", {"200": text(status)}, security=[])},
            "/readyz": {"get": operation("Whether the engine answers", {"200": text(status)}, security=[])},
            "/metrics": {
                "get": operation("Metrics for Prometheus", {"200": text({"type": "string"}, "Text", "text/plain")})
            },
            "/openapi.json": {"get": static("This document", text({"type": "object"}))},
            "/v1/detect": {
                "post": operation(
                    "Find the faces of a picture: a JPEG, PNG or WebP file",
                    {
                        "200": text(
                            ref("Picture"),
                            "The output of face-engine detect --json, without the picture's name",
                            headers=timing,
                        )
                    },
                    404,
                    parameters=parameters(),
                    requestBody=picture,
                )
            },
            "/v1/sessions": {
                "post": operation(
                    "Begin to follow faces, or a guided check",
                    {
                        "201": text(
                            session,
                            "Begun",
                            links=links,
                            headers={"Location": {"required": True, "schema": {"type": "string"}}},
                        )
                    },
                    requestBody=json_body(ref("SessionRequest"), required=True),
                )
            },
            **paths,
            "/v2": {
                "get": inference(
                    "Open Inference Protocol: the server",
                    {
                        "200": text(
                            record(
                                {"name": TEXT, "version": TEXT, "extensions": {"type": "array", "items": TEXT}},
                                ["name", "version"],
                            )
                        )
                    },
                )
            },
            "/v2/health/live": {
                "get": inference("Whether the gateway runs", {"200": text(truth("live"))}, security=[])
            },
            "/v2/health/ready": {
                "get": inference("Whether the engine answers", {"200": text(truth("ready"))}, security=[])
            },
            "/v2/models/stats": {
                "get": inference(
                    "Statistics of all models since the gateway started", {"200": text(ref("ModelStatistics"))}
                )
            },
            **model_paths(),
            "/v2/repository/index": {
                "post": inference(
                    "The models, also those that are not loaded",
                    {"200": text(ref("RepositoryIndex"))},
                    requestBody=json_body(ready),
                )
            },
        },
        "components": {
            "schemas": schemas,
            "responses": error_responses(),
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "A token of --token-file"},
                "session": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token of a session, for its own paths",
                },
            },
        },
        "security": [{}, {"token": []}],
    }


def files():
    return {TARGET: json.dumps(document(), ensure_ascii=False, separators=(",", ":")) + "\n"}
