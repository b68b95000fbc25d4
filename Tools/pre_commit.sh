#!/usr/bin/env bash
# pre_commit.sh BUILD_FOLDER: what is quick to know of a change before it is committed: the quick checks, and the tests,
# which have been built, of the targets that differ from the last commit. What runs programs is left to make test:
# IntegrationTests, except suites that were changed themselves, and the gateway.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
(($# == 1)) || {
  sed -n '2,4s/^# //p' "$0" >&2
  exit 2
}
mapfile -t suites < <({ git diff --name-only HEAD && git ls-files --others --exclude-standard; } | sed -nE \
  -e 's,^Sources/[^/]+/([^/]+)/.*,\1Tests,p' \
  -e 's,^Tests/[^/]+/([^/]+Tests)/.*,\1,p' \
  -e 's,^Tests/IntegrationTests/.*/([^/]+Tests)\.swift$,IntegrationTests.\1,p' | sort -u | while read -r suite; do
  # Targets without tests of their own are tested by those that import them.
  [[ $suite == IntegrationTests.* || -n $(find Tests -mindepth 2 -maxdepth 2 -type d -name "$suite") ]] && echo "$suite"
done)
failed=()
Tools/check.sh "$1" quick || failed+=(checks)
if ((${#suites[@]})); then
  Tools/swift_tests.py "${suites[@]}" || failed+=(tests)
else
  echo "pre-commit: no target with tests of its own has changed"
fi
((${#failed[@]} == 0)) || {
  printf 'pre-commit: FAILED: %s\n' "${failed[*]}" >&2
  exit 1
}
