#!/usr/bin/env python3
"""check_pages.py FOLDER: whether each function of the headers has a page in the reference, and each C function a manual page."""

import html
import pathlib
import re
import sys

C_FUNCTION = re.compile(r"^(?:FACE_API|FACE_PLUGIN_API|static inline|inline) [^;{=]*?\b(\w+)\(", re.MULTILINE)
HELPERS = re.compile(r"^namespace (?:detail|smart_detector) \{.*?^\} // namespace (?:detail|smart_detector)$", re.MULTILINE | re.DOTALL)
HIDDEN = re.compile(r"^(?:private|protected):.*?(?=^(?:public:|\};))", re.MULTILINE | re.DOTALL)
METHOD = re.compile(r"^  (?:static |explicit )?(?:[\w:<>&*]+ )*[*&]?(\w+)\((?!\*)[^;]*?\)(?: const)?(?: noexcept)?(?: \{|\n  \{|;|\n? +:)", re.MULTILINE)
SHOWN = re.compile(r'<td class="memname">(.*?)</td>', re.DOTALL)


def documented(folder):
    """The names of everything that has a description on a page."""
    cells = (cell for page in folder.glob("*.html") for cell in SHOWN.findall(page.read_text(encoding="utf-8")))
    texts = (html.unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in cells)
    return {re.split(r"[\s:*&]", text)[-1] for text in texts}


def declared():
    """(functions of C, other functions) that the headers declare."""
    functions, methods = set(), set()
    for path in sorted(pathlib.Path("include").glob("face_*.h*")):
        text = HIDDEN.sub("", HELPERS.sub("", path.read_text(encoding="utf-8")))
        functions.update(C_FUNCTION.findall(text)) if path.suffix == ".h" else methods.update(C_FUNCTION.findall(text))
        if path.suffix == ".hpp":
            methods.update(METHOD.findall(text))
    return functions, methods


def main():
    folder = pathlib.Path(sys.argv[1])
    functions, methods = declared()
    shown = documented(folder / "html")
    problems = [f"{name} has no page in {folder}/html" for name in sorted(functions | methods) if name not in shown]
    problems += [f"{name} has no manual page" for name in sorted(functions) if not (folder / f"man/man3/{name}.3").is_file()]
    for problem in problems:
        print(f"reference: {problem}", file=sys.stderr)
    print(f"reference: {len(functions)} C functions and {len(methods)} of C++ have a page" if not problems else "", end="\n" if not problems else "")
    return 1 if problems or not functions or not methods else 0


if __name__ == "__main__":
    sys.exit(main())
