"""Prints docs/face-engine.schema.json, the lines of JSON that the command prints, from the contract and from what is below: which
members stand for each field of the contract's messages. The gateway's OpenAPI document has its faces from there.

A field that has no members here is an error, and so is a name that the contract does not have."""

from contract import ROOT, Problem
from document import printed, read
from printers import camel

TARGET, CONTRACT = ROOT / "docs/face-engine.schema.json", read()
NUMBER, SHARE, TEXT = {"type": "number"}, {"type": "number", "minimum": 0, "maximum": 1}, {"type": "string"}


def described(schema, text):
    return {**schema, "description": text}


def count(text, least=0):
    return {"type": "integer", "minimum": least, "description": text}


def ref(name, text=""):
    return {"$ref": f"#/$defs/{name}", **({"description": text} if text else {})}


def array(items, size=None):
    return {"type": "array", "items": items, **({"minItems": size, "maxItems": size} if size else {})}


def whole(members, *optional):
    """An object with these members, and those of later versions. Tests allow no others."""
    return {"type": "object", "properties": members, "required": [name for name in members if name not in optional]}


def names(message):
    return [camel(field["name"].split("_")) for field in CONTRACT["messages"][message]]


def mapped(message, members):
    """All members, in the order of `members`: {field of the message: {member: its schema}}."""
    if missing := set(fields := [field["name"] for field in CONTRACT["messages"][message]]) - set(members):
        raise Problem(f"{message}.{min(missing)} has no member in JSON; add it to schema.py, and to ResultJSON")
    if unknown := set(members) - set(fields):
        raise Problem(f"{message} has no field {min(unknown)}; correct schema.py")
    return {name: schema for part in members.values() for name, schema in part.items()}


def size(field):
    """How many numbers an output has."""
    return next(one["count"] for one in CONTRACT["outputs"] if one["name"] == field)


def alike(message, schema, end=""):
    """An object with a member for each field of a message."""
    return whole({name.removesuffix(end): schema for name in names(message)})


def face():
    id_and_count = {"id": count("Of a tracked face, from 1"), "frameCount": count("Frames in which it was found")}
    constellation = whole(
        {
            "count": {"enum": [int(name) for name in CONTRACT["constellations"]]},
            "regions": ref("regions"),
            "paths": {"type": "object", "additionalProperties": {"enum": ["open", "closed", "disconnected"]}},
        }
    )
    landmarks = {
        "constellation": {"description": "With --constellation", **constellation},
        "regions": ref("regions"),
        "depth": described(array(NUMBER, size("precision")), "With --landmarks: of each of the 478 points"),
        "landmarksConfidence": SHARE,
    }
    component = whole({"native": NUMBER, "component": {"type": "integer", "minimum": 0, "maximum": 100}})
    gaze = whole(
        {"left": ref("eye"), "right": ref("eye"), "lookAt": ref("point", "With --screen: on the screen, 0 to 1")},
        "lookAt",
    )
    expressions = {
        "type": "object",
        "additionalProperties": SHARE,
        "minProperties": size("expressions"),
        "maxProperties": size("expressions"),
        "description": "With --expressions: coefficients by name",
    }
    members = mapped(
        "Face",
        {
            "track": id_and_count,
            "predicted": {
                "predicted": described({"const": True}, "With --analysis-rate: not searched for in this frame")
            },
            "box": {"box": ref("box")},
            "confidence": {"confidence": SHARE},
            "points": {
                "points": {"description": "Left and right are the subject's own", **alike("FivePoints", ref("point"))}
            },
            "landmarks": landmarks,
            "pose": {"pose": {"description": "With --pose: degrees", **alike("Pose", NUMBER)}},
            "mouth": mapped("Mouth", {"smile": {"smile": NUMBER}, "open": {"mouthOpen": NUMBER}}),
            "eyes": {"eyesOpen": alike("Eyes", NUMBER, "Open")},
            "expressions": {"blendshapes": expressions},
            "quality": {"quality": {"description": "With --quality", **alike("CaptureQuality", SHARE)}},
            "iso_quality": {
                "isoQuality": {
                    "type": "object",
                    "additionalProperties": component,
                    "description": "With --iso-quality: by the measure's name, without what was not assessed",
                }
            },
            "gaze": {"gaze": {"description": "With --gaze", **gaze}},
            "transform": {
                "transform": described(
                    array(NUMBER, size("transform")), "With --transform: 4 × 4, columns first, centimetres"
                )
            },
            "precision": {
                "precision": described(
                    array(NUMBER, size("precision")), "With --point-precision: pixels, of each point"
                )
            },
        },
    )
    return {
        "description": "What is not known of a face, or was not asked for, has no member",
        **whole(members, *(set(members) - {"box", "confidence"})),
    }


def parts():
    x_and_y = {
        "x": described(NUMBER, "left"),
        "y": described(NUMBER, "top; with --space normalised-bottom-left the lower edge"),
    }
    points = array(ref("point"))
    return {
        "point": described(array(NUMBER, 2), "x and y"),
        "vector": described(array(NUMBER, 3), "x, y and z"),
        "box": {
            "description": "Pixels of the upright image from its top-left corner, unless --space or --view is given",
            **whole(
                mapped(
                    "Box",
                    {
                        **{name: {name: schema} for name, schema in x_and_y.items()},
                        "width": {"width": NUMBER},
                        "height": {"height": NUMBER},
                    },
                )
            ),
        },
        "circle": alike("Circle", NUMBER),
        "regions": {
            "type": "object",
            "properties": dict.fromkeys(["allPoints", *CONTRACT["regions"]], points),
            "additionalProperties": points,
            "required": ["allPoints"],
            "description": "Points of each region; allPoints has all",
        },
        "contours": {
            "description": "ML Kit's contours: indices of allPoints, in drawing order; for programs, not in a line",
            "const": {name: line["points"] for name, line in CONTRACT["contours"].items()},
        },
        "meshPoints": {
            "description": "The points that have a name: indices of allPoints; for programs, not in a line",
            "const": {
                camel(value["short"].lower().split("_")): value["number"]
                for value in CONTRACT["c"]["enumerations"]["face_mesh_point"]["values"]
            },
        },
        "eye": {
            "description": "Centre in centimetres, and a vector of length 1",
            **whole({"centre": ref("vector"), "direction": ref("vector")}),
        },
        "face": face(),
        "error": whole(
            {
                "code": {**TEXT, "pattern": "^[A-Z_]+$", "description": "A status of gRPC, as in NOT_FOUND"},
                "message": described(TEXT, "A sentence for people"),
            }
        ),
        "model": whole(
            mapped(
                "ModelIdentity",
                {
                    "name": {"name": TEXT},
                    "revision": {"revision": count("From 1")},
                    "weights_sha256": {"sha256": {**TEXT, "pattern": "^[0-9a-f]{64}$"}},
                },
            )
        ),
        "state": {"enum": [value["name"] for value in CONTRACT["enumerations"]["CheckState"]]},
    }


VERSION = {"schemaVersion": {"const": 1}}
NO_UTF8 = "byte that is not UTF-8 is the character U+EF00 plus the byte"
IMAGE = {"image": described(TEXT, f"The path as it was given, or found in a folder; - for standard input. A {NO_UTF8}")}
PLACE = {
    "frame": count("Number of the frame, from 1"),
    "timestamp": count("Nanoseconds: on the monotonic clock for a camera, otherwise since the first frame"),
    "dropped": count("Frames dropped so far"),
    "image": described(TEXT, f"Path of the picture, where the frame is one; a {NO_UTF8}"),
}
LEFT = {"left": described(array(count("An id")), "With --track: ids that left")}
ERROR = {"error": ref("error")}


def result():
    size_of = "Pixels of the upright image"
    return mapped(
        "DetectResponse",
        {
            "width": {"width": count(size_of)},
            "height": {"height": count(size_of)},
            "faces": {"faces": described(array(ref("face")), "The most confident first")},
            "models": {"models": described(array(ref("model")), "Which made the result")},
            "unanalysed_faces": {
                "unanalysedFaces": count("Faces at the end that were not measured: see --max-analysed-faces", least=1)
            },
        },
    )


def check_events():
    drawn = {
        "circle": ref("circle"),
        "progress": SHARE,
        "actionsDone": count("Of `actions`"),
        "actions": count("How many there are"),
        "face": ref("face"),
    }
    events = mapped(
        "CheckEvent",
        {
            name: {name: members}
            for name, members in {
                "status": {"state": ref("state")},
                "tip": {"tip": TEXT, "text": described(TEXT, "For people, in English")},
                "draw": drawn,
                "clear": {},
                "result": {
                    "width": count("Of the picture"),
                    "height": count("Of the picture"),
                    "cropBox": ref("box"),
                    "face": ref("face"),
                },
                "failed": {name: TEXT for name in names("CheckFailure")},
            }.items()
        },
    )
    optional = {"draw": ("actionsDone", "actions", "face")}
    return [
        whole({**VERSION, **PLACE, "event": {"const": name}, **members}, *PLACE, *optional.get(name, ()))
        for name, members in events.items()
    ]


def best_picture():
    stamp = "Of the picture's frame, as its line has it"
    return whole(
        {
            **VERSION,
            "event": {"const": "best"},
            "timestamp": count(stamp),
            "hasLeft": described({"type": "boolean"}, "Whether the face has left; otherwise the input ended"),
            "score": described(
                SHARE,
                ("The face's overall quality times 0.5 plus the openness of the eye that is less open, up to 0.5"),
            ),
            "picture": described(TEXT, f"Path of the saved file; a {NO_UTF8}"),
            "cropBox": ref("box", "Pixels of the upright image"),
            "face": ref("face"),
        }
    )


def visit_event():
    """The members of the arrival or departure of a person."""
    events = [value["short"].lower() for value in CONTRACT["c"]["enumerations"]["face_visit_event"]["values"]]
    return {
        "event": {"enum": events},
        "visit": count("Number of the visit, from 1 in the order of arrival", least=1),
        "id": count("The newest id of the face"),
        "firstSeen": count("Timestamp of the first frame with the face"),
        "lastSeen": count("Timestamp of the last one"),
        "stayed": described(NUMBER, "Seconds between both"),
        "looked": described(NUMBER, "Seconds for which the person looked, so far"),
        "present": count("People in view after this event"),
    }


def lines():
    mask, pictures = {"mask": ref("circle")}, "detect, quality, draw and crop: a picture"
    outputs = {"outputs": described(array(TEXT), "draw and crop: paths of the pictures that were saved")}
    camera = {**VERSION, "camera": TEXT}
    opened = {
        "event": {"const": "opened"},
        "name": TEXT,
        "format": TEXT,
        "width": count("Pixels"),
        "height": count("Pixels"),
        "rate": NUMBER,
    }
    return {
        "picture": {
            "description": pictures,
            **whole(
                {**VERSION, **IMAGE, **result(), **LEFT, **mask, **outputs},
                "models",
                "unanalysedFaces",
                "left",
                "mask",
                "outputs",
            ),
        },
        "failedPicture": {"description": f"{pictures} that failed", **whole({**VERSION, **IMAGE, **ERROR})},
        "frame": {
            "description": "watch: a frame",
            **whole(
                {**VERSION, **PLACE, **result(), **LEFT, **mask}, "image", "models", "unanalysedFaces", "left", "mask"
            ),
        },
        "failedFrame": {
            "description": "watch: a frame that failed",
            **whole({**VERSION, **PLACE, **ERROR, **LEFT}, "image", "left"),
        },
        "camera": {
            "description": "watch: what happened to a camera",
            "anyOf": [
                whole({**camera, **opened}, "rate"),
                whole({**camera, "event": {"const": "lost"}, "reason": TEXT}),
            ],
        },
        "best": {"description": "watch --best: the best picture of a face", **best_picture()},
        "checkEvent": {
            "description": "check, and watch --check: an event of the guided check",
            "anyOf": check_events(),
        },
        "visitEvent": {
            "description": "watch --visits: a person came or left",
            **whole({**VERSION, **PLACE, **visit_event()}, "image"),
        },
    }


def document():
    kinds = lines()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Lines of JSON that face-engine prints",
        "description": "Each line of `face-engine detect --json`, quality --json, draw --json, crop --json, watch and check is one of these "
        "objects. schemaVersion is raised when a member changes its meaning or goes; new members leave it as it is.",
        "anyOf": [ref(name) for name in kinds],
        "$defs": {**parts(), **kinds},
    }


def files():
    return {TARGET: printed(document()) + "\n"}
