#!/usr/bin/env bash
# test.sh BUILD_FOLDER [PART...]: makes the Debian packages of what was built and staged, and tries all that is released
# in places that have nothing else. The parts, all of them if none is named: lintian, notices (what their copyright
# files have), bookworm and trixie (the packages on Debian 12 and 13), container, release, wheel, processors (older
# ones), ray, spark. What cannot be tried here is said to be SKIPPED.
#
# PACKAGES, a folder that make deb has filled, spares making them.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# >= 1)) || {
  sed -n '2,5s/^# //p' "$0" >&2
  exit 2
}
build=$(realpath "$1")
parts=("${@:2}")
((${#parts[@]})) || parts=(lintian notices bookworm trixie container release wheel processors ray spark)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
packages=${PACKAGES:-$folder/packages}
case " ${parts[*]} " in
  *" lintian "* | *" notices "* | *" bookworm "* | *" trixie "* | *" container "*) [[ -n ${PACKAGES:-} ]] || Tools/package/deb.sh "$build" "$packages" ;;
esac

lintian_is_silent() {
  # As root it warns of that alone.
  lintian --allow-root --pedantic --fail-on error,warning "$packages"/*.changes && echo "packages: lintian: ok"
}

cluster() { # the package is the checkout's; Ray or Spark, if this Python has it
  ln -sf "$build/libfaceengine.so" "$folder/libfaceengine.so.1"
  ln -sf "$build/libfaceengine-draw.so" "$folder/libfaceengine-draw.so.1"
  FACE_ENGINE_LIBRARIES=$folder FACE_ENGINE_MODELS=$build/staged/share/face-engine/Models python3 "Tests/Peers/$1/test.py"
}

failed=()
for part in "${parts[@]}"; do
  status=0
  case $part in
    lintian) lintian_is_silent || status=$? ;;
    notices) Tests/Packages/notices.sh "$packages" || status=$? ;;
    bookworm | trixie) Tests/Packages/debian.sh "$packages" "$part" || status=$? ;;
    container) Tests/Packages/container.sh "$packages" || status=$? ;;
    release | wheel | processors) "Tests/Packages/$part.sh" "$build" || status=$? ;;
    ray | spark) cluster "$part" || status=$? ;;
    *)
      echo "packages: there is no part $part" >&2
      exit 2
      ;;
  esac
  # 77: it could not be tried, which the program has said.
  ((status == 0 || status == 77)) || failed+=("$part")
done
((${#failed[@]} == 0)) || {
  printf 'packages: FAILED: %s\n' "${failed[@]}" >&2
  exit 1
}
