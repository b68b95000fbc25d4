#!/usr/bin/env bash
# overhead.sh [BUILD_FOLDER]: what a call from Java costs beyond the search: the call's whole time less that of face_detect, which a
# preloaded library notes. A 1080p frame in a direct buffer, on one processor; the models are loaded. Needs make java and the models.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${1:-.build/release}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
gcc -O2 -shared -fPIC -Iinclude Java/Benchmarks/search_times.c -o "$folder/times.so" -ldl
javac -d "$folder" -cp "$build/java/faceengine.jar" Java/Benchmarks/Overhead.java
truncate --size=8 "$folder/last"
export FACE_SEARCH_TIME=$folder/last FACE_ENGINE_MODELS=${FACE_ENGINE_MODELS:-$PWD/Models}
LD_PRELOAD=$folder/times.so java -cp "$build/java/faceengine.jar:$folder" Overhead Examples/photos/grace_hopper.jpg
