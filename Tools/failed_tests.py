#!/usr/bin/env python3
"""failed_tests.py RESULTS: the failed tests in a results file of `swift test --xunit-output`, a line each, for the end of a long log."""
import sys
import xml.etree.ElementTree as ElementTree

try:
    cases = ElementTree.parse(sys.argv[1]).iter("testcase")
except (OSError, ElementTree.ParseError) as error:
    sys.exit(f"failed_tests.py: there are no results, so the run did not end by itself: {error}")
for case in cases:
    for failure in case.iter("failure"):
        message = " ".join(failure.get("message", "").split())
        print(f"FAILED: {case.get('classname')}.{case.get('name')}: {message[:600]}", file=sys.stderr)
