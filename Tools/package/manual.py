#!/usr/bin/env python3
"""manual.py COMMAND FOLDER VERSION: a manual page for a command and for each of its subcommands, from what they say of
themselves (`face-engine --experimental-dump-help`), and from manual/PAGE.man with what a help text has no place for."""

import json
import pathlib
import re
import subprocess
import sys

MORE = pathlib.Path(__file__).parent / "manual"


def escaped(text):
    """Plain text as roff: nothing in it may be taken for a request or a special character."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return re.sub(r"^([.])", r"\\&\1", text, flags=re.MULTILINE)


def paragraphs(parts):
    return "\n.PP\n".join(escaped(part.strip()) for part in parts)


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


def nested(rows):
    """A list below an option: of its values, or of the settings that it takes."""
    lines = [".RS"]
    for name, text in rows:
        lines += [".TP", f"\\fB{escaped(name)}\\fR", escaped(text)]
    return [*lines, ".RE"]


def option(argument):
    text = argument.get("abstract", "").strip()
    default, values = argument.get("defaultValue"), argument.get("allValues", [])
    texts = argument.get("allValueDescriptions", {})
    if values and not texts:
        text += f" One of {', '.join(values)}."
    if default and "(default" not in text:
        text += f" (default: {default})"
    lines = [".TP", spelled(argument), escaped(text) or "\\&"]
    if texts:
        lines += nested((value, f"{texts.get(value, '')}.") for value in values)
    if argument.get("discussion"):
        lines += nested(line.split(": ", 1) for line in argument["discussion"].split("\n"))
    return lines


def options(command):
    """The arguments: first those without a section of their own."""
    sections = {"Options": []}
    for argument in shown(command):
        sections.setdefault(argument.get("sectionTitle") or "Options", []).append(argument)
    lines = [".SH OPTIONS"] if any(sections.values()) else []
    for title, arguments in sections.items():
        lines += [f".SS {escaped(title)}"] if title != "Options" else []
        for argument in arguments:
            lines += option(argument)
    return lines


def exit_status(text):
    """The section of \"Exit code: 0 done, 1 a file failed, 2 wrong usage.\""""
    lines = [".SH EXIT STATUS"]
    for row in re.split(r", (?=\d )", text.removeprefix("Exit code: ").rstrip(".")):
        code, meaning = row.split(" ", 1)
        lines += [".TP", code, f"{escaped(meaning)}."]
    return lines


def page(names, command, version):
    title = "-".join(names)
    lines = [f'.TH {escaped(title.upper())} 1 "" "FaceEngine {version}" "User Commands"',
             ".ad l",  # long words, such as the form of an option, cannot be spread over a line
             ".SH NAME", f"{escaped(title)} \\- {escaped(command['abstract'].rstrip('.'))}",
             ".SH SYNOPSIS", synopsis(names, command)]
    parts = re.split(r"\n\s*\n", command.get("discussion", "").strip())
    codes = [part for part in parts if part.startswith("Exit code: ")]
    described = [part for part in parts if part and part not in codes]
    if described:
        lines += [".SH DESCRIPTION", paragraphs(described)]
    subcommands = subcommands_of(command)
    if subcommands:
        lines.append(".SH SUBCOMMANDS")
        for sub in subcommands:
            lines += [".TP", f"\\fB{escaped('-'.join([*names, sub['commandName']]))}\\fR(1)", escaped(sub["abstract"])]
    lines += options(command)
    if codes:
        lines += exit_status(codes[0])
    more = MORE / f"{title}.man"
    if more.exists():
        lines.append(more.read_text(encoding="utf-8").rstrip())
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
