"""What schemathesis cannot know from openapi.json: files that are pictures, and values that have to fit each other."""

import base64
import io
import math
import os

import numpy
import schemathesis
from hypothesis import strategies
from PIL import Image


def picture(size, kind):
    file = io.BytesIO()
    Image.new("RGB", size, (120, 90, 80)).save(file, kind)
    return file.getvalue()


PICTURES = [picture((16, 16), "PNG"), picture((48, 32), "JPEG"), picture((20, 64), "WEBP")]
schemathesis.openapi.format("binary", strategies.sampled_from(PICTURES))
schemathesis.openapi.format("byte", strategies.sampled_from([base64.b64encode(file).decode() for file in PICTURES]))

# Two limits of a check that are a range, with their defaults.
RANGES = [("min-face", 0.45, "max-face", 1), ("min-brightness", 0.2, "max-brightness", 0.9)]
# Inside every picture.
REGION = "0,0,16,16"
OPTIONS = {"min_confidence": 0.5, "max_faces": 3, "pose": True}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """The document is of gateways with and without a token; one that has a token needs it."""
    if os.environ.get("SCHEMATHESIS_NEEDS_TOKEN") != "1":
        return
    raw_schema["security"] = [{"token": []}]
    for path in raw_schema["paths"].values():
        for operation in path.values():
            if isinstance(operation, dict) and {} in operation.get("security", []):
                operation["security"] = [{"token": []}, {"session": []}]


@schemathesis.hook
def before_call(context, case, kwargs):
    """Makes a request that the document allows one that the gateway can fulfil, and one that it forbids one that differs in numbers
    of 32 bits from those that are allowed."""
    if case.meta is None:
        return
    if not case.meta.generation.mode.is_positive:
        # A query has no empty lists: such a parameter would not be sent.
        for name, value in (case.query or {}).items():
            if value in ([], {}):
                case.query[name] = "?"
        for part in (case.body, case.query):
            if isinstance(part, dict):
                widen(part)
        return
    # Schemathesis takes a body that is set anew for a wrong one.
    if named(case.body) != case.body:
        case.body = named(case.body)
    if case.query:
        if "region" in case.query:
            case.query["region"] = REGION
        if case.operation.path.endswith("/frames"):
            # Those of a check have square pixels.
            case.query.pop("pixel-aspect", None)
    elif isinstance(case.body, dict) and case.operation.path == "/v1/sessions":
        fit_session(case.body.get("options") or {})
    elif isinstance(case.body, dict) and case.operation.path.endswith("/infer"):
        fit_inference(case.body)


def named(value):
    """Without U+0000 in names, which jansson refuses."""
    if isinstance(value, dict):
        return {name.replace("\0", ""): named(each) for name, each in value.items()}
    return [named(each) for each in value] if isinstance(value, list) else value


def widen(values):
    """Rounds numbers to 32 bits, away from a limit that they are beyond by less."""
    for name, value in values.items():
        if isinstance(value, dict):
            widen(value)
        elif isinstance(value, float) and abs(value) < 3e38:
            near = numpy.float32(value)
            if near != value:
                values[name] = float(numpy.nextafter(near, numpy.float32(math.copysign(math.inf, value - near))))


def fit_session(options):
    # The models are the engine's, and are looked for at the first frame.
    for name in ("use", "model-revision"):
        options.pop(name, None)
    if "region" in options:
        options["region"] = REGION
    for least, low, most, high in RANGES:
        if options.get(least, low) >= options.get(most, high):
            options.pop(least, None)
            options.pop(most, None)


def fit_inference(body):
    body["parameters"] = {name: OPTIONS[name] for name in body.get("parameters", {}) if name in OPTIONS}
    for tensor in body["inputs"]:
        tensor.pop("parameters", None)
        if tensor["name"] == "image":
            files = [file for each in tensor.get("data", []) for file in (each if isinstance(each, list) else [each])]
            if not 1 <= len(files) <= 64:
                files = tensor["data"] = [base64.b64encode(PICTURES[0]).decode()]
            tensor["shape"] = [len(files)]
        else:
            tensor["data"] = [number for number in tensor.get("data", []) if isinstance(number, int)][:768]
            tensor["data"] += [0] * (768 - len(tensor["data"]))
            tensor["shape"] = [16, 16, 3]
