"""A wrong argument of any public function raises an exception that names the argument and what was given."""

import inspect

import faceengine
import numpy as np
import pytest
from faceengine import draw

BOX, SIZE = (1, 2, 30, 40), (512, 600)


class Nonsense:
    """No argument at all: no number, no text, not iterable."""


@pytest.fixture(scope="module")
def calls(loaded, photo):
    """Public functions and methods with the arguments that they need."""
    face = faceengine.Face(faceengine.Box(*BOX), faceengine.Box(*BOX), 1, landmarks=np.zeros((478, 3), np.float32))
    space, picture = faceengine.Space("normalised"), draw.Picture(photo)
    with loaded.session() as session, loaded.guided_check() as check:
        needs = {
            faceengine.load: {},
            faceengine.connect: {},
            faceengine.orientation_of_camera: {"sensor": 0, "device": 0},
            faceengine.contour_indices: {"contour": "face"},
            faceengine.contour_path: {"contour": "face"},
            faceengine.Space: {},
            space.points: {"points": [(1, 2)], "size": SIZE},
            space.box: {"box": BOX, "size": SIZE},
            space.points_to_pixels: {"points": [(1, 2)], "size": SIZE},
            space.box_to_pixels: {"box": BOX, "size": SIZE},
            space.faces: {"faces": faceengine.Faces()},
            face.region: {"region": "left_eye"},
            loaded.detect: {"image": photo},
            loaded.detect_batch: {"images": [photo]},
            loaded.session: {},
            loaded.guided_check: {},
            loaded.check_photo: {"image": photo},
            session.submit: {"image": photo},
            session.next_event: {},
            session.flush: {},
            session.follow: {"box": BOX},
            session.best: {},
            check.restart: {},
            draw.Picture: {"image": photo},
            picture.faces: {"faces": [face]},
            picture.covers: {"faces": [face], "image": photo},
            picture.landmarks: {"landmarks": face.landmarks},
            picture.mask: {"circle": (9, 9, 9)},
            picture.text: {"text": "a", "place": (9, 9)},
            picture.image: {"image": photo, "box": BOX},
            picture.overlay: {"overlay": photo, "face": face},
            picture.array: {},
            picture.save: {"path": "/nowhere/a.png"},
            picture.to_bytes: {},
            draw.colour_of_id: {"id": 1},
            draw.crop_portrait: {"image": photo, "faces": [face]},
            draw.crop_aligned: {"image": photo, "face": face},
        }
        yield needs


def test_the_table_has_every_public_function(calls):
    public = {getattr(module, name) for module in (faceengine, draw) for name in module.__all__}
    public = {one for one in public if inspect.isfunction(one)}
    for kind in (faceengine.Engine, faceengine.Session, faceengine.Space, draw.Picture):
        public |= {one for name, one in vars(kind).items() if inspect.isfunction(one) and not name.startswith("_")}
    takes_nothing = {one for one in public if not set(inspect.signature(one).parameters) - {"self"}}
    assert public - takes_nothing <= {getattr(one, "__func__", one) for one in calls}


def test_the_wrong_argument_is_named(calls):
    unnamed = []
    for function, needed in calls.items():
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.annotation in ("bool", bool):  # any object is true or false
                continue
            with pytest.raises((TypeError, ValueError)) as caught:
                function(**{**needed, name: Nonsense()})
            if name not in str(caught.value) or "Nonsense" not in str(caught.value):
                unnamed.append(f"{function.__qualname__}({name}=...): {caught.value}")
    assert not unnamed, "\n".join(unnamed)


@pytest.mark.parametrize(
    "use, message",
    [
        (
            lambda photo, face: draw.crop_portrait(photo, face),
            r"faces must be a list of faceengine.Face, not Face; for one face give \[face\]",
        ),
        (lambda photo, face: draw.crop_portrait(photo, None), "faces must be a list of faceengine.Face, not NoneType"),
        (
            lambda photo, face: draw.crop_portrait(photo, [None]),
            "each of faces must be a faceengine.Face, not NoneType",
        ),
        (lambda photo, face: draw.crop_aligned(photo, None), "face must be a faceengine.Face, not NoneType"),
        (lambda photo, face: draw.crop_aligned(photo, [face]), "face must be a faceengine.Face, not list"),
        (lambda photo, face: draw.Picture(photo).text("a", (1,)), "place must be x, y: 2 numbers, not 1"),
        (
            lambda photo, face: draw.Picture(photo).landmarks(np.zeros((4, 5))),
            r"landmarks must be N × 3 numbers, not an array of the shape \(4, 5\)",
        ),
        (lambda photo, face: faceengine.Space("view", view=(1, 2, 3)), "view must be width, height: 2 numbers, not 3"),
        (
            lambda photo, face: faceengine.connect(engine_user=1.5),
            "engine_user must be the name or number of a user, not float",
        ),
    ],
)
def test_the_message_says_what_is_right(photo, use, message):
    box = faceengine.Box(*BOX)
    with pytest.raises((TypeError, ValueError), match=message):
        use(photo, faceengine.Face(box, box, 1))


@pytest.mark.parametrize(
    "function, options, message",
    [
        ("detect", {"region": (1, 2, 3)}, "region must be x, y, width, height: 4 numbers, not 3"),
        ("detect", {"region": (1, 2, 3, "a")}, "each number of region must be a number, not str"),
        ("guided_check", {"mask": (1, 2)}, "mask must be x, y, radius: 3 numbers, not 2"),
        ("guided_check", {"min_iso": {"eyes": 5}}, "each place of min_iso must be a whole number, not str"),
    ],
)
def test_numbers_of_an_engines_options(loaded, pixels, function, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        getattr(loaded, function)(*([pixels] if function == "detect" else []), **options)
