"""The module generated from the headers agrees with a C compiler."""

import ctypes
import re
import shutil
import subprocess

import pytest
from conftest import INSTALLED, ROOT
from faceengine import _abi

pytestmark = pytest.mark.skipif(INSTALLED, reason="an installed package brings no headers")


def structs():
    return [
        value
        for value in vars(_abi).values()
        if isinstance(value, type) and issubclass(value, ctypes.Structure) and value is not ctypes.Structure
    ]


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
        f"#include <face_engine_draw.h>\n#include <stdio.h>\nint main(void)\n{{\n{program}\nreturn 0;\n}}\n"
    )
    subprocess.run([compiler, f"-I{ROOT}/include", tmp_path / "program.c", "-o", tmp_path / "program"], check=True)
    printed = subprocess.run([tmp_path / "program"], check=True, capture_output=True).stdout.split()
    wrong = [line for line, here, there in zip(lines, expected, map(int, printed)) if here != there]
    assert not wrong and len(printed) == len(expected)


def test_every_function_is_there():
    declared = set()
    for header in (*(ROOT / "include/face_engine").glob("*.h"), ROOT / "include/face_engine_draw.h"):
        declared |= set(re.findall(r"^FACE_API .*?\b(face_\w+)\(", header.read_text(), re.M))
    assert declared == set(_abi.FACE_FUNCTIONS) | set(_abi.DRAW_FUNCTIONS)
