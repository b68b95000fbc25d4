#!/usr/bin/python3
"""json_lines.py [FILE...]: holds lines that face-engine printed for programs against docs/face-engine.schema.json. Prints what is wrong with a
line, and fails if any is wrong or none was given. Without files reads standard input.

Of lines that have the same members and kinds of values only the first few are held against the schema, which takes as long as some tests."""

import collections
import fileinput
import json
import pathlib
import sys

import jsonschema

MOST_ALIKE = 5


def closed(schema):
    """The schema without room for members of later versions, which programs have to ignore and tests must not."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    more = {"additionalProperties": False} if isinstance(schema.get("type"), str) and "properties" in schema else {}
    return {**more, **{name: closed(item) for name, item in schema.items()}}


SCHEMA = closed(json.loads((pathlib.Path(__file__).resolve().parents[1] / "docs/face-engine.schema.json").read_text()))


def form(value):
    """The members of a value and their kinds; of a list, how many there are of each."""
    if isinstance(value, dict):
        return tuple((name, form(item)) for name, item in sorted(value.items()))
    if isinstance(value, list):
        return tuple(sorted(collections.Counter(str(form(item)) for item in value).items()))
    return value if isinstance(value, str) and len(value) < 20 else type(value).__name__


def main(files):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    seen, wrong, count = collections.Counter(), 0, 0
    for line in fileinput.input(files, encoding="utf-8"):
        count += 1
        value = json.loads(line)
        seen[form(value)] += 1
        if seen[form(value)] > MOST_ALIKE:
            continue
        if error := jsonschema.exceptions.best_match(validator.iter_errors(value)):
            wrong += 1
            print(f"{line[:100].rstrip()}: {error.json_path}: {error.message[:500]}")
    print(
        f"{count} lines of JSON, of {len(seen)} forms; {wrong} are not as face-engine.schema.json says", file=sys.stderr
    )
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
