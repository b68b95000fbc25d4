#!/usr/bin/env bash
# commit_times.sh: gives each file of the checkout the time of the last commit that changed it, so that a folder of an
# earlier build is as good in a fresh clone. Needs the whole history.
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"
git log --format='%x00%ct' --name-only --no-renames -z | python3 -c '
import os, sys
time, seen = 0, set()
for field in sys.stdin.buffer.read().split(b"\0"):
    name = field.strip(b"\n")
    if name.isdigit():
        time = int(name)
    elif name and name not in seen:
        seen.add(name)
        if os.path.lexists(name):
            os.utime(name, (time, time), follow_symlinks=False)
'
