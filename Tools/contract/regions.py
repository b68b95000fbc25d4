"""Fills the regions of hand-written files that are printed from the contract:

    // generated: swift-options CheckOptions CheckOptions
    …
    // end of generated

in the comments of the file's language. The rest of the file is not touched."""

import re
import subprocess

from contract import ROOT, Problem
from printers import PRINTERS

BEGIN = re.compile(r"^(\s*)(?://|/\*|<!--|#) generated: ([\w-]+)((?: [\w.=?]+)*)(?: \*/| -->)?$")
END = re.compile(r"^\s*(?://|/\*|<!--|#) end of generated(?: \*/| -->)?$")


def files():
    """The files that have regions."""
    run = subprocess.run(
        [
            "git",
            "grep",
            "--untracked",
            "-lE",
            r"^\s*(//|/\*|<!--|#) generated: [a-z-]+( [A-Za-z0-9_.=?]+)*( \*/| -->)?$",
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    return [ROOT / name for name in run.stdout.split("\n") if name and not name.startswith("Tools/contract/")]


def filled(text, contract, path):
    """The text with its regions printed anew."""
    lines, result = text.split("\n"), []
    while lines:
        line = lines.pop(0)
        result.append(line)
        if not (match := BEGIN.match(line)):
            continue
        indent, name, arguments = match.groups()
        if name not in PRINTERS:
            raise Problem(f"{path}: there is no printer {name}; printers.py has {', '.join(sorted(PRINTERS))}")
        try:
            result += PRINTERS[name](contract, arguments.split(), indent)
        except (KeyError, ValueError) as error:
            raise Problem(f"{path}: the region {name}{arguments} cannot be printed: {error}") from error
        while lines and not END.match(lines[0]):
            if BEGIN.match(lines[0]):
                raise Problem(f"{path}: the region {name}{arguments} has no end; write 'end of generated' behind it")
            lines.pop(0)
        if not lines:
            raise Problem(f"{path}: the region {name}{arguments} has no end; write 'end of generated' behind it")
    return "\n".join(result)
