"""The package's docstrings as Markdown: their columns, a name and two spaces or more before what is said of it, become lists."""

import re

ROW = re.compile(r"(?P<name>\S+(?: \S+)*?) {2,}(?P<text>\S.*)")


def markdown(text):
    """The text with its columns as lists; indented code, and all else, as it is."""
    lines, rows, column = [], 0, 0
    for line in text.split("\n"):
        match = None if line.startswith(" ") else ROW.fullmatch(line)
        if match:
            column = match.start("text")
        elif rows and not line.startswith(" ") and line[column - 1:column] == " ":
            # A name that fills its column.
            match = re.fullmatch(r"(?P<name>\S+) (?P<text>\S.*)", line) if line.find(" ") == column - 1 else None
        if match:
            if not rows and lines and lines[-1]:
                lines.append("")
            rows += 1
            name = ", ".join(f"`{one.strip('`')}`" for one in match["name"].split(", "))
            lines.append(f"- {name}: {match['text']}")
        elif rows and line.startswith("  ") and line.strip():
            lines[-1] += " " + line.strip()
        else:
            if rows and line.strip():
                lines.append("")
            rows = 0
            lines.append(line)
    return "\n".join(lines)
