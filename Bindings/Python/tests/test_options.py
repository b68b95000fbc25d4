"""Every keyword is in signatures and help, as the library itself describes it."""

import ctypes
import inspect
import itertools
import pydoc
import subprocess
import sys

import faceengine
import numpy as np
import pytest
from conftest import run_python
from faceengine import Engine, _abi, _library, _options, draw

DETECT = [Engine.detect, Engine.detect_batch, Engine.session]
TAKING = {
    "face_load_options": [faceengine.load],
    "face_connect_options": [faceengine.connect],
    "face_options": DETECT,
    "face_session_options": [Engine.session],
    "face_check_options": [Engine.guided_check, Engine.check_photo],
    "face_draw_style": [draw.Picture.faces, draw.Picture.landmarks, draw.Picture.mask, draw.Picture.text],
    "face_draw_overlay_options": [draw.Picture.overlay],
    "face_crop_options": [draw.crop_portrait],
}
GROUPS = {
    _abi.OptionGroup.DETECTION: "face_options",
    _abi.OptionGroup.TRACKING: "face_session_options",
    _abi.OptionGroup.CHECK: "face_check_options",
}


def entries(function):
    """What a function of C gives for 0, 1, ... until it gives NULL."""
    for index in itertools.count():
        found = function(index)
        if not found:
            return
        yield found.contents


@pytest.mark.parametrize("group", GROUPS)
def test_options_are_those_the_library_describes(group):
    size = ctypes.sizeof(getattr(_abi, GROUPS[group]))
    described = list(entries(lambda index: _library.face.face_option_at(group, index, size)))
    assert len(described) > 3
    for option in described:
        name = option.name.decode()
        keyword = name[:-3] if option.kind == _abi.OptionKind.NANOSECONDS else name
        default = option.standard / 1e9 if option.kind == _abi.OptionKind.NANOSECONDS else option.standard
        # The header describes a switch, and a duration by its name in C, in words of its own.
        is_described = option.kind != _abi.OptionKind.SWITCH and "_ns" not in option.meaning.decode()
        type_name = "int" if option.kind in (_abi.OptionKind.COUNT, _abi.OptionKind.SWITCH) else "float"
        for function in TAKING[GROUPS[group]]:
            parameter = inspect.signature(function).parameters[keyword]
            assert np.float32(parameter.default or 0) == np.float32(default), name
            assert parameter.annotation == type_name, name
            assert not is_described or option.meaning.decode().split(".")[0] in " ".join(function.__doc__.split())


def test_outputs_are_those_the_library_describes():
    described = list(entries(_library.face.face_output_at))
    assert {output.name.decode(): output.bit for output in described} == _abi.OUTPUTS
    for output, function in itertools.product(described, DETECT):
        parameter = inspect.signature(function).parameters[output.name.decode()]
        assert (parameter.default, parameter.annotation) == (False, "bool")
        assert output.meaning.decode() in " ".join(function.__doc__.split())


@pytest.mark.parametrize("struct", TAKING)
def test_defaults_are_the_librarys(struct):
    """A default that is given changes nothing."""
    kind, library = (
        getattr(_abi, struct),
        _library.draw if struct.startswith(("face_draw", "face_crop")) else _library.face,
    )
    for name, option in _abi.OPTIONS[struct].items():
        filled = _options.fill(kind, {name: option.default}, library)
        assert bytes(filled) == bytes(_library.fresh(kind, library)), name
        if option.default is None:
            assert option.code.partition(":")[0] in (
                "text",
                "object",
                "structs",
                "floats",
                "numbers",
                "enums",
                "enum",
                "colour",
                "uint32",
            ), name


@pytest.mark.parametrize("struct", TAKING)
def test_every_keyword_is_in_signature_and_help(struct):
    for function in TAKING[struct]:
        parameters, text = inspect.signature(function).parameters, pydoc.plain(pydoc.render_doc(function))
        assert not any(one.kind == inspect.Parameter.VAR_KEYWORD for one in parameters.values())
        for name, option in _abi.OPTIONS[struct].items():
            assert name in parameters and f" {name}" in text
            if struct != "face_connect_options":  # which connect() writes out
                assert parameters[name].default == option.default and option.text.split("\n")[0] in text
    assert inspect.signature(faceengine.Engine.detect).parameters["accuracy"].annotation == (
        "Union[Accuracy, Literal['default', 'low', 'balanced', 'high']]"
    )


def test_completion_finds_keywords_of_a_bound_method(loaded):
    names = list(inspect.signature(loaded.detect).parameters)
    assert names[:2] == ["image", "format"] and {"landmarks", "accuracy", "max_faces", "canceller"} <= set(names)


@pytest.mark.parametrize(
    "keyword, near", [("landmark", "landmarks"), ("mirored", "mirrored"), ("min_face_sice", "min_face_size")]
)
def test_an_unknown_keyword_names_the_near_one(loaded, pixels, keyword, near):
    for use in (lambda: loaded.detect(pixels, **{keyword: 1}), lambda: loaded.detect_batch([pixels], **{keyword: 1})):
        with pytest.raises(TypeError, match=rf"detect.*\(\) has no keyword '{keyword}': did you mean '{near}'\?"):
            use()


def test_unknown_keywords_elsewhere(loaded, photo):
    with draw.Picture(photo) as picture:
        for use, near in (
            (lambda: loaded.session(max_misses_frames=1), "max_missed_frames"),
            (lambda: loaded.guided_check(holds=1), "hold"),
            (lambda: loaded.guided_check(search={"landmark": True}), "landmarks"),
            (lambda: faceengine.load(engin=""), "engine"),
            (lambda: picture.faces([], box_color=1), "box_colour"),
            (lambda: draw.crop_portrait(photo, [], widht=1), "width"),
        ):
            with pytest.raises(TypeError, match=f"did you mean '{near}'"):
                use()
    with pytest.raises(TypeError, match="there are image, format,"):
        loaded.detect(photo, qqqqq=1)


def test_arguments_by_place_are_pythons_own(loaded):
    with pytest.raises(TypeError, match="image"):
        loaded.detect()


def test_without_docstrings(photo):
    code = "import faceengine, inspect, sys; print('pose' in inspect.signature(faceengine.load().detect).parameters)"
    done = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr


def test_a_connection_has_a_time_limit(tmp_path):
    done = run_python(
        """
import socket, sys, threading, time, faceengine
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
for options in ({"timeout": 0.2}, {"canceller": faceengine.Canceller()}):
    if "canceller" in options:
        threading.Timer(0.2, options["canceller"].cancel).start()
    try:
        faceengine.connect(sys.argv[1], **options)
    except faceengine.FaceEngineError as error:
        print(type(error).__name__)
""",
        tmp_path / "socket",
    )
    assert done.stdout == "DeadlineExceededError\nCancelledError\n", done.stdout + done.stderr
