#!/usr/bin/env python3
"""callers.py PORT PHOTO: 32 callers post a photo to Examples/swift-service, 20 times each; fails unless each answer has one face, and
the answer to no photo is 400."""

import json
import sys
import threading
import urllib.error
import urllib.request

CALLERS, CALLS = 32, 20


def post(body):
    """The status, and how many faces were found."""
    request = urllib.request.Request(f"http://127.0.0.1:{sys.argv[1]}/faces", data=body, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, len(json.load(answer))
    except urllib.error.HTTPError as error:
        return error.code, 0


with open(sys.argv[2], "rb") as file:
    photo = file.read()
answers = []
callers = [threading.Thread(target=lambda: answers.extend(post(photo) for _ in range(CALLS))) for _ in range(CALLERS)]
for caller in callers:
    caller.start()
for caller in callers:
    caller.join()
if answers != [(200, 1)] * (CALLERS * CALLS):
    sys.exit(f"callers: {len(answers)} answers: {set(answers)}")
if (refused := post(b"no photo")) != (400, 0):
    sys.exit(f"callers: no photo is answered {refused}")
