"""The C interface as ctypes: made of the headers by Tools/generate-python.py, not written by hand."""

# ruff: noqa
from __future__ import annotations

from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_float, c_int, c_int32, c_size_t,
                    c_uint32, c_uint64, c_uint8, c_void_p)
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Dict, NamedTuple, Sequence, Tuple, Union

if TYPE_CHECKING:
    from typing_extensions import Literal, TypedDict

    from ._control import Canceller
    from ._spaces import Space


class Option(NamedTuple):
    """A keyword that sets a member of a struct."""

    code: str
    """How it is converted: see _options.py."""
    type: str
    default: Any
    """None where `text` says it."""
    text: str


class Status(IntEnum):
    """How a call ended: FACE_OK, or one of gRPC's codes with gRPC's meaning."""

    OK = 0
    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16


class LogLevel(IntEnum):
    """How important a log line is."""

    ERROR = 1
    WARNING = 2
    INFO = 3
    DEBUG = 4


class Precision(IntEnum):
    """The numbers that a detector's network is run with."""

    BEST = 0
    FLOAT = 1


class Format(IntEnum):
    """What the bytes of an image are. The names of packed formats give the order of a pixel's bytes in memory."""

    ENCODED = 0
    RGBA = 1
    BGRA = 2
    RGB = 3
    BGR = 4
    GRAY = 5
    NV12 = 6
    NV21 = 7
    I420 = 8
    YUYV = 9
    UYVY = 10
    NV16 = 11


class Colour(IntEnum):
    """How luma and chroma are coded (ITU-R BT.601-7, BT.709-6). 'Full' is JFIF's range 0 to 255; 'video' is 16 to 235
    for luma and 16 to 240 for chroma."""

    BT601_FULL = 0
    BT601_VIDEO = 1
    BT709_FULL = 2
    BT709_VIDEO = 3


class Orientation(IntEnum):
    """How the stored pixels have to be turned to stand upright: the values of EXIF's Orientation tag."""

    DEFAULT = 0
    UP = 1
    UP_MIRRORED = 2
    DOWN = 3
    DOWN_MIRRORED = 4
    LEFT_MIRRORED = 5
    RIGHT = 6
    RIGHT_MIRRORED = 7
    LEFT = 8


class Accuracy(IntEnum):
    """How time is weighed against faces found."""

    DEFAULT = 0
    LOW = 1
    BALANCED = 2
    HIGH = 3


class Rotations(IntEnum):
    """How heads may be tilted to be found."""

    UPRIGHT = 0
    ANY = 1


class OptionGroup(IntEnum):
    """A struct with numeric options."""

    DETECTION = 0
    TRACKING = 1
    CHECK = 2


class OptionKind(IntEnum):
    """The C type of an option."""

    FLOAT = 0
    COUNT = 1
    NANOSECONDS = 2
    SWITCH = 3


class Region(IntEnum):
    """The parts of a face that have landmarks of their own; left is the subject's left."""

    ALL_POINTS = 0
    FACE_CONTOUR = 1
    LEFT_EYE = 2
    RIGHT_EYE = 3
    LEFT_EYEBROW = 4
    RIGHT_EYEBROW = 5
    LEFT_PUPIL = 6
    RIGHT_PUPIL = 7
    NOSE = 8
    NOSE_CREST = 9
    MEDIAN_LINE = 10
    OUTER_LIPS = 11
    INNER_LIPS = 12


class Constellation(IntEnum):
    """A set of landmarks: all of the mesh, or a smaller one with the same regions, whose names, numbers of points and
    shared points are those of Apple Vision's VNRequestFaceLandmarksConstellation. Each of its points is one of the
    mesh's: which one was chosen by this project, and Proto/PROTOCOL.md lists them."""

    CONSTELLATION_MESH = 0
    CONSTELLATION_65_POINTS = 1
    CONSTELLATION_76_POINTS = 2


class Path(IntEnum):
    """How the points of a region are joined; the values are those of VNPointsClassification."""

    DISCONNECTED = 0
    OPEN = 1
    CLOSED = 2


class IsoMeasure(IntEnum):
    """The measures of FACE_OUTPUT_ISO_QUALITY, with their native values. They are those of ISO/IEC 29794-5:2025 that
    need no network beyond the face mesh, by the formulas of the standard's reference implementation, OFIQ 1.0.3 of the
    German BSI. Left and right eye are the subject's; an eye's centre lies between its corners. T is the distance from
    the middle between the eyes to the chin. Luminance is CIE Y of sRGB, 0 to 1, in the convex hull of contour and
    eyebrows, scaled so that about 113 pixels lie between the eyes."""

    HEAD_POSE_YAW = 0
    HEAD_POSE_PITCH = 1
    HEAD_POSE_ROLL = 2
    INTER_EYE_DISTANCE = 3
    HEAD_SIZE = 4
    LEFTWARD_CROP_OF_THE_FACE_IMAGE = 5
    RIGHTWARD_CROP_OF_THE_FACE_IMAGE = 6
    MARGIN_ABOVE_OF_THE_FACE_IMAGE = 7
    MARGIN_BELOW_OF_THE_FACE_IMAGE = 8
    SINGLE_FACE_PRESENT = 9
    ILLUMINATION_UNIFORMITY = 10
    LUMINANCE_MEAN = 11
    LUMINANCE_VARIANCE = 12
    UNDER_EXPOSURE_PREVENTION = 13
    OVER_EXPOSURE_PREVENTION = 14
    DYNAMIC_RANGE = 15
    NATURAL_COLOUR = 16
    EYES_OPEN = 17
    MOUTH_CLOSED = 18


class SpaceKind(IntEnum):
    """The origin and unit of a coordinate space."""

    PIXELS = 0
    NORMALISED = 1
    NORMALISED_BOTTOM_LEFT = 2
    VIEW = 3


class Fit(IntEnum):
    """How an image fills a view of another shape. It is centred."""

    CONTAIN = 0
    COVER = 1
    STRETCH = 2


class SessionMode(IntEnum):
    """What happens to a frame that is submitted while others wait."""

    NEWEST = 0
    EVERY = 1


class CheckState(IntEnum):
    """The state of a guided check. WAITING --- a face is in the circle ---> START --- stays for start_delay_ns --->
    CHECKING --- right ---> FINISH ^----------- it left the circle ---------| |--> TIME_OUT or FAILED FINISH, TIME_OUT
    and FAILED end an attempt: faces are still reported, but not checked, until face_check_restart begins a new
    attempt."""

    WAITING = 0
    START = 1
    CHECKING = 2
    FINISH = 3
    TIME_OUT = 4
    FAILED = 5


class Tip(IntEnum):
    """What the person should do. Left and right in FACE_TIP_MOVE_LEFT and FACE_TIP_MOVE_RIGHT are those of the view, as
    the person sees them on the screen; in all others they are the person's own."""

    PROMPT = 0
    NO_FACE = 1
    SEVERAL_FACES = 2
    MOVE_LEFT = 3
    MOVE_RIGHT = 4
    MOVE_UP = 5
    MOVE_DOWN = 6
    COME_CLOSER = 7
    MOVE_BACK = 8
    TOO_DARK = 9
    TOO_BRIGHT = 10
    LOOK_LEFT = 11
    LOOK_RIGHT = 12
    LOOK_UP = 13
    LOOK_DOWN = 14
    TILT_LEFT = 15
    TILT_RIGHT = 16
    OPEN_EYES = 17
    BLURRED = 18
    HOLD_STILL = 19
    LOOK_STRAIGHT = 20
    BLINK = 21
    TURN_LEFT = 22
    TURN_RIGHT = 23
    SMILE = 24
    OPEN_MOUTH = 25
    DONE = 26
    UNEVEN_LIGHT = 27
    COLOURED_LIGHT = 28
    CLOSE_MOUTH = 29


class Action(IntEnum):
    """What the person may be asked to do."""

    BLINK = 1
    TURN_LEFT = 2
    TURN_RIGHT = 3
    SMILE = 4
    OPEN_MOUTH = 5


class CheckPreset(IntEnum):
    """Limits of a guided check that belong together."""

    STANDARD = 0
    ISO = 1


class CheckEvent(IntEnum):
    """The kind of an event. The events of a frame come in this order."""

    STATUS = 1
    TIP = 2
    DRAW = 3
    CLEAR = 4
    RESULT = 5
    FAILED = 6


class DrawAnchor(IntEnum):
    """How a text is aligned to its position."""

    LEFT = 0
    MIDDLE = 1
    RIGHT = 2


class CropChoice(IntEnum):
    """Which face to crop."""

    ONLY_FACE = 0
    LARGEST_FACE = 1


if TYPE_CHECKING:
    StatusName = Literal["ok", "cancelled", "unknown", "invalid_argument", "deadline_exceeded", "not_found",
        "already_exists", "permission_denied", "resource_exhausted", "failed_precondition", "aborted", "out_of_range",
        "unimplemented", "internal", "unavailable", "data_loss", "unauthenticated"]
    LogLevelName = Literal["error", "warning", "info", "debug"]
    PrecisionName = Literal["best", "float"]
    FormatName = Literal["encoded", "rgba", "bgra", "rgb", "bgr", "gray", "nv12", "nv21", "i420", "yuyv", "uyvy",
        "nv16"]
    ColourName = Literal["bt601_full", "bt601_video", "bt709_full", "bt709_video"]
    OrientationName = Literal["default", "up", "up_mirrored", "down", "down_mirrored", "left_mirrored", "right",
        "right_mirrored", "left"]
    AccuracyName = Literal["default", "low", "balanced", "high"]
    RotationsName = Literal["upright", "any"]
    OptionGroupName = Literal["detection", "tracking", "check"]
    OptionKindName = Literal["float", "count", "nanoseconds", "switch"]
    RegionName = Literal["all_points", "face_contour", "left_eye", "right_eye", "left_eyebrow", "right_eyebrow",
        "left_pupil", "right_pupil", "nose", "nose_crest", "median_line", "outer_lips", "inner_lips"]
    ConstellationName = Literal["constellation_mesh", "constellation_65_points", "constellation_76_points"]
    PathName = Literal["disconnected", "open", "closed"]
    IsoMeasureName = Literal["head_pose_yaw", "head_pose_pitch", "head_pose_roll", "inter_eye_distance", "head_size",
        "leftward_crop_of_the_face_image", "rightward_crop_of_the_face_image", "margin_above_of_the_face_image",
        "margin_below_of_the_face_image", "single_face_present", "illumination_uniformity", "luminance_mean",
        "luminance_variance", "under_exposure_prevention", "over_exposure_prevention", "dynamic_range",
        "natural_colour", "eyes_open", "mouth_closed"]
    SpaceKindName = Literal["pixels", "normalised", "normalised_bottom_left", "view"]
    FitName = Literal["contain", "cover", "stretch"]
    SessionModeName = Literal["newest", "every"]
    CheckStateName = Literal["waiting", "start", "checking", "finish", "time_out", "failed"]
    TipName = Literal["prompt", "no_face", "several_faces", "move_left", "move_right", "move_up", "move_down",
        "come_closer", "move_back", "too_dark", "too_bright", "look_left", "look_right", "look_up", "look_down",
        "tilt_left", "tilt_right", "open_eyes", "blurred", "hold_still", "look_straight", "blink", "turn_left",
        "turn_right", "smile", "open_mouth", "done", "uneven_light", "coloured_light", "close_mouth"]
    ActionName = Literal["blink", "turn_left", "turn_right", "smile", "open_mouth"]
    CheckPresetName = Literal["standard", "iso"]
    CheckEventName = Literal["status", "tip", "draw", "clear", "result", "failed"]
    DrawAnchorName = Literal["left", "middle", "right"]
    CropChoiceName = Literal["only_face", "largest_face"]


FACE_ABI_VERSION = 1
FACE_MAX_MODELS = 16
FACE_NO_USER = 4294967295
FACE_OUTPUT_LANDMARKS = 0x1
FACE_OUTPUT_POSE = 0x2
FACE_OUTPUT_EYES = 0x4
FACE_OUTPUT_MOUTH = 0x8
FACE_OUTPUT_EXPRESSIONS = 0x10
FACE_OUTPUT_QUALITY = 0x20
FACE_OUTPUT_TRANSFORM = 0x40
FACE_OUTPUT_ISO_QUALITY = 0x80
FACE_OUTPUT_PRECISION = 0x100
FACE_OUTPUT_GAZE = 0x200
FACE_OUTPUT_ALL = 0x3ff
FACE_OWN_SIZE = 4294967295
FACE_VALID_POINTS = 0x80000000
FACE_VALID_ID = 0x40000000
FACE_VALID_LANDMARKS = 0x1
FACE_VALID_POSE = 0x2
FACE_VALID_EYES = 0x4
FACE_VALID_MOUTH = 0x8
FACE_VALID_EXPRESSIONS = 0x10
FACE_VALID_QUALITY = 0x20
FACE_VALID_TRANSFORM = 0x40
FACE_VALID_ISO_QUALITY = 0x80
FACE_VALID_PRECISION = 0x100
FACE_VALID_GAZE = 0x200
FACE_EXPRESSION_COUNT = 52
FACE_ISO_MEASURE_COUNT = 19
FACE_TIP_COUNT = 30
FACE_CHECK_MAX_ACTIONS = 8
FACE_CHECK_MAX_ISO = 32
FACE_DRAW_BOXES = 0x1
FACE_DRAW_CORNERS = 0x2
FACE_DRAW_POINTS = 0x4
FACE_DRAW_IDS = 0x8
FACE_DRAW_ANGLES = 0x10
FACE_DRAW_LANDMARK_LINES = 0x20
FACE_DRAW_LANDMARK_POINTS = 0x40
FACE_DRAW_FILLED = 0x80
FACE_DRAW_TURNED_BOXES = 0x100
FACE_DRAW_AXES = 0x200
FACE_DRAW_CONFIDENCES = 0x400
FACE_DRAW_MESH = 0x800
FACE_DRAW_CONTOURS = 0x1000
FACE_DRAW_IRISES = 0x2000
FACE_DRAW_ALL_LANDMARKS = 0x3860
FACE_CROP_FILL = -1.0

# What can be measured of each face, with its bit.
OUTPUTS: Dict[str, int] = {"landmarks": 0x1, "pose": 0x2, "eyes": 0x4, "mouth": 0x8, "expressions": 0x10, "quality":
    0x20, "transform": 0x40, "iso_quality": 0x80, "precision": 0x100, "gaze": 0x200}

# Which landmarks belong to each part of the face, in drawing order.
REGIONS: Dict[Region, Tuple[int, ...]] = {
        Region.FACE_CONTOUR: (356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149, 150, 136, 172,
        58, 132, 93, 234, 127,),
        Region.LEFT_EYE: (362, 398, 384, 385, 386, 387, 388, 466, 263, 249, 390, 373, 374, 380, 381, 382,),
        Region.RIGHT_EYE: (133, 173, 157, 158, 159, 160, 161, 246, 33, 7, 163, 144, 145, 153, 154, 155,),
        Region.LEFT_EYEBROW: (285, 295, 282, 283, 276, 300, 293, 334, 296, 336,),
        Region.RIGHT_EYEBROW: (55, 65, 52, 53, 46, 70, 63, 105, 66, 107,),
        Region.LEFT_PUPIL: (473,),
        Region.RIGHT_PUPIL: (468,),
        Region.NOSE: (168, 417, 351, 399, 420, 360, 279, 331, 294, 327, 326, 2, 97, 98, 64, 102, 49, 131, 198, 174, 122,
        193,),
        Region.NOSE_CREST: (168, 6, 197, 195, 5, 4,),
        Region.MEDIAN_LINE: (10, 151, 9, 8, 168, 6, 197, 195, 5, 4, 1, 19, 94, 2, 164, 0, 11, 12, 13, 14, 15, 16, 17,
        18, 200, 199, 175, 152,),
        Region.OUTER_LIPS: (291, 409, 270, 269, 267, 0, 37, 39, 40, 185, 61, 146, 91, 181, 84, 17, 314, 405, 321, 375,),
        Region.INNER_LIPS: (308, 415, 310, 311, 312, 13, 82, 81, 80, 191, 78, 95, 88, 178, 87, 14, 317, 402, 318, 324,),
}


face_log_callback = CFUNCTYPE(None, c_uint32, c_char_p, c_void_p)


class face_load_options(Structure):
    """How models run in this process."""

    struct_size: int
    threads_per_frame: int
    max_input_pixels: int
    precision: int
    decoder_process: int
    engine: Any
    _fields_ = [
        ("struct_size", c_uint32),
        ("threads_per_frame", c_uint32),
        ("max_input_pixels", c_uint64),
        ("precision", c_uint32),
        ("decoder_process", c_uint32),
        ("engine", c_char_p),
    ]


class face_connect_options(Structure):
    """Who may be at the other end of a connection."""

    struct_size: int
    engine_user: int
    timeout_ns: int
    canceller: Any
    _fields_ = [
        ("struct_size", c_uint32),
        ("engine_user", c_uint32),
        ("timeout_ns", c_uint64),
        ("canceller", c_void_p),
    ]


class face_point(Structure):
    """A point, in the coordinates that its context defines."""

    x: float
    y: float
    _fields_ = [
        ("x", c_float),
        ("y", c_float),
    ]


class face_box(Structure):
    """An axis-parallel box."""

    x: float
    y: float
    width: float
    height: float
    _fields_ = [
        ("x", c_float),
        ("y", c_float),
        ("width", c_float),
        ("height", c_float),
    ]


class face_image(Structure):
    """One image."""

    struct_size: int
    format: int
    width: int
    height: int
    planes: Any
    plane_sizes: Any
    strides: Any
    orientation: int
    colour: int
    mirrored: int
    reserved: int
    region: face_box
    timestamp_ns: int
    memory: Any
    offsets: Any
    release: Any
    release_data: Any
    pixel_aspect: float
    reserved_2: int
    _fields_ = [
        ("struct_size", c_uint32),
        ("format", c_uint32),
        ("width", c_uint32),
        ("height", c_uint32),
        ("planes", c_void_p * 4),
        ("plane_sizes", c_size_t * 4),
        ("strides", c_size_t * 4),
        ("orientation", c_uint32),
        ("colour", c_uint32),
        ("mirrored", c_uint32),
        ("reserved", c_uint32),
        ("region", face_box),
        ("timestamp_ns", c_uint64),
        ("memory", c_void_p),
        ("offsets", c_size_t * 4),
        ("release", CFUNCTYPE(None, c_void_p)),
        ("release_data", c_void_p),
        ("pixel_aspect", c_float),
        ("reserved_2", c_uint32),
    ]


class face_options(Structure):
    """What to look for."""

    struct_size: int
    min_confidence: float
    overlap_threshold: float
    max_faces: int
    min_face_size: float
    min_face_share: float
    model_revision: int
    max_analysed_faces: int
    max_side: int
    outputs: int
    accuracy: int
    model: Any
    timeout_ns: int
    canceller: Any
    boxes: Any
    box_count: int
    prominent_only: int
    rotations: int
    _fields_ = [
        ("struct_size", c_uint32),
        ("min_confidence", c_float),
        ("overlap_threshold", c_float),
        ("max_faces", c_uint32),
        ("min_face_size", c_float),
        ("min_face_share", c_float),
        ("model_revision", c_uint32),
        ("max_analysed_faces", c_uint32),
        ("max_side", c_uint32),
        ("outputs", c_uint32),
        ("accuracy", c_uint32),
        ("model", c_char_p),
        ("timeout_ns", c_uint64),
        ("canceller", c_void_p),
        ("boxes", POINTER(face_box)),
        ("box_count", c_uint32),
        ("prominent_only", c_uint32),
        ("rotations", c_uint32),
    ]


class face_option(Structure):
    """An option that is a number or a switch."""

    name: Any
    flag: Any
    meaning: Any
    least: float
    most: float
    standard: float
    kind: int
    offset: int
    _fields_ = [
        ("name", c_char_p),
        ("flag", c_char_p),
        ("meaning", c_char_p),
        ("least", c_double),
        ("most", c_double),
        ("standard", c_double),
        ("kind", c_uint32),
        ("offset", c_uint32),
    ]


class face_output(Structure):
    """Something that can be measured of each face."""

    name: Any
    flag: Any
    meaning: Any
    bit: int
    count: int
    _fields_ = [
        ("name", c_char_p),
        ("flag", c_char_p),
        ("meaning", c_char_p),
        ("bit", c_uint32),
        ("count", c_uint32),
    ]


class face_info(Structure):
    """One face."""

    struct_size: int
    valid: int
    box: face_box
    clamped_box: face_box
    confidence: float
    left_eye: face_point
    right_eye: face_point
    nose_tip: face_point
    mouth_left: face_point
    mouth_right: face_point
    frame_count: int
    id: int
    yaw: float
    pitch: float
    roll: float
    left_eye_open: float
    right_eye_open: float
    smile: float
    mouth_open: float
    quality: float
    sharpness: float
    exposure: float
    size: float
    frontality: float
    framing: float
    predicted: int
    _fields_ = [
        ("struct_size", c_uint32),
        ("valid", c_uint32),
        ("box", face_box),
        ("clamped_box", face_box),
        ("confidence", c_float),
        ("left_eye", face_point),
        ("right_eye", face_point),
        ("nose_tip", face_point),
        ("mouth_left", face_point),
        ("mouth_right", face_point),
        ("frame_count", c_uint32),
        ("id", c_uint64),
        ("yaw", c_float),
        ("pitch", c_float),
        ("roll", c_float),
        ("left_eye_open", c_float),
        ("right_eye_open", c_float),
        ("smile", c_float),
        ("mouth_open", c_float),
        ("quality", c_float),
        ("sharpness", c_float),
        ("exposure", c_float),
        ("size", c_float),
        ("frontality", c_float),
        ("framing", c_float),
        ("predicted", c_uint32),
    ]


class face_model(Structure):
    """One of the models that made a result."""

    struct_size: int
    revision: int
    name: Any
    weights_sha256: Any
    _fields_ = [
        ("struct_size", c_uint32),
        ("revision", c_uint32),
        ("name", c_char * 64),
        ("weights_sha256", c_uint8 * 32),
    ]


class face_landmark(Structure):
    """One point of the face mesh."""

    x: float
    y: float
    z: float
    _fields_ = [
        ("x", c_float),
        ("y", c_float),
        ("z", c_float),
    ]


class face_screen(Structure):
    """A flat screen in the camera's space of FACE_OUTPUT_TRANSFORM."""

    top_left: Any
    top_right: Any
    bottom_left: Any
    _fields_ = [
        ("top_left", c_float * 3),
        ("top_right", c_float * 3),
        ("bottom_left", c_float * 3),
    ]


class face_space(Structure):
    """A coordinate space."""

    struct_size: int
    kind: int
    view_width: float
    view_height: float
    fit: int
    rotation: int
    mirrored: int
    _fields_ = [
        ("struct_size", c_uint32),
        ("kind", c_uint32),
        ("view_width", c_float),
        ("view_height", c_float),
        ("fit", c_uint32),
        ("rotation", c_uint32),
        ("mirrored", c_uint32),
    ]


class face_circle(Structure):
    """A circle, such as the mask of a guided check."""

    x: float
    y: float
    radius: float
    _fields_ = [
        ("x", c_float),
        ("y", c_float),
        ("radius", c_float),
    ]


class face_frame(Structure):
    """Identifies the image that an event belongs to."""

    struct_size: int
    reserved: int
    number: int
    timestamp_ns: int
    _fields_ = [
        ("struct_size", c_uint32),
        ("reserved", c_uint32),
        ("number", c_uint64),
        ("timestamp_ns", c_uint64),
    ]


class face_check(Structure):
    """One event."""

    struct_size: int
    event: int
    state: int
    tip: int
    progress: float
    actions_done: int
    action_count: int
    attempt: int
    circle: face_circle
    reserved: int
    text: Any
    faces: Any
    picture: Any
    crop: Any
    crop_box: face_box
    code: Any
    message: Any
    _fields_ = [
        ("struct_size", c_uint32),
        ("event", c_uint32),
        ("state", c_uint32),
        ("tip", c_uint32),
        ("progress", c_float),
        ("actions_done", c_uint32),
        ("action_count", c_uint32),
        ("attempt", c_uint32),
        ("circle", face_circle),
        ("reserved", c_uint32),
        ("text", c_char_p),
        ("faces", c_void_p),
        ("picture", POINTER(face_image)),
        ("crop", POINTER(face_image)),
        ("crop_box", face_box),
        ("code", c_char_p),
        ("message", c_char_p),
    ]


class face_listener(Structure):
    """Callbacks for the results of images."""

    struct_size: int
    reserved: int
    user_data: Any
    on_faces: Any
    on_dropped: Any
    on_failed: Any
    on_left: Any
    on_check: Any
    _fields_ = [
        ("struct_size", c_uint32),
        ("reserved", c_uint32),
        ("user_data", c_void_p),
        ("on_faces", CFUNCTYPE(None, POINTER(face_frame), c_void_p, c_void_p)),
        ("on_dropped", CFUNCTYPE(None, POINTER(face_frame), c_uint64, c_void_p)),
        ("on_failed", CFUNCTYPE(None, POINTER(face_frame), c_int32, c_char_p, c_void_p)),
        ("on_left", CFUNCTYPE(None, POINTER(face_frame), c_uint64, c_void_p)),
        ("on_check", CFUNCTYPE(None, POINTER(face_frame), POINTER(face_check), c_void_p)),
    ]


class face_session_options(Structure):
    """How a stream is searched."""

    struct_size: int
    mode: int
    options: Any
    track: int
    max_missed_frames: int
    detection_interval: int
    min_hits: int
    analysis_rate: float
    followed_only: int
    reidentify: int
    _fields_ = [
        ("struct_size", c_uint32),
        ("mode", c_uint32),
        ("options", POINTER(face_options)),
        ("track", c_uint32),
        ("max_missed_frames", c_uint32),
        ("detection_interval", c_uint32),
        ("min_hits", c_uint32),
        ("analysis_rate", c_float),
        ("followed_only", c_uint32),
        ("reidentify", c_uint32),
    ]


class face_check_options(Structure):
    """What a check demands."""

    struct_size: int
    use_timestamps: int
    view: Any
    mask: face_circle
    start_delay_ns: int
    hold_ns: int
    grace_ns: int
    lost_ns: int
    timeout_ns: int
    wait_timeout_ns: int
    tip_ns: int
    hysteresis: float
    min_face: float
    max_face: float
    max_offset: float
    max_other_face: float
    max_yaw: float
    max_pitch: float
    max_roll: float
    min_eyes_open: float
    min_brightness: float
    max_brightness: float
    min_sharpness: float
    max_motion: float
    turn_angle: float
    crop_size: int
    crop_margin: float
    max_blink_open: float
    min_smile: float
    action_count: int
    actions: Any
    shuffle_actions: int
    start_over: int
    seed: int
    min_iso: Any
    _fields_ = [
        ("struct_size", c_uint32),
        ("use_timestamps", c_uint32),
        ("view", POINTER(face_space)),
        ("mask", face_circle),
        ("start_delay_ns", c_uint64),
        ("hold_ns", c_uint64),
        ("grace_ns", c_uint64),
        ("lost_ns", c_uint64),
        ("timeout_ns", c_uint64),
        ("wait_timeout_ns", c_uint64),
        ("tip_ns", c_uint64),
        ("hysteresis", c_float),
        ("min_face", c_float),
        ("max_face", c_float),
        ("max_offset", c_float),
        ("max_other_face", c_float),
        ("max_yaw", c_float),
        ("max_pitch", c_float),
        ("max_roll", c_float),
        ("min_eyes_open", c_float),
        ("min_brightness", c_float),
        ("max_brightness", c_float),
        ("min_sharpness", c_float),
        ("max_motion", c_float),
        ("turn_angle", c_float),
        ("crop_size", c_uint32),
        ("crop_margin", c_float),
        ("max_blink_open", c_float),
        ("min_smile", c_float),
        ("action_count", c_uint32),
        ("actions", c_uint32 * 8),
        ("shuffle_actions", c_uint32),
        ("start_over", c_uint32),
        ("seed", c_uint64),
        ("min_iso", c_float * 32),
    ]


class face_draw_style(Structure):
    """How marks are drawn."""

    struct_size: int
    marks: int
    box_width: float
    point_size: float
    line_width: float
    landmark_size: float
    circle_width: float
    text_size: float
    scale: float
    box_colour: int
    point_colour: int
    landmark_colour: int
    circle_colour: int
    text_colour: int
    dim_colour: int
    antialias: int
    reserved: int
    font: Any
    scale_to_faces: int
    colours_by_id: int
    plates: int
    fill_colour: int
    mesh_width: float
    axis_width: float
    mesh_colour: int
    contour_colour: int
    left_colour: int
    right_colour: int
    _fields_ = [
        ("struct_size", c_uint32),
        ("marks", c_uint32),
        ("box_width", c_float),
        ("point_size", c_float),
        ("line_width", c_float),
        ("landmark_size", c_float),
        ("circle_width", c_float),
        ("text_size", c_float),
        ("scale", c_float),
        ("box_colour", c_uint32),
        ("point_colour", c_uint32),
        ("landmark_colour", c_uint32),
        ("circle_colour", c_uint32),
        ("text_colour", c_uint32),
        ("dim_colour", c_uint32),
        ("antialias", c_uint32),
        ("reserved", c_uint32),
        ("font", c_char_p),
        ("scale_to_faces", c_uint32),
        ("colours_by_id", c_uint32),
        ("plates", c_uint32),
        ("fill_colour", c_uint32),
        ("mesh_width", c_float),
        ("axis_width", c_float),
        ("mesh_colour", c_uint32),
        ("contour_colour", c_uint32),
        ("left_colour", c_uint32),
        ("right_colour", c_uint32),
    ]


class face_draw_overlay_options(Structure):
    """Where the eyes are in an overlay."""

    struct_size: int
    mirrored: int
    left_eye: face_point
    right_eye: face_point
    transform: Any
    arms: float
    reserved: int
    _fields_ = [
        ("struct_size", c_uint32),
        ("mirrored", c_uint32),
        ("left_eye", face_point),
        ("right_eye", face_point),
        ("transform", POINTER(c_float)),
        ("arms", c_float),
        ("reserved", c_uint32),
    ]


class face_crop_options(Structure):
    """What a crop shows."""

    struct_size: int
    choice: int
    width: int
    height: int
    margin: float
    headroom: float
    _fields_ = [
        ("struct_size", c_uint32),
        ("choice", c_uint32),
        ("width", c_uint32),
        ("height", c_uint32),
        ("margin", c_float),
        ("headroom", c_float),
    ]


# The functions of face_engine.h: the type of the result, and those of the arguments.
FACE_FUNCTIONS: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {
    "face_abi_version": (c_uint32, ()),
    "face_version_string": (c_char_p, ()),
    "face_status_name": (c_char_p, (c_int32,)),
    "face_last_error": (c_char_p, ()),
    "face_set_log_callback": (None, (face_log_callback, c_uint32, c_void_p,)),
    "face_load_model": (c_int32, (c_char_p, POINTER(c_void_p),)),
    "face_load_options_init_sized": (None, (POINTER(face_load_options), c_size_t,)),
    "face_load_models": (c_int32, (POINTER(c_char_p), c_uint32, POINTER(face_load_options), POINTER(c_void_p),)),
    "face_connect": (c_int32, (c_char_p, POINTER(c_void_p),)),
    "face_canceller_create": (c_int32, (POINTER(c_void_p),)),
    "face_canceller_cancel": (c_int32, (c_void_p,)),
    "face_canceller_destroy": (None, (c_void_p,)),
    "face_connect_options_init_sized": (None, (POINTER(face_connect_options), c_size_t,)),
    "face_connect_with": (c_int32, (c_char_p, POINTER(face_connect_options), POINTER(c_void_p),)),
    "face_release": (c_int32, (c_void_p,)),
    "face_memory_create": (c_int32, (c_size_t, POINTER(c_void_p),)),
    "face_memory_import": (c_int32, (c_int, POINTER(c_void_p),)),
    "face_memory_map": (c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_size_t),)),
    "face_memory_destroy": (None, (c_void_p,)),
    "face_image_init_sized": (None, (POINTER(face_image), c_size_t,)),
    "face_image_from_file": (c_int32, (c_char_p, POINTER(face_image),)),
    "face_image_release": (None, (POINTER(face_image),)),
    "face_options_init_sized": (None, (POINTER(face_options), c_size_t,)),
    "face_option_at": (POINTER(face_option), (c_uint32, c_uint32,)),
    "face_output_at": (POINTER(face_output), (c_uint32,)),
    "face_detect": (c_int32, (c_void_p, POINTER(face_image), POINTER(face_options), POINTER(c_void_p),)),
    "face_detect_batch": (c_int32, (c_void_p, POINTER(POINTER(face_image)), c_uint32, POINTER(face_options), POINTER(c_void_p),)),
    "face_result_status": (c_int32, (c_void_p, POINTER(c_char_p),)),
    "face_info_init_sized": (None, (POINTER(face_info), c_size_t,)),
    "face_result_count": (c_uint32, (c_void_p,)),
    "face_result_get": (c_int32, (c_void_p, c_uint32, POINTER(face_info),)),
    "face_result_image_size": (c_int32, (c_void_p, POINTER(c_uint32), POINTER(c_uint32),)),
    "face_model_init_sized": (None, (POINTER(face_model), c_size_t,)),
    "face_result_model_count": (c_uint32, (c_void_p,)),
    "face_result_unanalysed_count": (c_uint32, (c_void_p,)),
    "face_result_model": (c_int32, (c_void_p, c_uint32, POINTER(face_model),)),
    "face_result_destroy": (None, (c_void_p,)),
    "face_result_landmarks": (c_int32, (c_void_p, c_uint32, c_uint32, POINTER(face_landmark), c_uint32, POINTER(c_uint32),)),
    "face_result_constellation": (c_int32, (c_void_p, c_uint32, c_uint32, c_uint32, POINTER(face_landmark), c_uint32, POINTER(c_uint32),)),
    "face_constellation_indices": (c_int32, (c_uint32, c_uint32, POINTER(c_uint32), c_uint32, POINTER(c_uint32),)),
    "face_constellation_path": (c_int32, (c_uint32, c_uint32, POINTER(c_uint32),)),
    "face_result_expressions": (c_int32, (c_void_p, c_uint32, POINTER(c_float), c_uint32,)),
    "face_expression_name": (c_char_p, (c_uint32,)),
    "face_result_values": (c_int32, (c_void_p, c_uint32, c_uint32, POINTER(c_float), c_uint32, POINTER(c_uint32),)),
    "face_result_look_at": (c_int32, (c_void_p, c_uint32, POINTER(face_screen), POINTER(face_point),)),
    "face_iso_measure_name": (c_char_p, (c_uint32,)),
    "face_space_init_sized": (None, (POINTER(face_space), c_size_t,)),
    "face_points_to_space": (c_int32, (POINTER(face_space), c_uint32, c_uint32, POINTER(face_point), c_uint32,)),
    "face_points_from_space": (c_int32, (POINTER(face_space), c_uint32, c_uint32, POINTER(face_point), c_uint32,)),
    "face_box_to_space": (c_int32, (POINTER(face_space), c_uint32, c_uint32, POINTER(face_box),)),
    "face_box_from_space": (c_int32, (POINTER(face_space), c_uint32, c_uint32, POINTER(face_box),)),
    "face_circle_to_space": (c_int32, (POINTER(face_space), c_uint32, c_uint32, POINTER(face_circle),)),
    "face_circle_from_space": (c_int32, (POINTER(face_space), c_uint32, c_uint32, POINTER(face_circle),)),
    "face_points_to_box": (c_int32, (POINTER(face_box), POINTER(face_point), c_uint32,)),
    "face_points_from_box": (c_int32, (POINTER(face_box), POINTER(face_point), c_uint32,)),
    "face_orientation_of_camera": (c_int32, (c_uint32, c_uint32, c_uint32, POINTER(c_uint32),)),
    "face_result_get_in": (c_int32, (c_void_p, c_uint32, POINTER(face_space), POINTER(face_info),)),
    "face_listener_init_sized": (None, (POINTER(face_listener), c_size_t,)),
    "face_bind_listener": (c_int32, (c_void_p, POINTER(face_listener),)),
    "face_unbind_listener": (c_int32, (c_void_p,)),
    "face_session_options_init_sized": (None, (POINTER(face_session_options), c_size_t,)),
    "face_session_open": (c_int32, (c_void_p, POINTER(face_session_options), POINTER(c_void_p),)),
    "face_session_submit": (c_int32, (c_void_p, POINTER(face_image), POINTER(c_uint64),)),
    "face_session_follow": (c_int32, (c_void_p, POINTER(face_box), POINTER(c_uint64),)),
    "face_session_bind_listener": (c_int32, (c_void_p, POINTER(face_listener),)),
    "face_session_unbind_listener": (c_int32, (c_void_p,)),
    "face_session_flush": (c_int32, (c_void_p, c_uint64,)),
    "face_session_close": (c_int32, (c_void_p,)),
    "face_check_state_name": (c_char_p, (c_uint32,)),
    "face_tip_name": (c_char_p, (c_uint32,)),
    "face_tip_text": (c_char_p, (c_uint32,)),
    "face_action_name": (c_char_p, (c_uint32,)),
    "face_check_options_init_sized": (None, (POINTER(face_check_options), c_size_t,)),
    "face_check_options_apply": (c_int32, (POINTER(face_check_options), c_uint32,)),
    "face_check_open": (c_int32, (c_void_p, POINTER(face_session_options), POINTER(face_check_options), POINTER(c_void_p),)),
    "face_check_restart": (c_int32, (c_void_p,)),
    "face_check_image": (c_int32, (c_void_p, POINTER(face_image), POINTER(face_options), POINTER(face_check_options), POINTER(face_listener), POINTER(c_uint32),)),
}

# The functions of face_engine_draw.h: the type of the result, and those of the arguments.
DRAW_FUNCTIONS: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {
    "face_draw_last_error": (c_char_p, ()),
    "face_picture_create": (c_int32, (POINTER(face_image), POINTER(c_void_p),)),
    "face_picture_attach": (c_int32, (c_uint32, c_uint32, c_uint32, c_size_t, c_void_p, c_size_t, POINTER(c_void_p),)),
    "face_picture_image": (c_int32, (c_void_p, POINTER(face_image),)),
    "face_picture_copy": (c_int32, (c_void_p, c_uint32, c_size_t, c_void_p, c_size_t,)),
    "face_picture_save": (c_int32, (c_void_p, c_char_p,)),
    "face_picture_destroy": (None, (c_void_p,)),
    "face_draw_style_init_sized": (None, (POINTER(face_draw_style), c_size_t,)),
    "face_draw_colour_of_id": (c_uint32, (c_uint64,)),
    "face_draw_faces": (c_int32, (c_void_p, POINTER(face_info), c_uint32, POINTER(face_draw_style),)),
    "face_draw_labelled_faces": (c_int32, (c_void_p, POINTER(face_info), POINTER(c_char_p), c_uint32, POINTER(face_draw_style),)),
    "face_draw_landmarks": (c_int32, (c_void_p, POINTER(face_landmark), c_uint32, POINTER(face_draw_style),)),
    "face_draw_mask": (c_int32, (c_void_p, POINTER(face_circle), c_uint32, POINTER(face_draw_style),)),
    "face_draw_text": (c_int32, (c_void_p, c_char_p, face_point, c_uint32, POINTER(face_draw_style),)),
    "face_draw_image": (c_int32, (c_void_p, POINTER(face_image), POINTER(face_box),)),
    "face_draw_overlay_options_init_sized": (None, (POINTER(face_draw_overlay_options), c_size_t,)),
    "face_draw_overlay": (c_int32, (c_void_p, POINTER(face_image), POINTER(face_info), POINTER(face_draw_overlay_options),)),
    "face_crop_options_init_sized": (None, (POINTER(face_crop_options), c_size_t,)),
    "face_crop_portrait": (c_int32, (POINTER(face_image), POINTER(face_info), c_uint32, POINTER(face_crop_options), POINTER(c_void_p),)),
    "face_crop_aligned": (c_int32, (POINTER(face_image), POINTER(face_info), c_uint32, POINTER(c_void_p),)),
}


# The keywords of each struct.
OPTIONS: Dict[str, Dict[str, Option]] = {
    "face_load_options": {
        "threads_per_frame": Option(
            'uint32', 'int', 1,
            '1 to 16, default 1: how many threads share the rows of one image; 0: one for each processor core\n'
            'that the process may run on. There are never more than such cores, since two processors of one core\n'
            'gain nothing. A plug-in may use fewer: ncnn uses one'),
        "max_input_pixels": Option(
            'uint64', 'int', 0,
            'Default 0, unbounded: the most pixels that a network may take as its input; a larger image fails\n'
            'with ResourceExhaustedError. See face_detect for the memory that a pixel takes'),
        "precision": Option(
            'enum:Precision', "Union[Precision, Literal['best', 'float']]", 'best',
            'Default "best". What is found may differ a little: Models/README.md says how much. In eight bits,\n'
            'every processor computes the same'),
        "decoder_process": Option(
            'uint32', 'int', 0,
            'Default 0. 1: picture files are decoded in a process of their own, which is killed when its call\n'
            'ends early, whatever the library for that kind is doing; a fault in such a library ends that process\n'
            'alone. It is the program face-engine, which is looked for beside this library, in the bin folder of\n'
            'its prefix, and in PATH; without it loading fails with NotFoundError. Two more processes of some MB.\n'
            'The program is started again when it has ended or does not answer. After fork(2) the child has to\n'
            'load again before it can use files'),
        "engine": Option(
            'text', 'str', None,
            'Default None or "", which is "automatic": the library\'s own kernels run the networks of the\n'
            'detectors that are given, and the plug-in ncnn those with other layers. "kernels": they alone.\n'
            '"ncnn", "onnxruntime" (.onnx files alone) or another plug-in\'s name: it does, in floats; options of\n'
            'the plug-in follow a colon, as in "onnxruntime:CUDA". Loading fails with FailedPreconditionError if\n'
            'the plug-in is not installed. docs/plug-ins.md says more'),
    },
    "face_connect_options": {
        "engine_user": Option(
            'uint32', 'int', 4294967295,
            "Default NO_USER: a user, by number, that the engine may run as. Always accepted are the caller's own\n"
            "user, root, and the owner of the socket's folder where that folder and those above it can be changed\n"
            'by nobody else but root, to whom those above it belong, as /run/face-engine'),
        "timeout": Option(
            'seconds:timeout_ns', 'float', 0,
            'In seconds; default 0: 60 s. The longest that the engine is waited for: by face_connect_with, by\n'
            'opening, feeding and closing a session, and by a call whose own timeout is 0'),
        "canceller": Option(
            'object', 'Canceller', None,
            'Default None. It ends face_connect_with, and nothing later'),
    },
    "face_options": {
        "min_confidence": Option(
            'float', 'float', 0.6,
            '0 to 1, default 0.6. Leave out faces with a lower confidence.'),
        "overlap_threshold": Option(
            'float', 'float', 0.3,
            '0 to 1, default 0.3. Of two boxes with a larger intersection over union, leave out the less\n'
            'confident one. Accuracy high, whose boxes are means of several, allows half as much again.'),
        "max_faces": Option(
            'uint32', 'int', 0,
            "0 or more, default 0. At most this many faces, the most confident ones; 0 for all. A network's 5000\n"
            'most confident boxes are considered.'),
        "min_face_size": Option(
            'float', 'float', 0,
            '0 or more pixels, default 0. Leave out faces whose box has a shorter side.'),
        "min_face_share": Option(
            'float', 'float', 0,
            "0 to 1, default 0. Leave out faces narrower than this share of the upright image's width."),
        "model_revision": Option(
            'uint32', 'int', 0,
            '0 to 4294967295, default 0. Fail with NOT_FOUND unless the model has this revision; 0 for any.'),
        "max_analysed_faces": Option(
            'uint32', 'int', 1000,
            '0 to 4294967295, default 1000. Measure outputs of at most this many faces: the most confident ones,\n'
            "or the first boxes. 0 for as many as the engine's limit analysed_faces_per_image allows."),
        "max_side": Option(
            'uint32', 'int', 0,
            'Pixels, 16 to 8192: scale a larger image down to this long side before the search; default 0: as the\n'
            "accuracy says (low 448, balanced 1024, high the image's own size); OWN_SIZE: never scale. With a\n"
            "value in pixels, low and balanced make exactly one search, whatever the faces' sizes; with any but\n"
            '0, high searches at no larger size. By default, and with OWN_SIZE, faces too large for the network\n'
            'are searched for at smaller sizes, too'),
        "landmarks": Option(
            'output:1', 'bool', False,
            'The 478 points of the mesh, and those of eyes, eyebrows, nose, lips and contour.'),
        "pose": Option(
            'output:2', 'bool', False,
            'The rotation of the head in degrees.'),
        "eyes": Option(
            'output:4', 'bool', False,
            'How far each eye is open.'),
        "mouth": Option(
            'output:8', 'bool', False,
            'The smile, and how far the mouth is open.'),
        "expressions": Option(
            'output:16', 'bool', False,
            '52 expression coefficients.'),
        "quality": Option(
            'output:32', 'bool', False,
            'How good a picture of the face this is, 0 to 1.'),
        "transform": Option(
            'output:64', 'bool', False,
            'Where the head is, as a 4 × 4 matrix in centimetres. The 16 numbers, row by row, map points of the\n'
            "head to the camera's space. Both spaces have x to the picture's right, y up and z towards the\n"
            "camera. The head's origin is between the outer corners of the eyes, which are 8.9 cm apart. The\n"
            'camera is at the origin of its space and looks along -z at the middle of the picture, with a\n'
            'vertical field of view of 63 degrees. With another lens the distance differs in proportion.'),
        "iso_quality": Option(
            'output:128', 'bool', False,
            'The measures of ISO/IEC 29794-5 that need no further network. 2 × 19 numbers: the native value of\n'
            'each measure, then the quality component of each, a whole number from 0 (worst) to 100, or -1 where\n'
            'it could not be assessed.'),
        "precision": Option(
            'output:256', 'bool', False,
            'How far off each of the 478 points is expected to be, in pixels. A point that something covers has\n'
            'its true place under the cover, where the landmark is a guess. Expect larger numbers there, on a\n'
            "blurred or dark face, and for all points of a face whose landmarks contradict the detector's five\n"
            'points. (A detector without such points, boxes of your own, and faces that a session follows without\n'
            'searching do not show this.) The numbers are means over many faces, not bounds: single points can be\n'
            'several times as far off. Takes two more runs of the landmark network.'),
        "gaze": Option(
            'output:512', 'bool', False,
            "Where each eye is, in centimetres, and in which direction it looks. 12 numbers in the camera's space\n"
            "of `transform`: x, y and z of the left eye's centre, then of its direction, of length 1; then the\n"
            'same for the right eye. Expect an error of 5 degrees on a large face (docs/gaze.md). The numbers\n'
            'mean nothing while the eyes are closed.'),
        "accuracy": Option(
            'enum:Accuracy', "Union[Accuracy, Literal['default', 'low', 'balanced', 'high']]", 'balanced',
            'Default balanced'),
        "model": Option(
            'text', 'str', None,
            "Default None: the engine's first model; otherwise the name of a model that the engine was loaded\n"
            'with, UTF-8. A model that was loaded only for accuracy high cannot be named'),
        "timeout": Option(
            'seconds:timeout_ns', 'float', 0,
            'In seconds; default 0: 60 s on a connection, unbounded in process; a longer call ends with\n'
            'DeadlineExceededError'),
        "canceller": Option(
            'object', 'Canceller', None,
            'Default None. In process, a call asks the canceller and the timeout every few milliseconds of its\n'
            'work; a network that a plug-in runs is not interrupted'),
        "boxes": Option(
            'structs:face_box:box_count', 'Sequence[Tuple[float, float, float, float]]', None,
            'Default None: search the faces. Otherwise `box_count` boxes of faces that you know already, in\n'
            'pixels of the upright image: `outputs` are measured of these, and no detector runs. Faces of the\n'
            'result are in this order, with confidence 1. Borrowed until the call returns. For face_detect only,\n'
            'and `outputs` must not be 0'),
        "prominent_only": Option(
            'uint32', 'int', 0,
            'Default 0; 1: only the most prominent face, which is the largest, where one nearer to the middle of\n'
            'the image counts as larger'),
        "rotations": Option(
            'enum:Rotations', "Union[Rotations, Literal['upright', 'any']]", 'upright',
            'Default "upright"'),
    },
    "face_session_options": {
        "mode": Option(
            'enum:SessionMode', "Union[SessionMode, Literal['newest', 'every']]", None,
            ''),
        "track": Option(
            'uint32', 'int', 1,
            'Default 1: faces have ids; 0: each frame is searched by itself'),
        "max_missed_frames": Option(
            'uint32', 'int', 15,
            '0 to 10000, default 15. A face that is missed in more consecutive frames has left. A guided check\n'
            'has 45 by default.'),
        "detection_interval": Option(
            'uint32', 'int', 10,
            '1 or more, default 10. Search the whole picture at least once in this many frames; in between, faces\n'
            'are followed. While no face is in view, every third frame is searched. 1 for every frame.'),
        "min_hits": Option(
            'uint32', 'int', 3,
            '1 to 1000, default 3. A face gets its id after this many consecutive frames with it, or as soon as\n'
            'the landmark network confirms it. Until then it is reported without an id. 1 for an id at once.'),
        "analysis_rate": Option(
            'float', 'float', 0,
            '0 to 1000, default 0. Search at most this many frames a second; 0 for all. The frames between are\n'
            "answered from the tracks, with faces that are `predicted`. Time is the frames' timestamp_ns, or the\n"
            "engine's clock where that is 0. Not for a guided check."),
        "followed_only": Option(
            'uint32', 'int', 0,
            'Default 0; 1: only the faces of face_session_follow are followed, and no others are searched for.\n'
            'Not for a guided check'),
        "reidentify": Option(
            'uint32', 'int', 0,
            'Default 0; 1: a face that left, as on_left said, and comes back at most 10 seconds after it was last\n'
            'seen has its id again, and is reported with it as before, if it is clearly the same by its\n'
            'appearance. Many that come back have a new id all the same. Time is as for analysis_rate. For this,\n'
            'descriptors of small pictures of each face are kept in memory for as long, in the session alone. Not\n'
            'for a guided check, nor for faces of face_session_follow'),
    },
    "face_check_options": {
        "use_timestamps": Option(
            'uint32', 'int', 0,
            "The clock of the check. 0, the default: that of the machine that searches; 1: the images'\n"
            'timestamp_ns, as for the frames of a recorded video'),
        "view": Option(
            'object', 'Space', None,
            'The space of `mask`, usually the view that shows the preview; copied. Default None: pixels of the\n'
            'upright image'),
        "mask": Option(
            'floats', 'Tuple[float, float, float]', None,
            "The circle; default all zeros: centred, with a radius of 0.4 of the view's shorter side"),
        "start_delay": Option(
            'seconds:start_delay_ns', 'float', 0.5,
            'In seconds; default 0.5 s. How long a face has to be in the circle before the check begins.'),
        "hold": Option(
            'seconds:hold_ns', 'float', 1,
            'In seconds; default 1 s. How long the face has to be right at the end.'),
        "grace": Option(
            'seconds:grace_ns', 'float', 0.25,
            'In seconds; default 0.25 s. An interruption up to this long does not restart hold. After a longer\n'
            'absence the person has to do everything again, the actions too: it may be someone else.'),
        "lost": Option(
            'seconds:lost_ns', 'float', 1.5,
            'In seconds; default 1.5 s. A face that is away for longer is lost.'),
        "timeout": Option(
            'seconds:timeout_ns', 'float', 30,
            'In seconds; default 30 s. How long CHECKING may take; 0 for no limit.'),
        "wait_timeout": Option(
            'seconds:wait_timeout_ns', 'float', 0,
            'In seconds; default 0 s. How long WAITING and START together may take; 0 for no limit.'),
        "tip": Option(
            'seconds:tip_ns', 'float', 0.8,
            'In seconds; default 0.8 s. A tip stays for at least this long, unless the check ends.'),
        "hysteresis": Option(
            'float', 'float', 0.1,
            '0 to 0.5, default 0.1. Margin, as a fraction of the limit, by which a value must recover before the\n'
            'limit counts as met again. It keeps tips from flickering.'),
        "min_face": Option(
            'float', 'float', 0.45,
            '0 to 2, default 0.45. Smallest long side of the box, in diameters of the circle; 0 for any.'),
        "max_face": Option(
            'float', 'float', 1,
            '0 to 2, default 1. Largest long side of the box, in diameters of the circle; 2 for any.'),
        "max_offset": Option(
            'float', 'float', 0.3,
            '0 to 1, default 0.3. Largest distance between the centres of box and circle, in radii of the circle;\n'
            '1 for any.'),
        "max_other_face": Option(
            'float', 'float', 0.5,
            '0 to 1, default 0.5. Largest other face that is tolerated, in sizes of the checked face; 1 for any.'),
        "max_yaw": Option(
            'float', 'float', 15,
            '0 to 90 degrees, default 15. Largest yaw to either side; 90 for any.'),
        "max_pitch": Option(
            'float', 'float', 15,
            '0 to 90 degrees, default 15. Largest pitch up or down; 90 for any.'),
        "max_roll": Option(
            'float', 'float', 15,
            '0 to 90 degrees, default 15. Largest roll to either side; 90 for any.'),
        "min_eyes_open": Option(
            'float', 'float', 0.5,
            '0 to 1, default 0.5. Least openness of each eye; 0 if eyes may be closed.'),
        "min_brightness": Option(
            'float', 'float', 0.2,
            '0 to 1, default 0.2. Least mean luma of the face; 0 for any.'),
        "max_brightness": Option(
            'float', 'float', 0.9,
            '0 to 1, default 0.9. Largest mean luma of the face; 1 for any.'),
        "min_sharpness": Option(
            'float', 'float', 0.3,
            '0 to 1, default 0.3. Least sharpness of the face, as in CaptureQuality; 0 for any.'),
        "max_motion": Option(
            'float', 'float', 0.5,
            "0 to 10, default 0.5. Fastest movement of the box's centre, in long sides of the box a second; 10\n"
            'for any.'),
        "turn_angle": Option(
            'float', 'float', 20,
            '5 to 60 degrees, default 20. How far the head has to turn for the actions turn-left and turn-right.'),
        "crop_size": Option(
            'uint32', 'int', 512,
            "16 to 4096 pixels, default 512. Width and height of the result's crop."),
        "crop_margin": Option(
            'float', 'float', 0.4,
            '0 to 4, default 0.4. Space around the box in the crop on each side, in long sides of the box.'),
        "max_blink_open": Option(
            'float', 'float', 0.5,
            '0.1 to 0.9, default 0.5. Largest mean openness of both eyes that counts as closed for the action\n'
            'blink.'),
        "min_smile": Option(
            'float', 'float', 0.7,
            '0.1 to 1, default 0.7. Least smile for the action smile.'),
        "actions": Option(
            'enums:Action', "Sequence[Union[Action, Literal['blink', 'turn_left', 'turn_right', 'smile', 'open_mouth']]]", None,
            'To be done one after the other'),
        "shuffle_actions": Option(
            'uint32', 'int', None,
            '1: in a new random order with each attempt'),
        "start_over": Option(
            'uint32', 'int', 0,
            'What happens if the face is lost, or another takes its place, while CHECKING. 0, the default: the\n'
            'check fails; 1: it waits for the next face'),
        "seed": Option(
            'uint64', 'int', 0,
            'Of the random order, for tests; default 0: a different one each time'),
        "min_iso": Option(
            'numbers', 'Dict[int, float]', None,
            'By face_iso_measure: 0 to 100, default 0, any: the least quality component. Tips say what to do, as\n'
            'docs/iso-quality.md lists. Those beyond ISO_MEASURE_COUNT must be 0'),
    },
    "face_draw_style": {
        "marks": Option(
            'uint32', 'int', None,
            'Default boxes and points'),
        "box_width": Option(
            'float', 'float', 4,
            'Default 4'),
        "point_size": Option(
            'float', 'float', 8,
            'Default 8: diameter of each of the five points'),
        "line_width": Option(
            'float', 'float', 2,
            'Default 2: of landmark outlines'),
        "landmark_size": Option(
            'float', 'float', 3,
            'Default 3: diameter of each landmark'),
        "circle_width": Option(
            'float', 'float', 4,
            "Default 4: of the mask's circle"),
        "text_size": Option(
            'float', 'float', 20,
            'Default 20'),
        "scale": Option(
            'float', 'float', 1,
            'Default 1: every length is multiplied by this; 0: by a factor that suits the picture, as if its long\n'
            'side were 1000 pixels'),
        "box_colour": Option(
            'colour', 'Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]', None,
            'Default green'),
        "point_colour": Option(
            'colour', 'Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]', None,
            'Default yellow'),
        "landmark_colour": Option(
            'colour', 'Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]', None,
            'Default light blue'),
        "circle_colour": Option(
            'colour', 'Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]', None,
            'Default white'),
        "text_colour": Option(
            'colour', 'Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]', None,
            'Default white, with a dark rim'),
        "dim_colour": Option(
            'colour', 'Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]', None,
            'Default black, opacity 0.6: drawn around the circle of a hollow mask'),
        "antialias": Option(
            'uint32', 'int', 1,
            'Default 1: smooth edges; 0: none'),
        "font": Option(
            'text', 'str', None,
            'Default None: sans-serif; otherwise a family that fontconfig knows, UTF-8, or "@cairo:", which needs\n'
            'no installed font and has ASCII only'),
        "scale_to_faces": Option(
            'uint32', 'int', 0,
            'Default 0; 1: lengths follow the size of each face. They are as they are here for a box of 200\n'
            'pixels; lines stay visible and texts legible. `scale` 0 counts as 1'),
        "colours_by_id": Option(
            'uint32', 'int', 0,
            'Default 0; 1: boxes, fills and plates of a face with an id have the colour of face_draw_colour_of_id'),
        "plates": Option(
            'uint32', 'int', 0,
            "Default 0: texts above and below the box; 1: texts on a plate in the box's colour, which avoids\n"
            "other plates, other faces and the picture's border. Where there is no room, the least confident\n"
            'faces have none; at most 1000 have one'),
        "fill_colour": Option(
            'colour', 'Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]', None,
            'Default green, opacity 0.35: of FILLED'),
        "mesh_width": Option(
            'float', 'float', 1,
            "Default 1: of the mesh's lines"),
        "axis_width": Option(
            'float', 'float', 3,
            "Default 3: of the head's axes"),
        "mesh_colour": Option(
            'colour', 'Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]', 3772833984,
            'Default 0xe0e0e0c0'),
        "contour_colour": Option(
            'colour', 'Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]', 3772834047,
            'Default 0xe0e0e0ff, as MediaPipe draws it, like the two below: oval and lips'),
        "left_colour": Option(
            'colour', 'Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]', 822030591,
            "Default 0x30ff30ff: the subject's left eye, eyebrow and iris"),
        "right_colour": Option(
            'colour', 'Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]', 4281348351,
            "Default 0xff3030ff: the subject's right ones"),
    },
    "face_draw_overlay_options": {
        "mirrored": Option(
            'uint32', 'int', 0,
            'Default 0; 1: draw the overlay mirrored, for a picture that is a mirror image. The eyes are still\n'
            'those of the overlay as it is stored'),
        "left_eye": Option(
            'floats', 'Tuple[float, float]', (0.75, 0.5),
            "The subject's, 0 to 1 over the overlay from its top-left corner; default 0.75, 0.5"),
        "right_eye": Option(
            'floats', 'Tuple[float, float]', (0.25, 0.5),
            'Default 0.25, 0.5'),
        "arms": Option(
            'float', 'float', 0,
            "Default 0: the overlay's thin ends, if it has such; more, to 0.45: this share of its width at each\n"
            'side; less: none. They reach back to the ears, like the arms of glasses, and are seen from their\n'
            'side only'),
    },
    "face_crop_options": {
        "choice": Option(
            'enum:CropChoice', "Union[CropChoice, Literal['only_face', 'largest_face']]", 'only_face',
            'Default "only_face"'),
        "width": Option(
            'uint32', 'int', 300,
            '16 to 8192, default 300: pixels of the crop'),
        "height": Option(
            'uint32', 'int', 300,
            '16 to 8192, default 300: pixels of the crop'),
        "margin": Option(
            'float', 'float', -1.0,
            "Default CROP_FILL; otherwise 0 to 10: space on each side of the face's box, in units of its longer\n"
            'side'),
        "headroom": Option(
            'float', 'float', 0,
            "-10 to 10, default 0: how far the crop's centre lies above the face's, in heights of its box"),
    },
}

if TYPE_CHECKING:
    class LoadOptions(TypedDict, total=False):
        """How models run in this process."""

        threads_per_frame: int
        """1 to 16, default 1: how many threads share the rows of one image; 0: one for each processor core that the
        process may run on. There are never more than such cores, since two processors of one core gain nothing. A plug-
        in may use fewer: ncnn uses one"""
        max_input_pixels: int
        """Default 0, unbounded: the most pixels that a network may take as its input; a larger image fails with
        ResourceExhaustedError. See face_detect for the memory that a pixel takes"""
        precision: Union[Precision, PrecisionName]
        """Default 'best'. What is found may differ a little: Models/README.md says how much. In eight bits, every
        processor computes the same"""
        decoder_process: int
        """Default 0. 1: picture files are decoded in a process of their own, which is killed when its call ends early,
        whatever the library for that kind is doing; a fault in such a library ends that process alone. It is the
        program face-engine, which is looked for beside this library, in the bin folder of its prefix, and in PATH;
        without it loading fails with NotFoundError. Two more processes of some MB. The program is started again when it
        has ended or does not answer. After fork(2) the child has to load again before it can use files"""
        engine: str
        """Default None or '', which is 'automatic': the library's own kernels run the networks of the detectors that
        are given, and the plug-in ncnn those with other layers. 'kernels': they alone. 'ncnn', 'onnxruntime' (.onnx
        files alone) or another plug-in's name: it does, in floats; options of the plug-in follow a colon, as in
        'onnxruntime:CUDA'. Loading fails with FailedPreconditionError if the plug-in is not installed. docs/plug-ins.md
        says more"""

    class ConnectOptions(TypedDict, total=False):
        """Who may be at the other end of a connection."""

        engine_user: int
        """Default NO_USER: a user, by number, that the engine may run as. Always accepted are the caller's own user,
        root, and the owner of the socket's folder where that folder and those above it can be changed by nobody else
        but root, to whom those above it belong, as /run/face-engine"""
        timeout: float
        """In seconds; default 0: 60 s. The longest that the engine is waited for: by face_connect_with, by opening,
        feeding and closing a session, and by a call whose own timeout is 0"""
        canceller: "Canceller"
        """Default None. It ends face_connect_with, and nothing later"""

    class DetectOptions(TypedDict, total=False):
        """What to look for."""

        min_confidence: float
        """0 to 1, default 0.6. Leave out faces with a lower confidence."""
        overlap_threshold: float
        """0 to 1, default 0.3. Of two boxes with a larger intersection over union, leave out the less confident one.
        Accuracy high, whose boxes are means of several, allows half as much again."""
        max_faces: int
        """0 or more, default 0. At most this many faces, the most confident ones; 0 for all. A network's 5000 most
        confident boxes are considered."""
        min_face_size: float
        """0 or more pixels, default 0. Leave out faces whose box has a shorter side."""
        min_face_share: float
        """0 to 1, default 0. Leave out faces narrower than this share of the upright image's width."""
        model_revision: int
        """0 to 4294967295, default 0. Fail with NOT_FOUND unless the model has this revision; 0 for any."""
        max_analysed_faces: int
        """0 to 4294967295, default 1000. Measure outputs of at most this many faces: the most confident ones, or the
        first boxes. 0 for as many as the engine's limit analysed_faces_per_image allows."""
        max_side: int
        """Pixels, 16 to 8192: scale a larger image down to this long side before the search; default 0: as the accuracy
        says (low 448, balanced 1024, high the image's own size); OWN_SIZE: never scale. With a value in pixels, low and
        balanced make exactly one search, whatever the faces' sizes; with any but 0, high searches at no larger size. By
        default, and with OWN_SIZE, faces too large for the network are searched for at smaller sizes, too"""
        landmarks: bool
        """The 478 points of the mesh, and those of eyes, eyebrows, nose, lips and contour."""
        pose: bool
        """The rotation of the head in degrees."""
        eyes: bool
        """How far each eye is open."""
        mouth: bool
        """The smile, and how far the mouth is open."""
        expressions: bool
        """52 expression coefficients."""
        quality: bool
        """How good a picture of the face this is, 0 to 1."""
        transform: bool
        """Where the head is, as a 4 × 4 matrix in centimetres. The 16 numbers, row by row, map points of the head to
        the camera's space. Both spaces have x to the picture's right, y up and z towards the camera. The head's origin
        is between the outer corners of the eyes, which are 8.9 cm apart. The camera is at the origin of its space and
        looks along -z at the middle of the picture, with a vertical field of view of 63 degrees. With another lens the
        distance differs in proportion."""
        iso_quality: bool
        """The measures of ISO/IEC 29794-5 that need no further network. 2 × 19 numbers: the native value of each
        measure, then the quality component of each, a whole number from 0 (worst) to 100, or -1 where it could not be
        assessed."""
        precision: bool
        """How far off each of the 478 points is expected to be, in pixels. A point that something covers has its true
        place under the cover, where the landmark is a guess. Expect larger numbers there, on a blurred or dark face,
        and for all points of a face whose landmarks contradict the detector's five points. (A detector without such
        points, boxes of your own, and faces that a session follows without searching do not show this.) The numbers are
        means over many faces, not bounds: single points can be several times as far off. Takes two more runs of the
        landmark network."""
        gaze: bool
        """Where each eye is, in centimetres, and in which direction it looks. 12 numbers in the camera's space of
        `transform`: x, y and z of the left eye's centre, then of its direction, of length 1; then the same for the
        right eye. Expect an error of 5 degrees on a large face (docs/gaze.md). The numbers mean nothing while the eyes
        are closed."""
        accuracy: Union[Accuracy, AccuracyName]
        """Default balanced"""
        model: str
        """Default None: the engine's first model; otherwise the name of a model that the engine was loaded with, UTF-8.
        A model that was loaded only for accuracy high cannot be named"""
        timeout: float
        """In seconds; default 0: 60 s on a connection, unbounded in process; a longer call ends with
        DeadlineExceededError"""
        canceller: "Canceller"
        """Default None. In process, a call asks the canceller and the timeout every few milliseconds of its work; a
        network that a plug-in runs is not interrupted"""
        boxes: Sequence[Tuple[float, float, float, float]]
        """Default None: search the faces. Otherwise `box_count` boxes of faces that you know already, in pixels of the
        upright image: `outputs` are measured of these, and no detector runs. Faces of the result are in this order,
        with confidence 1. Borrowed until the call returns. For face_detect only, and `outputs` must not be 0"""
        prominent_only: int
        """Default 0; 1: only the most prominent face, which is the largest, where one nearer to the middle of the image
        counts as larger"""
        rotations: Union[Rotations, RotationsName]
        """Default 'upright'"""

    class SessionOptions(TypedDict, total=False):
        """How a stream is searched."""

        mode: Union[SessionMode, SessionModeName]
        track: int
        """Default 1: faces have ids; 0: each frame is searched by itself"""
        max_missed_frames: int
        """0 to 10000, default 15. A face that is missed in more consecutive frames has left. A guided check has 45 by
        default."""
        detection_interval: int
        """1 or more, default 10. Search the whole picture at least once in this many frames; in between, faces are
        followed. While no face is in view, every third frame is searched. 1 for every frame."""
        min_hits: int
        """1 to 1000, default 3. A face gets its id after this many consecutive frames with it, or as soon as the
        landmark network confirms it. Until then it is reported without an id. 1 for an id at once."""
        analysis_rate: float
        """0 to 1000, default 0. Search at most this many frames a second; 0 for all. The frames between are answered
        from the tracks, with faces that are `predicted`. Time is the frames' timestamp_ns, or the engine's clock where
        that is 0. Not for a guided check."""
        followed_only: int
        """Default 0; 1: only the faces of face_session_follow are followed, and no others are searched for. Not for a
        guided check"""
        reidentify: int
        """Default 0; 1: a face that left, as on_left said, and comes back at most 10 seconds after it was last seen has
        its id again, and is reported with it as before, if it is clearly the same by its appearance. Many that come
        back have a new id all the same. Time is as for analysis_rate. For this, descriptors of small pictures of each
        face are kept in memory for as long, in the session alone. Not for a guided check, nor for faces of
        face_session_follow"""

    class CheckOptions(TypedDict, total=False):
        """What a check demands."""

        use_timestamps: int
        """The clock of the check. 0, the default: that of the machine that searches; 1: the images' timestamp_ns, as
        for the frames of a recorded video"""
        view: "Space"
        """The space of `mask`, usually the view that shows the preview; copied. Default None: pixels of the upright
        image"""
        mask: Tuple[float, float, float]
        """The circle; default all zeros: centred, with a radius of 0.4 of the view's shorter side"""
        start_delay: float
        """In seconds; default 0.5 s. How long a face has to be in the circle before the check begins."""
        hold: float
        """In seconds; default 1 s. How long the face has to be right at the end."""
        grace: float
        """In seconds; default 0.25 s. An interruption up to this long does not restart hold. After a longer absence the
        person has to do everything again, the actions too: it may be someone else."""
        lost: float
        """In seconds; default 1.5 s. A face that is away for longer is lost."""
        timeout: float
        """In seconds; default 30 s. How long CHECKING may take; 0 for no limit."""
        wait_timeout: float
        """In seconds; default 0 s. How long WAITING and START together may take; 0 for no limit."""
        tip: float
        """In seconds; default 0.8 s. A tip stays for at least this long, unless the check ends."""
        hysteresis: float
        """0 to 0.5, default 0.1. Margin, as a fraction of the limit, by which a value must recover before the limit
        counts as met again. It keeps tips from flickering."""
        min_face: float
        """0 to 2, default 0.45. Smallest long side of the box, in diameters of the circle; 0 for any."""
        max_face: float
        """0 to 2, default 1. Largest long side of the box, in diameters of the circle; 2 for any."""
        max_offset: float
        """0 to 1, default 0.3. Largest distance between the centres of box and circle, in radii of the circle; 1 for
        any."""
        max_other_face: float
        """0 to 1, default 0.5. Largest other face that is tolerated, in sizes of the checked face; 1 for any."""
        max_yaw: float
        """0 to 90 degrees, default 15. Largest yaw to either side; 90 for any."""
        max_pitch: float
        """0 to 90 degrees, default 15. Largest pitch up or down; 90 for any."""
        max_roll: float
        """0 to 90 degrees, default 15. Largest roll to either side; 90 for any."""
        min_eyes_open: float
        """0 to 1, default 0.5. Least openness of each eye; 0 if eyes may be closed."""
        min_brightness: float
        """0 to 1, default 0.2. Least mean luma of the face; 0 for any."""
        max_brightness: float
        """0 to 1, default 0.9. Largest mean luma of the face; 1 for any."""
        min_sharpness: float
        """0 to 1, default 0.3. Least sharpness of the face, as in CaptureQuality; 0 for any."""
        max_motion: float
        """0 to 10, default 0.5. Fastest movement of the box's centre, in long sides of the box a second; 10 for any."""
        turn_angle: float
        """5 to 60 degrees, default 20. How far the head has to turn for the actions turn-left and turn-right."""
        crop_size: int
        """16 to 4096 pixels, default 512. Width and height of the result's crop."""
        crop_margin: float
        """0 to 4, default 0.4. Space around the box in the crop on each side, in long sides of the box."""
        max_blink_open: float
        """0.1 to 0.9, default 0.5. Largest mean openness of both eyes that counts as closed for the action blink."""
        min_smile: float
        """0.1 to 1, default 0.7. Least smile for the action smile."""
        actions: Sequence[Union[Action, ActionName]]
        """To be done one after the other"""
        shuffle_actions: int
        """1: in a new random order with each attempt"""
        start_over: int
        """What happens if the face is lost, or another takes its place, while CHECKING. 0, the default: the check
        fails; 1: it waits for the next face"""
        seed: int
        """Of the random order, for tests; default 0: a different one each time"""
        min_iso: Dict[int, float]
        """By face_iso_measure: 0 to 100, default 0, any: the least quality component. Tips say what to do, as docs/iso-
        quality.md lists. Those beyond ISO_MEASURE_COUNT must be 0"""

    class DrawStyle(TypedDict, total=False):
        """How marks are drawn."""

        marks: int
        """Default boxes and points"""
        box_width: float
        """Default 4"""
        point_size: float
        """Default 8: diameter of each of the five points"""
        line_width: float
        """Default 2: of landmark outlines"""
        landmark_size: float
        """Default 3: diameter of each landmark"""
        circle_width: float
        """Default 4: of the mask's circle"""
        text_size: float
        """Default 20"""
        scale: float
        """Default 1: every length is multiplied by this; 0: by a factor that suits the picture, as if its long side
        were 1000 pixels"""
        box_colour: Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]
        """Default green"""
        point_colour: Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]
        """Default yellow"""
        landmark_colour: Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]
        """Default light blue"""
        circle_colour: Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]
        """Default white"""
        text_colour: Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]
        """Default white, with a dark rim"""
        dim_colour: Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]
        """Default black, opacity 0.6: drawn around the circle of a hollow mask"""
        antialias: int
        """Default 1: smooth edges; 0: none"""
        font: str
        """Default None: sans-serif; otherwise a family that fontconfig knows, UTF-8, or '@cairo:', which needs no
        installed font and has ASCII only"""
        scale_to_faces: int
        """Default 0; 1: lengths follow the size of each face. They are as they are here for a box of 200 pixels; lines
        stay visible and texts legible. `scale` 0 counts as 1"""
        colours_by_id: int
        """Default 0; 1: boxes, fills and plates of a face with an id have the colour of face_draw_colour_of_id"""
        plates: int
        """Default 0: texts above and below the box; 1: texts on a plate in the box's colour, which avoids other plates,
        other faces and the picture's border. Where there is no room, the least confident faces have none; at most 1000
        have one"""
        fill_colour: Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]
        """Default green, opacity 0.35: of FILLED"""
        mesh_width: float
        """Default 1: of the mesh's lines"""
        axis_width: float
        """Default 3: of the head's axes"""
        mesh_colour: Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]
        """Default 0xe0e0e0c0"""
        contour_colour: Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]
        """Default 0xe0e0e0ff, as MediaPipe draws it, like the two below: oval and lips"""
        left_colour: Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]
        """Default 0x30ff30ff: the subject's left eye, eyebrow and iris"""
        right_colour: Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]
        """Default 0xff3030ff: the subject's right ones"""

    class DrawOverlayOptions(TypedDict, total=False):
        """Where the eyes are in an overlay."""

        mirrored: int
        """Default 0; 1: draw the overlay mirrored, for a picture that is a mirror image. The eyes are still those of
        the overlay as it is stored"""
        left_eye: Tuple[float, float]
        """The subject's, 0 to 1 over the overlay from its top-left corner; default 0.75, 0.5"""
        right_eye: Tuple[float, float]
        """Default 0.25, 0.5"""
        arms: float
        """Default 0: the overlay's thin ends, if it has such; more, to 0.45: this share of its width at each side;
        less: none. They reach back to the ears, like the arms of glasses, and are seen from their side only"""

    class CropOptions(TypedDict, total=False):
        """What a crop shows."""

        choice: Union[CropChoice, CropChoiceName]
        """Default 'only_face'"""
        width: int
        """16 to 8192, default 300: pixels of the crop"""
        height: int
        """16 to 8192, default 300: pixels of the crop"""
        margin: float
        """Default CROP_FILL; otherwise 0 to 10: space on each side of the face's box, in units of its longer side"""
        headroom: float
        """-10 to 10, default 0: how far the crop's centre lies above the face's, in heights of its box"""
