#!/usr/bin/env bash
# test.sh BUILD_FOLDER: tests the Swift door on the libraries of BUILD_FOLDER: its test suites, the examples, what it
# costs beside C, and a program that depends on it by URL and version, as the Swift section of docs/start.md is written.
# THREADS=1: the suites with the thread sanitizer, and nothing else.
set -euo pipefail
cd "$(dirname "$0")/../../.."
(($# == 1)) || {
  sed -n '2,4s/^# //p' "$0" >&2
  exit 2
}
build=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "swift: FAILED: $*" >&2
  exit 1
}

export FACE_ENGINE_MODELS=${FACE_ENGINE_MODELS:-$PWD/Models}
export FACE_TEST_COMMAND=$build/face-engine FACE_TEST_PHOTO=$PWD/Examples/photos/grace_hopper.jpg
linked=(-Xlinker "-L$build" -Xlinker "-rpath=$build")
made=.build/swift-door
tests=(swift test --package-path Bindings/Swift/Tests "${linked[@]}")

if [[ -n ${THREADS:-} ]]; then
  # The library itself has no sanitizer: its threads are known to it, what they do among themselves is not.
  TSAN_OPTIONS="halt_on_error=1 suppressions=$PWD/Bindings/Swift/Tests/thread-sanitizer.suppressions" \
    "${tests[@]}" --scratch-path $made/threads --sanitize thread --skip MemoryTests || fail "a race, or a test, as above"
  exit
fi

# --- The suites. Memory in a process of its own.
tests+=(-c release --scratch-path "$made/tests")
"${tests[@]}" --skip MemoryTests --xunit-output "$folder/suites.xml" || fail "a test, as above"
"${tests[@]}" --skip-build --filter MemoryTests --xunit-output "$folder/memory.xml" || fail "a test of memory, as above"
swift build -c release --package-path Bindings/Swift/Tests --scratch-path $made/tests "${linked[@]}" --product Overhead
$made/tests/release/Overhead

# --- The examples, on a photo that is a video.
swift build -c release --package-path Examples/swift --scratch-path $made/examples "${linked[@]}" || fail "an example does not compile, as above"
example() { # NAME ARGUMENT...
  local name=$1
  shift
  "$made/examples/release/$name" "$@"
}
photo=$FACE_TEST_PHOTO
mapfile -t frames < <(for _ in {1..40}; do echo "$photo"; done)
mkdir "$folder/worn"
[[ $(example glasses Examples/overlays/glasses.png "$folder/worn" "${frames[@]:0:3}" | tail -1) == "frame 3: 1 faces" ]] || fail "glasses"
[[ $(file "$folder/worn/3.jpg") == *"512x600"* ]] || fail "glasses saves no picture"
example metadata 400 300 "${frames[@]:0:2}" | grep -qx '0.04 seconds: face 1 at 120 9, 141 × 170, roll -2°, yaw 0°' || fail "metadata"
example smiles Examples/photos/astronaut.png | grep -c ': smiles, both eyes open$' | grep -qx 2 || fail "smiles"
example guided-check "$folder/check.png" "${frames[@]}" | tail -1 | grep -qx "saved $folder/check.png" || fail "guided-check"
[[ $(file "$folder/check.png") == *"512 x 600"* ]] || fail "guided-check saves no picture"
[[ $(example avatar "$photo" "$folder/avatar.png" 128) == "128 × 128" ]] || fail "avatar"
[[ $(file "$folder/avatar.png") == *"128 x 128"* ]] || fail "avatar saves no picture"
[[ $(example avatar Examples/overlays/glasses.png "$folder/none.png") == *"no face"* && ! -e $folder/none.png ]] || fail "avatar of no face"

# --- The manifest for Swift 6.2 has the door of Package.swift.
mkdir "$folder/older"
cp Package@swift-6.2.swift "$folder/older/Package.swift"
door() { # FOLDER
  swift package --package-path "$1" dump-package | python3 -c '
import json, sys
manifest = json.load(sys.stdin)
for one in manifest["targets"]:
    if one["name"] in ("CFaceEngine", "LibFaceEngine", "FaceEngine", "FaceEngineDraw"):
        print(one["name"], one["path"], one["dependencies"], [setting for setting in one["settings"] if setting["tool"] == "linker"])
print(sorted(one["name"] for one in manifest["products"] if one["name"].startswith("Face") and one["name"] != "FaceEngineParts"))
print(manifest["traits"])'
}
diff <(door .) <(door "$folder/older") || fail "Package@swift-6.2.swift has another door than Package.swift, as above"

# --- A program of its own: docs/start.md, with the address replaced by a repository that has this door and a tag.
version=$(sed -n 's/.*StaticString = "\(.*\)"/\1/p' Sources/Core/FaceCore/EngineVersion.swift)
mkdir "$folder/repository"
headers=$(realpath --relative-to=. "$(dirname "$(git ls-files '*/CFaceEngine/anchor.c')")")
cp -r --parents Package.swift Package@swift-6.2.swift include Bindings/Swift/{FaceEngine,FaceEngineDraw,LibFaceEngine} "$headers" "$folder/repository"
git=(git -C "$folder/repository" -c user.name=test -c user.email=test@localhost -c init.defaultBranch=main)
"${git[@]}" init --quiet
"${git[@]}" add --all
"${git[@]}" commit --quiet --message door
"${git[@]}" tag "$version"
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=url.file://$folder/repository.insteadOf GIT_CONFIG_VALUE_0=https://example.com/FaceEngine.git
"Tests/start.py" "Swift" "$folder/start" || exit 1
# The name of a target of this package, which programs may have, too.
mkdir -p "$folder/start/Sources/Engine"
echo 'public let cylinders = 4' >"$folder/start/Sources/Engine/Engine.swift"
sed -i 's|targets: \[|targets: [.target(name: "Engine"),|' "$folder/start/Package.swift"
# SwiftPM remembers, per user, which commit a version was; here it is another one each time.
export folder
as_written() (
  cd "$folder/start" || exit 1
  swift() { command swift "$1" --cache-path "$folder/cache" --security-path "$folder/security" "${@:2}"; }
  export -f swift
  bash -euo pipefail "$1"
)
if as_written 1.sh >"$folder/log" 2>&1; then fail "a program builds without libfaceengine"; fi
grep -q 'apt-get install libfaceengine-dev' "$folder/log" || {
  cat "$folder/log"
  fail "it does not say what to install"
}
mkdir -p "$folder/prefix/lib/pkgconfig"
for library in faceengine faceengine-draw; do
  ln -s "$build/lib$library.so" "$folder/prefix/lib/lib$library.so"
  ln -s "$build/lib$library.so" "$folder/prefix/lib/lib$library.so.1"
  sed -e "s|@VERSION@|$version|" -e 's|@UP@|../..|' "Tools/package/$library.pc.in" >"$folder/prefix/lib/pkgconfig/$library.pc"
done
export PKG_CONFIG_PATH=$folder/prefix/lib/pkgconfig LD_LIBRARY_PATH=$folder/prefix/lib
as_written 1.sh >"$folder/log" 2>&1 || {
  cat "$folder/log"
  fail "a program of its own does not build, as above"
}
as_written 2.sh 2>"$folder/log" | diff "$folder/start/seen" - || {
  cat "$folder/log"
  fail "docs/start.md says otherwise"
}

# --- The HTTP service, whose packages are fetched and built for minutes: in the long form.
if [[ -n ${FACE_ENGINE_LONG_TESTS:-} ]]; then
  swift build -c release --package-path Examples/swift-service --scratch-path $made/service "${linked[@]}" || fail "the service, as above"
  port=$((20000 + RANDOM % 20000))
  $made/service/release/faces-service "$port" >"$folder/log" 2>&1 &
  service=$!
  trap 'kill "$service" 2>/dev/null; wait; rm -rf "$folder"' EXIT
  until curl -s -o /dev/null "http://127.0.0.1:$port/"; do kill -0 "$service" || {
    cat "$folder/log"
    fail "the service ended"
  }; done
  python3 Bindings/Swift/Tests/callers.py "$port" "$photo" || fail "the service answers otherwise"
fi

passed=$(grep -ho '<testcase ' "$folder"/*.xml | wc -l)
((passed > 40)) || fail "only $passed tests were run"
echo "$((passed + 9)) passed, 0 failed, 0 skipped"
