#!/usr/bin/env bash
# test.sh BUILD_FOLDER|installed: runs the tests of faceengine.jar in BUILD_FOLDER/java, made by make -C Bindings/Java,
# or of the installed package, loaded and through an engine that it starts, with JNI's checks on; then the example and
# the section of docs/start.md as they are written.
set -euo pipefail
cd "$(dirname "$0")/../../.."
(($# == 1)) || {
  sed -n '2,4s/^# //p' "$0" >&2
  exit 2
}
folder=$(mktemp -d)
engine=
trap '[[ -z $engine ]] || kill "$engine" 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
fail() {
  echo "java: FAILED: $*" >&2
  exit 1
}

photo=$PWD/Examples/photos/grace_hopper.jpg
if [[ $1 == installed ]]; then
  jar=/usr/share/java/faceengine.jar command=face-engine model=${FACE_TEST_MODEL:-/usr/share/face-engine/Models/yunet}
else
  build=$(realpath "$1")
  jar=$build/java/faceengine.jar command=$build/face-engine model=${FACE_TEST_MODEL:-$PWD/Models/yunet}
  export FACE_ENGINE_LIBRARIES=$build/java FACE_ENGINE_MODELS=${FACE_ENGINE_MODELS:-$PWD/Models}
  # The path of a build would be in the packages, which two builds would make differ.
  # shellcheck disable=SC2016 # the loader replaces it
  [[ $(readelf --dynamic "$build/java/libfaceengine-jni.so") == *'[$ORIGIN/..]'* ]] || fail "the library has the path of its build"
  [[ $(nm -D --defined-only "$build/java/libfaceengine-jni.so" | awk '{ print $3 }') == JNI_OnLoad ]] || fail "the library exports more than JNI_OnLoad"
  echo 'class Version { public static void main(String[] none) { System.out.println(com.faceengine.Engine.version()); } }' >"$folder/Version.java"
  for version in 0.0.1 99.0.0; do
    make --silent -C Bindings/Java BUILD="$build" OUTPUT="$folder/$version" VERSION=$version "$folder/$version/libfaceengine-jni.so"
    LD_LIBRARY_PATH=$build FACE_ENGINE_LIBRARIES=$folder/$version java -Duser.language=en -cp "$jar" "$folder/Version.java" >"$folder/$version.log" 2>&1
  done
  found=$(<"$folder/0.0.1.log")
  [[ $found =~ ^[0-9.]+$ ]] || fail "a package older than the library prints $found"
  [[ $(<"$folder/99.0.0.log") == *WARNING*"version $found, this package 99.0.0"*$'\n'"$found" ]] || fail "a package newer than the library does not warn"
  make --silent -C Bindings/Java javadoc BUILD="$build" OUTPUT="$folder/javadoc" || fail "javadoc, as above"
fi

junit=
for name in junit-{jupiter-{api,engine,params},platform-{commons,console,engine,launcher,reporting}} opentest4j \
  apiguardian-api picocli; do
  [[ -e /usr/share/java/$name.jar ]] || continue
  junit+=:/usr/share/java/$name.jar
done
[[ $junit == *console* ]] || fail "JUnit is not installed: run Tools/setup/packages.sh test-java"
mkdir "$folder/classes"
javac -encoding UTF-8 -Xlint:all,-processing,-path -Werror -d "$folder/classes" -cp "$jar$junit" Bindings/Java/Tests/com/faceengine/*.java || fail "a test does not compile, as above"

"$command" serve --socket "$folder/socket" --model "$model" >"$folder/engine.log" 2>&1 &
engine=$!
"$command" status --socket "$folder/socket" --wait-ready >/dev/null || {
  cat "$folder/engine.log" >&2
  fail "the engine does not start"
}
export FACE_TEST_MODEL=$model FACE_TEST_SOCKET=$folder/socket FACE_TEST_PHOTO=$photo
# The tests of memory in a Java of their own.
for classes in '(?!.*Memory).*Tests' '.*MemoryTests'; do
  reports=$folder/reports/${#classes}
  MALLOC_ARENA_MAX=1 java -Xcheck:jni -Xms256m -Xmx256m -XX:+AlwaysPreTouch -cp "$jar:$folder/classes$junit" \
    org.junit.platform.console.ConsoleLauncher --scan-classpath "$folder/classes" --include-classname="$classes" --disable-banner \
    --details=tree --disable-ansi-colors --reports-dir "$reports" >"$folder/log" 2>&1 || {
    cat "$folder/log"
    fail "a test, as above"
  }
  ! grep -nE 'WARNING in native|FATAL ERROR|JNI local refs' "$folder/log" || fail "a rule of JNI, as above"
  grep 'bytes more' "$folder/log" || true
done
# as_written FILE: runs commands of a page, with this jar.
as_written() { sed "s|/usr/share/java/faceengine.jar|$jar|g" "$1" | (cd "$folder/start" && bash -euo pipefail); }
"Tests/start.py" "Java" "$folder/start"
as_written "$folder/start/1.sh" | diff "$folder/start/seen" - || fail "docs/start.md says otherwise"
cp Examples/java/*.java "$folder/start"
awk '/^```sh/ { on = 1; next } /^```/ { on = 0 } on' docs/java.md >"$folder/start/follow.sh"
awk '/^```$/ { on = !on && !shell; shell = 0; next } /^```/ { shell = 1 } on' docs/java.md >"$folder/start/followed"
(($(wc -l <"$folder/start/follow.sh") == 1 && $(wc -l <"$folder/start/followed") == 2)) || fail "docs/java.md has other blocks"
as_written "$folder/start/follow.sh" | diff "$folder/start/followed" - || fail "docs/java.md says otherwise"
python3 - "${FACE_ENGINE_TEST_TIMES:-/dev/null}" "$folder"/reports/*/TEST-junit-jupiter.xml <<'PYTHON'
import sys, xml.etree.ElementTree as tree
suites = [tree.parse(path).getroot() for path in sys.argv[2:]]
with open(sys.argv[1], "w", encoding="utf-8") as times:
    for suite in suites:
        for case in suite.iter("testcase"):
            print(case.get("time"), f"{case.get('classname').split('.')[-1]}.{case.get('name')}", sep="\t", file=times)
total, failed, skipped = (sum(int(suite.get(name)) for suite in suites) for name in ("tests", "failures", "skipped"))
print(f"{total - failed - skipped} passed, {failed} failed, {skipped} skipped")
PYTHON
