"""Compiles Proto/*.proto to C, and sets of descriptors for reflection. They are committed, so that a build needs the library
protobuf-c but no compiler of protobuf."""

import pathlib
import subprocess
import tempfile

from contract import ROOT, Problem

TARGET = ROOT / "Sources/Generated/CProtocol"
GATEWAY = ROOT / "Gateway/Sources/face-engine-gateway/Resources/gateway.set"
SET = """\
/* Made by Tools/generate from face_engine.proto. Not to be edited. */
#include "descriptor_set.h"

static const uint8_t bytes[] = {{
{bytes}
}};

ProtobufCBinaryData face_engine_descriptor_set(void) {{
  return (ProtobufCBinaryData){{sizeof bytes, (uint8_t *)bytes}};
}}
"""


def run(*command):
    try:
        subprocess.run(command, check=True, stderr=subprocess.PIPE, text=True)
    except FileNotFoundError:
        raise Problem(f"{command[0]} is not installed; run Tools/setup/packages.sh test") from None
    except subprocess.CalledProcessError as error:
        raise Problem(error.stderr.strip()) from None


def files():
    """{path: contents} of what is compiled."""
    proto, gateway = ROOT / "Proto", ROOT / "Gateway/Proto"
    made = {}
    with tempfile.TemporaryDirectory() as folder:
        fresh = pathlib.Path(folder)
        for name in ("face_engine", "ttrpc"):
            run("protoc-c", f"--c_out={fresh}", f"--proto_path={proto}", f"{name}.proto")
            made[TARGET / f"{name}.pb-c.c"] = (fresh / f"{name}.pb-c.c").read_bytes()
            made[TARGET / f"include/{name}.pb-c.h"] = (fresh / f"{name}.pb-c.h").read_bytes()
        run("protoc", f"--descriptor_set_out={fresh}/set", f"--proto_path={proto}", "face_engine.proto")
        made[TARGET / "descriptor_set.c"] = SET.format(bytes=listed((fresh / "set").read_bytes())).encode()
        # The older name of the same service.
        reflection = (gateway / "reflection.proto").read_text()
        (fresh / "reflection_v1alpha.proto").write_text(
            reflection.replace("grpc.reflection.v1", "grpc.reflection.v1alpha")
        )
        run(
            "protoc",
            f"--descriptor_set_out={fresh}/set",
            f"--proto_path={gateway}",
            f"--proto_path={fresh}",
            "health.proto",
            "open_inference.proto",
            "reflection.proto",
            "reflection_v1alpha.proto",
        )
        made[GATEWAY] = (fresh / "set").read_bytes()
    return made


def listed(data):
    """The bytes as numbers, twenty in a line."""
    return "\n".join("  " + ", ".join(map(str, data[at : at + 20])) + "," for at in range(0, len(data), 20))
