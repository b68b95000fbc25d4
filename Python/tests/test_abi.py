"""The module generated from the headers agrees with a C compiler."""

import ctypes
import pathlib
import re
import shutil
import subprocess

import pytest
from conftest import INSTALLED, ROOT
from faceengine import _abi

pytestmark = pytest.mark.skipif(INSTALLED, reason="an installed package brings no headers")
# Its Python is the system's, which has protobuf.
GENERATOR = ROOT / "Tools/generate-python.py"


def structs():
    return [value for value in vars(_abi).values()
            if isinstance(value, type) and issubclass(value, ctypes.Structure) and value is not ctypes.Structure]


def test_the_generated_module_is_up_to_date():
    subprocess.run([GENERATOR, "--check"], check=True)


def test_sizes_offsets_and_values_are_the_compilers(tmp_path):
    compiler = shutil.which("cc") or pytest.skip("there is no C compiler")
    expected, lines = [], []
    for struct in structs():
        name = struct.__name__
        lines.append(f"sizeof({'struct ' if name == 'face_check' else ''}{name})")
        expected.append(ctypes.sizeof(struct))
        for member, _ in struct._fields_:
            lines.append(f"offsetof({'struct ' if name == 'face_check' else ''}{name}, {member})")
            expected.append(getattr(struct, member).offset)
    for name, value in vars(_abi).items():
        if name.startswith("FACE_") and isinstance(value, int):
            lines.append(name)
            expected.append(value)
    assert len(lines) > 200
    program = "\n".join(f'printf("%llu\\n", (unsigned long long)({line}));' for line in lines)
    (tmp_path / "program.c").write_text(
        f'#include <face_engine_draw.h>\n#include <stdio.h>\nint main(void)\n{{\n{program}\nreturn 0;\n}}\n')
    subprocess.run([compiler, f"-I{ROOT}/include", tmp_path / "program.c", "-o", tmp_path / "program"], check=True)
    printed = subprocess.run([tmp_path / "program"], check=True, capture_output=True).stdout.split()
    wrong = [line for line, here, there in zip(lines, expected, map(int, printed)) if here != there]
    assert not wrong and len(printed) == len(expected)


def test_every_function_is_there():
    declared = set()
    for header in (*(ROOT / "include/face_engine").glob("*.h"), ROOT / "include/face_engine_draw.h"):
        declared |= set(re.findall(r"^FACE_API .*?\b(face_\w+)\(", header.read_text(), re.M))
    assert declared == set(_abi.FACE_FUNCTIONS) | set(_abi.DRAW_FUNCTIONS)


def generate(tmp_path, changes):
    """The module generated from changed headers."""
    shutil.copytree(ROOT / "include", tmp_path, dirs_exist_ok=True)
    for header in (tmp_path / "face_engine").glob("*.h"):
        text = header.read_text(encoding="utf-8")
        for old, new in changes:
            text = text.replace(old, new)
        header.write_text(text, encoding="utf-8")
    made = tmp_path / "_abi.py"
    return made, subprocess.run(
        [GENERATOR, "--include", tmp_path, "--output", made], capture_output=True, text=True)


def test_headers_may_grow(tmp_path):
    made, done = generate(tmp_path, [
        ("} face_options;", "  uint32_t spins; /* default 0: none; 1: all */\n  double weight;\n  uint64_t wait_ns; /* a time */\n"
                            "  uint32_t more[3];\n} face_options;"),
        ("/* ---- Engine -", "typedef int8_t face_sign;\nenum {\n  FACE_SIGN_PLUS = 1, /* more */\n  FACE_SIGN_BOTH = FACE_SIGN_PLUS | 2\n};\n"
                             "FACE_API face_status face_new(const face_sign *signs, uint32_t count);\n/* ---- Engine -"),
    ])
    assert done.returncode == 1 and "face_sign" in done.stderr  # it names the unknown type
    made, done = generate(tmp_path, [
        ("} face_options;", "  uint32_t spins; /* default 0: none; 1: all */\n  double weight;\n  uint64_t wait_ns; /* a time */\n"
                            "  uint32_t more[3];\n  const face_box *boxes;\n  uint32_t box_count;\n"
                            "  uint32_t reserved_2;\n} face_options;"),
        ("/* ---- Engine -", "typedef struct face_thing {\n  uint32_t struct_size;\n  char name[64];\n  float a[3], b[3];\n} face_thing;\n"
                             "typedef uint32_t face_set;\nenum { FACE_SET_ALL = 0, FACE_SET_65 = 1 };\ntypedef uint32_t face_sign;\nenum {\n  FACE_SIGN_PLUS = 1, /* more */\n  FACE_SIGN_BOTH = FACE_SIGN_PLUS | 2\n};\n"
                             "FACE_API face_status face_new(const face_sign *signs, uint32_t count);\n/* ---- Engine -"),
    ])
    assert done.returncode == 0, done.stderr
    found = {}
    exec(compile(made.read_text(encoding="utf-8"), str(made), "exec"), found)
    options = found["OPTIONS"]["face_options"]
    assert options["spins"] == ("uint32", "int", 0, "Default 0: none; 1: all") and options["gaze"].code.startswith("output:")
    assert options["wait"][:3] == ("seconds:wait_ns", "float", None) and options["weight"].code == "double"
    assert found["face_options"].weight.size == 8 and found["Sign"].BOTH == 3 and "face_new" in found["FACE_FUNCTIONS"]
    assert options["boxes"].code == "structs:face_box:box_count" and not {"box_count", "reserved_2"} & set(options)
    assert found["Set"].SET_65 == 1 and found["face_thing"].b.offset == 80
    assert found["FACE_FUNCTIONS"]["face_new"][1][0] is ctypes.POINTER(ctypes.c_uint32)


def test_a_differing_generated_file_is_reported(tmp_path):
    other = tmp_path / "_abi.py"
    other.write_text("")
    done = subprocess.run([GENERATOR, "--check", "--output", other], capture_output=True, text=True)
    assert done.returncode == 1 and "run Tools/generate-python.py" in done.stderr
    assert pathlib.Path(other).read_text() == ""
