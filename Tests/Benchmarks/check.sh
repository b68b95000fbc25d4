#!/usr/bin/env bash
# check.sh CLIP: what a guided check costs on one core.
#
# CLIP is head-pose-face-detection-female-and-male.gif of Intel's sample videos: the man in it, cut out and enlarged to
# 1080p NV12, played there and back at 30 frames a second; with a check that finishes every 1.5 seconds and begins anew.
# Prints latency from frame in to last event out and processor time a frame, beside a session that searches every frame
# whole and measures the same. Needs ffmpeg and a release build.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 1)) || {
  sed -n '2,7s/^# \?//p' "$0" >&2
  exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ffmpeg -v error -i "$1" -vf crop=320:180:160:20,scale=1920:1080 -pix_fmt nv12 -f rawvideo "$work/frames.nv12"
cc -O2 Tests/Benchmarks/check/check.c -Iinclude -L.build/release -lfaceengine -Wl,-rpath,"$PWD/.build/release" -o "$work/check"
taskset -c 0 "$work/check" "$work/frames.nv12" Models/yunet
