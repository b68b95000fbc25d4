"""What every converter shares: its command line, lists in ONNX graphs, and the step from ONNX to ncnn with pnnx."""

import os
import pathlib
import subprocess
import sys
import sysconfig

# pnnx's file name ends, and the names we give them.
RESULTS = {".ncnn.param": ".param", ".ncnn.bin": ".bin"}


def arguments(usage):
    """SOURCE and FOLDER from the command line of a converter."""
    if len(sys.argv) != 3:
        sys.exit(usage)
    return pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])


def replace(field, values):
    """Protobuf lists cannot be assigned to."""
    values = list(values)
    del field[:]
    field.extend(values)


def to_ncnn(onnx_file, shapes, other_shapes=()):
    """Write NAME.param and NAME.bin beside NAME.onnx.

    `shapes` has an entry like "1,3,640,640" for each input; `other_shapes` a second example where dimensions are free.
    Weights stay 32-bit floats.
    """
    pnnx = pathlib.Path(sysconfig.get_paths()["purelib"], "pnnx", "pnnx")
    command = [pnnx, onnx_file.name, "fp16=0", "inputshape=" + brackets(shapes)]
    if other_shapes:
        command.append("inputshape2=" + brackets(other_shapes))
    log = onnx_file.with_suffix(".log")
    with open(log, "wb") as output:
        status = subprocess.run(command, cwd=onnx_file.parent, stdout=output, stderr=output).returncode
    stem = onnx_file.with_suffix("")
    for theirs, ours in RESULTS.items():
        made = pathlib.Path(f"{stem}{theirs}")
        if status != 0 or not made.exists():
            sys.exit(f"pnnx could not convert {onnx_file.name} (exit status {status}): see {log}.")
        os.replace(made, f"{stem}{ours}")


def brackets(shapes):
    return ",".join(f"[{shape}]" for shape in shapes)
