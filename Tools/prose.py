#!/usr/bin/env python3
"""prose.py [FILE...]: finds phrases that have to be read twice, in Markdown, comments, help texts and errors, and lines of Markdown
above 130 characters. Without files, reads every tracked one. The words "prose: allow" in a line, or the line before it, allow one.

Wrapped lines are joined first: a paragraph of Markdown, a comment with the lines that continue it, strings behind each other.

The list is short because each phrase has a plainer word. Words with honest uses (takes, holds, stands, said) are left to the reader.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SKIPPED = re.compile(
    r"^(Models/.*/|Sources/Generated/|Tests/Fixtures/|LICENSE|NOTICE|Tools/(test_)?prose\.py)|_abi\.py$|\.pb-c\."
)
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
    r"\b(is|are) told\b(?! apart)": "reports",
    r"\bis asked\b": "requests",
    r"\bgives? back\b|\bgiven back\b": "releases, returns",
    r"\bas it stands\b|\bstands on\b": "unchanged, uses",
    r"; (who|what|that of|that it) ": "a second sentence, with a noun",
    r"\bwho has one\b|\bthe path of one\b": "repeat the noun",
    r"\bthere (listens|stands|runs) |\bthere is a choice\b": "subject first",
    r"^[A-Z][a-z]+ed is the ": "subject first",
    r"\blong by nature\b|\boverstepped\b|\b(?i:pictures|files|those) of strangers\b": "the usual word: slow, exceeded, untrusted",
    r"\bas who\b|\bnothing (was|is) measured of\b|, by the (cosine|distance|same)\b": "say it directly: as the person, not measured, divided by",
    r", and of more |, and not this\b|\bwhere they are\.": "say it directly",
}
PATTERN = re.compile("|".join(f"(?P<p{number}>{phrase})" for number, phrase in enumerate(PHRASES)))
WIDEST = 130


def wide(path, lines):
    """The lines of Markdown that are too long: (number, length). Code, and lists of numbers, are as long as they are."""
    fence = False
    for number, line in enumerate(lines, 1):
        fence ^= line.lstrip().startswith("```")
        if path.suffix == ".md" and not fence and len(re.sub(r"(\d+ ){20,}", "", line)) > WIDEST:
            yield number, len(line)


def paragraphs(lines):
    """The paragraphs of (number, text) lines, each a list of such lines. A list's item and an explained word (a word, two spaces,
    its text) begin one; what is indented at the beginning of one is code."""
    paragraph = []
    for number, line in lines:
        text = line.strip()
        begins = re.match(r"[-*] |\d+\. |\S+(?:, \S+)*  +\S|#+ |\|", text)
        if not text or begins or re.search(r"^(```|    )", line) and not paragraph:
            yield paragraph
            paragraph = []
        if text and (paragraph or begins or not line.startswith("    ")):
            paragraph.append((number, re.sub(r"`[^`]*`", "`x`", text)))
    yield paragraph


def markdown(source):
    fence, read = False, []
    for number, line in enumerate(source.split("\n"), 1):
        fence ^= line.lstrip().startswith("```")
        read.append((number, "" if fence or re.match(r"```|    ", line) else line))
    yield read


# A comment to the end of its line or up to its own end, or a string; of other languages than C's family a comment after
# "#".
C_TOKEN = re.compile(
    r'(?P<line>//+[!<]?)[^\n]*|(?P<block>/\*+[!<]*)[\s\S]*?\*/|(?P<text>"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*")'
)
HASH_TOKEN = re.compile(r'(?P<line>(?m:^)[ \t]*#+(?= ))[^\n]*|(?P<text>"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*")')
C_FAMILY = (".c", ".cpp", ".h", ".hpp", ".java", ".js", ".proto", ".qml", ".swift")


def comments_and_strings(path, source):
    """The lines of each comment and each string. What continues one is part of it: a comment that begins in the column of the one in
    the line before, and alone in its line, and a string behind a string."""
    token = C_TOKEN if path.suffix in C_FAMILY else HASH_TOKEN
    read, kind, column, end = [], "", 0, 0
    for match in token.finditer(source):
        line_start = source.rfind("\n", 0, match.start()) + 1
        between, at = source[end : match.start()], match.start() - line_start
        follows = match.lastgroup == kind and (
            kind == "line"
            and not between.strip()
            and at == column
            and between.count("\n") <= 1
            or kind == "text"
            and re.fullmatch(r"\s*\+?\s*", between)
        )
        if not follows:
            yield read
            read = []
        number = source.count("\n", 0, match.start()) + 1
        read += [(number + place, line) for place, line in enumerate(plain(match).split("\n"))]
        kind, column, end = match.lastgroup, at, match.end()
    yield read


def plain(match):
    """A comment without its marks; a string if it has words."""
    if match.lastgroup == "text":
        text = match[0].strip('"')
        return text if " " in text else ""
    text = match[0][len(match[match.lastgroup]) :].removesuffix("*/")
    starred = re.search(r"\n *\*", text)
    return re.sub(r"(?<=\n)[ \t]*\*" if starred else r"(?<=\n)[ \t]*", "", text) if "\n" in text else text


def findings(path, source):
    lines = source.split("\n")
    for read in markdown(source) if path.suffix == ".md" else comments_and_strings(path, source):
        for paragraph in paragraphs([(number, line.removeprefix(" ")) for number, line in read]):
            yield from phrases(lines, paragraph)
    for number, length in wide(path, lines):
        yield number, f"{length} characters: {WIDEST} at most"


def phrases(lines, paragraph):
    """The phrases in the sentences of a paragraph."""
    text = " ".join(line for _, line in paragraph)
    starts = [0, *(match.end() for match in re.finditer(r"[.!?] +", text)), len(text)]
    for start, end in zip(starts, starts[1:]):
        for match in PATTERN.finditer(text[start:end]):
            number = line_at(paragraph, start + match.start())
            if not any(
                "prose: allow" in line
                for line in lines[max(0, number - 2) : line_at(paragraph, start + match.end() - 1)]
            ):
                yield number, f"“{match[0].strip()}”: {PHRASES[list(PHRASES)[int(match.lastgroup[1:])]]}"


def line_at(paragraph, offset):
    for number, line in paragraph:
        offset -= len(line) + 1
        if offset < 0:
            return number
    return paragraph[-1][0]


def main():
    tracked = subprocess.run(
        [
            "git",
            "ls-files",
            "*.md",
            "*.swift",
            "*.h",
            "*.hpp",
            "*.c",
            "*.cpp",
            "*.py",
            "*.proto",
            "*.js",
            "*.java",
            "*.qml",
            "*.sh",
            "*.service",
            "Makefile",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
    paths = sys.argv[1:] or [name for name in tracked if name and not SKIPPED.search(name)]
    found = 0
    for name in paths:
        for number, finding in findings(pathlib.Path(name), (ROOT / name).read_text(encoding="utf-8")):
            found += 1
            print(f"{name}:{number}: {finding}", file=sys.stderr)
    return found > 0


if __name__ == "__main__":
    sys.exit(main())
