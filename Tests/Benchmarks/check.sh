#!/usr/bin/env bash
# check.sh CLIP: what a guided check costs on one core, and that a thousand in a row cost no memory.
#
# CLIP is head-pose-face-detection-female-and-male.gif of Intel's sample videos: the man in it, cut out and enlarged to
# 1080p NV12, played there and back at 30 frames a second; with a check that finishes every 1.5 seconds and begins anew.
# Prints latency from frame in to last event out and processor time a frame, beside a session that searches every frame
# whole and measures the same; then memory and descriptors over a thousand checks: with a loaded model, and connected
# (engine and program share the core). Needs ffmpeg and a release build.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 1)) || { sed -n '2,9s/^# \?//p' "$0" >&2; exit 2; }
work=$(mktemp -d)
engine=
trap '[[ -z $engine ]] || kill "$engine"; rm -rf "$work"' EXIT

ffmpeg -v error -i "$1" -vf crop=320:180:160:20,scale=1920:1080 -pix_fmt nv12 -f rawvideo "$work/frames.nv12"
cc -O2 Tests/Benchmarks/check/check.c -Iinclude -L.build/release -lfaceengine -Wl,-rpath,"$PWD/.build/release" -o "$work/check"

echo "loaded, on core 0"
taskset -c 0 "$work/check" live "$work/frames.nv12" load Models/yunet
"$work/check" many "$work/frames.nv12" load Models/yunet

taskset -c 0 .build/release/face-engine serve --socket "$work/engine.sock" --model Models/yunet --log-level error &
engine=$!
until [[ -S $work/engine.sock ]]; do sleep 0.1; done
memory() { awk -v what="$1" '/VmRSS/ {print what, $2, "kB resident"}' "/proc/$engine/status"; find "/proc/$engine/fd" -mindepth 1 | wc -l; }
echo "connected, both on core 0 (processor: the program's share alone)"
taskset -c 0 "$work/check" live "$work/frames.nv12" connect "$work/engine.sock"
memory "engine before:"
"$work/check" many "$work/frames.nv12" connect "$work/engine.sock"
memory "engine after a thousand checks:"
