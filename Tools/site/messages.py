"""The page of the messages: face_engine.proto as it is, with a heading for each service and message."""

import pathlib
import re

PATH = pathlib.Path(__file__).resolve().parents[2] / "Proto/face_engine.proto"
DECLARATION = re.compile(r"^(service|message|enum) (\w+) \{", re.MULTILINE)


def page():
    """Markdown, with links as they are from the folder Proto."""
    lines = PATH.read_text(encoding="utf-8").splitlines()
    parts = ["# Messages", "All of `face_engine.proto`, the calls to an engine and their messages. [The protocol](PROTOCOL.md) says "
             "how they travel over the socket, in the envelope of [ttrpc.proto](ttrpc.proto); over the network they are "
             "[gRPC](../docs/gateway.md#grpc)."]
    # The file's own comment is text. The rest is code.
    first = next(number for number, line in enumerate(lines) if not line.startswith("//"))
    parts += ["\n".join(line[2:].strip() for line in lines[:first])]
    block, title = [], None

    def close():
        text = "\n".join(block).strip("\n")
        if title:
            parts.append(f"## {title}")
        if text:
            parts.append(f"```protobuf\n{text}\n```")

    for number, line in enumerate(lines[first:], first):
        if re.match(r"// -{20,}", line):
            continue
        if match := DECLARATION.match(line):
            # Its comment belongs to it.
            start = len(block)
            while start and block[start - 1].startswith("//"):
                start -= 1
            comment = block[start:]
            del block[start:]
            close()
            block, title = comment, match[2]
        block.append(line)
    close()
    return "\n\n".join(parts) + "\n"
