#!/usr/bin/env python3
"""prose.py [FILE...]: finds phrases that have to be read twice, in Markdown, comments, help texts and errors, and lines of Markdown
above 130 characters. Without files, reads every tracked one. The words "prose: allow" in a line, or the line before it, allow one.

The list is short because each phrase has a plainer word. Words with honest uses (takes, holds, stands, said) are left to the reader.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SKIPPED = re.compile(r"^(Models/.*/|Sources/Generated/|Tests/Fixtures/|LICENSE|NOTICE|Tools/(test_)?prose\.py)|_abi\.py$|\.pb-c\.")
# Phrase: what to write instead.
PHRASES = {
    r"^What [a-z]+ [^?]*, (an?|the) ": "start with who acts",
    r"\b(of which|of whom|of that which)\b": "two sentences",
    r"\bBy which\b|\bwith which they\b": "name the noun",
    r", as of |, as under |\bAs far as\b": "say when, or give the example",
    r"\blikewise\b": "the same, also",
    r"\bso that .* alone\b|\bthose alone\b": "only",
    r"\banswers none\b|\bnone of\b": "not any, never",
    r"\bis to be\b": "must, or will",
    r"\btoo many of\b": "too many",
    r"\bgo(es)? on (with|as|until|for|after)\b|\bgoes on\b": "continues",
    r"\b(is|are) told\b": "reports",
    r"\bis asked\b": "requests",
    r"\bgives? back\b|\bgiven back\b": "releases, returns",
    r"\bas it stands\b|\bstands on\b": "unchanged, uses",
    r"; (who|what|that of|that it) ": "a second sentence, with a noun",
    r"\bwho has one\b|\bthe path of one\b": "repeat the noun",
    r"\bthere (listens|stands|runs) |\bthere is a choice\b": "subject first",
    r"^[A-Z][a-z]+ed is the ": "subject first",
    r"\blong by nature\b|\boverstepped\b|\bPictures of strangers\b": "the usual word: slow, exceeded, untrusted",
    r", and of more |, and not this\b|\bwhere they are\.": "say it directly",
}
PATTERN = re.compile("|".join(f"(?P<p{number}>{phrase})" for number, phrase in enumerate(PHRASES)))
WORDS = re.compile(r"//+!? ?(?P<comment>.*)|^ ?/?\*+ (?P<block>.*)|^\s*# (?P<hash>.*)|\"(?P<text>[^\"]* [^\"]*)\"")


WIDEST = 130


def wide(path, lines):
    """The lines of Markdown that are too long: (number, length). Code, and lists of numbers, are as long as they are."""
    fence = False
    for number, line in enumerate(lines, 1):
        fence ^= line.lstrip().startswith("```")
        if path.suffix == ".md" and not fence and len(re.sub(r"(\d+ ){20,}", "", line)) > WIDEST:
            yield number, len(line)


def texts(path, lines):
    """The prose of each line: (number, text)."""
    fence = False
    for number, line in enumerate(lines, 1):
        if path.suffix == ".md":
            fence ^= line.lstrip().startswith("```")
            if not fence and not line.startswith("    "):
                yield number, re.sub(r"`[^`]*`", "`x`", line.strip())
        elif path.suffix == ".py" and line.lstrip().startswith('"""'):
            yield number, line.strip(' "')
        else:
            for match in WORDS.finditer(line):
                yield number, next(part for part in match.groups() if part is not None)


def findings(path, source):
    lines = source.split("\n")
    for number, text in texts(path, lines):
        allowed = any("prose: allow" in line for line in lines[max(0, number - 2):number])
        for match in [] if allowed else PATTERN.finditer(text):
            yield number, f"“{match[0].strip()}”: {PHRASES[list(PHRASES)[int(match.lastgroup[1:])]]}"
    for number, length in wide(path, lines):
        yield number, f"{length} characters: {WIDEST} at most"


def main():
    tracked = subprocess.run(["git", "ls-files", "*.md", "*.swift", "*.h", "*.hpp", "*.c", "*.cpp", "*.py", "*.proto", "*.js", "*.java",
                              "*.qml", "*.sh", "*.service", "Makefile"], cwd=ROOT,
                             capture_output=True, text=True, check=True).stdout.split("\n")
    paths = sys.argv[1:] or [name for name in tracked if name and not SKIPPED.search(name)]
    found = 0
    for name in paths:
        for number, finding in findings(pathlib.Path(name), (ROOT / name).read_text(encoding="utf-8")):
            found += 1
            print(f"{name}:{number}: {finding}", file=sys.stderr)
    return found > 0


if __name__ == "__main__":
    sys.exit(main())
