#!/usr/bin/env python3
"""line_width.py FILE...: names the lines of code over 120 columns.

Texts in quotes may be longer, and so may addresses, regular expressions in slashes, and the lines that tell
Tools/generate what to print.
"""

import pathlib
import re
import sys

WIDTH = 120
LONG = re.compile(
    r"""(?<!\w)[rfb]{0,2}("(\\.|[^"\\])*"?|'(\\.|[^'\\])*'?|`[^`]*`?|/(\\.|[^/\\ ])+/)|https?://\S+| generated: .*"""
)


def main():
    found = 0
    for name in sys.argv[1:]:
        # A text of many lines is one text.
        code = re.sub(r'"""(?s:.)*?"""', lambda text: '""' + "\n" * text[0].count("\n"), pathlib.Path(name).read_text())
        for number, line in enumerate(code.split("\n"), 1):
            if len(line) > WIDTH and len(LONG.sub("", line)) > WIDTH:
                print(f"{name}:{number}: {len(line)} columns; at most {WIDTH} are allowed", file=sys.stderr)
                found += 1
    return found > 0


if __name__ == "__main__":
    sys.exit(main())
