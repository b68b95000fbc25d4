"""The licences that a Debian package declares in its machine-readable copyright file (DEP 5), as SPDX has them."""

import re

# The short names that Debian's format defines, in lower case.
SPDX = {
    "apache-2.0": "Apache-2.0",
    "bsd-2-clause": "BSD-2-Clause",
    "bsd-3-clause": "BSD-3-Clause",
    "cc0-1.0": "CC0-1.0",
    "expat": "MIT",
    "isc": "ISC",
    "mit": "MIT",
    "mpl-1.1": "MPL-1.1",
    "mpl-2.0": "MPL-2.0",
    "zlib": "Zlib",
}


def paragraphs(text):
    """Each as its fields by their names in lower case; the lines of a field are kept."""
    for block in re.split(r"\n[ \t]*\n", text):
        fields = {}
        name = None
        for line in block.splitlines():
            found = re.match(r"([A-Za-z-]+):[ \t]*(.*)", line)
            if found:
                name = found[1].lower()
                fields[name] = found[2]
            elif name and line[:1] in (" ", "\t"):
                fields[name] += "\n" + line[1:]
        if fields:
            yield fields


def identifier(name):
    """SPDX's of a short name; None if it has none."""
    gnu = re.fullmatch(r"(l?gpl)-(\d)(\.\d)?(\+?)", name.lower())
    if gnu:
        return f"{gnu[1].upper()}-{gnu[2]}{gnu[3] or '.0'}-{'or-later' if gnu[4] else 'only'}"
    return SPDX.get(name.lower())


def licences(package, text):
    """The expression that holds for all files but Debian's packaging, and the texts of those of its licences that SPDX does not
    list: {LicenseRef-…: (name, text)}. None if the file is of another format, or leaves something open."""
    first, *rest = list(paragraphs(text)) or [{}]
    if "debian.org/doc/packaging-manuals/copyright-format/" not in first.get("format", ""):
        return None
    texts = {}
    for fields in rest:
        name, _, body = fields.get("license", "").partition("\n")
        if body.strip():
            texts.setdefault(name.strip().lower(), re.sub(r"^\.[ \t]*$", "", body, flags=re.M).strip("\n"))
    terms, extracted = set(), {}
    for fields in rest:
        files = fields.get("files", "").split()
        if not files or all(file.startswith("debian/") for file in files):
            continue
        words = re.split(r",?\s+(and|or)\s+", fields.get("license", "").partition("\n")[0].strip(), flags=re.I)
        operators = {word.upper() for word in words[1::2]}
        if len(operators) > 1:
            return None
        known = []
        for name in words[::2]:
            term = identifier(name)
            if term is None:
                if name.lower() not in texts:
                    return None
                term = "LicenseRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", f"{package}-{name.lower()}")
                extracted[term] = (name, texts[name.lower()])
            known.append(term)
        if operators == {"OR"}:
            alternatives = sorted(set(known))
            terms.add(alternatives[0] if len(alternatives) == 1 else f"({' OR '.join(alternatives)})")
        else:
            terms.update(known)
    if not terms:
        return None
    expression = " AND ".join(sorted(terms))
    # Brackets around all of it say nothing.
    return (expression[1:-1] if len(terms) == 1 and expression.startswith("(") else expression), extracted
