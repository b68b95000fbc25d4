#!/usr/bin/env python3
"""manual.py COMMAND FOLDER VERSION: a manual page for a command and for each of its subcommands, from what they say of
themselves (`face-engine --experimental-dump-help`)."""

import json
import pathlib
import re
import subprocess
import sys


def escaped(text):
    """Plain text as roff: nothing in it may be taken for a request or a special character."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return re.sub(r"^([.])", r"\\&\1", text, flags=re.MULTILINE)


def paragraphs(text):
    return "\n.PP\n".join(escaped(part) for part in re.split(r"\n\s*\n", text.strip()))


def spelled(argument):
    """As in \"-o, --output <output>\", in bold and italics."""
    names = [("\\-" if name["kind"] == "short" else "\\-\\-") + escaped(name["name"]) for name in argument.get("names", [])]
    value = f"\\fI{escaped(argument['valueName'])}\\fR" if argument["kind"] != "flag" else ""
    if argument["kind"] == "positional":
        return value
    return ", ".join(f"\\fB{name}\\fR" for name in names) + (f" {value}" if value else "")


def synopsis(names, command):
    words = [f"\\fB{escaped(' '.join(names))}\\fR"]
    arguments = shown(command)
    if any(argument["kind"] != "positional" for argument in arguments):
        words.append("[\\fIoptions\\fR]")
    if subcommands_of(command):
        words.append("\\fIsubcommand\\fR")
    for argument in arguments:
        if argument["kind"] == "positional":
            word = f"\\fI{escaped(argument['valueName'])}\\fR" + (" ..." if argument["isRepeating"] else "")
            words.append(f"[{word}]" if argument["isOptional"] else word)
    return " ".join(words)


def shown(command):
    return [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]


def subcommands_of(command):
    return [sub for sub in command.get("subcommands", []) if sub["commandName"] != "help" and sub["shouldDisplay"]]


def options(command):
    """The arguments under their section's title."""
    sections = {}
    for argument in shown(command):
        sections.setdefault(argument.get("sectionTitle") or "Options", []).append(argument)
    lines = []
    for title, arguments in sections.items():
        lines.append(f".SS {escaped(title)}" if title != "Options" else ".SH OPTIONS")
        for argument in arguments:
            text = argument.get("abstract", "")
            default = argument.get("defaultValue")
            if default and "(default" not in text:
                text += f" (default: {default})"
            lines += [".TP", spelled(argument), escaped(text.strip()) or "\\&"]
    # A page begins its options with the heading, whichever section is first.
    return lines if not lines or lines[0] == ".SH OPTIONS" else [".SH OPTIONS", *lines]


def page(names, command, version):
    title = "-".join(names)
    lines = [f'.TH {escaped(title.upper())} 1 "" "FaceEngine {version}" "User Commands"',
             ".SH NAME", f"{escaped(title)} \\- {escaped(command['abstract'].rstrip('.'))}",
             ".SH SYNOPSIS", synopsis(names, command)]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", paragraphs(command["discussion"])]
    subcommands = subcommands_of(command)
    if subcommands:
        lines.append(".SH SUBCOMMANDS")
        for sub in subcommands:
            lines += [".TP", f"\\fB{escaped('-'.join([*names, sub['commandName']]))}\\fR(1)", escaped(sub["abstract"])]
    lines += options(command)
    if len(names) > 1:
        lines += [".SH SEE ALSO", f"\\fB{escaped('-'.join(names[:-1]))}\\fR(1)"]
    return "\n".join(lines) + "\n", subcommands


def write(names, command, folder, version):
    text, subcommands = page(names, command, version)
    (folder / f"{'-'.join(names)}.1").write_text(text, encoding="utf-8")
    for sub in subcommands:
        write([*names, sub["commandName"]], sub, folder, version)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    program, folder, version = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    described = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
    folder.mkdir(parents=True, exist_ok=True)
    command = json.loads(described)["command"]
    write([command["commandName"]], command, folder, version)


if __name__ == "__main__":
    main()
