#!/usr/bin/env bash
# kiosk.sh [WIDTHxHEIGHT...]: how often Examples/kiosk draws its window in a second, and the processor time of its thread for
# each drawing, beside the guided check of a 720p clip at 30 frames a second in the same process.
#
# Without sizes: 1920x1080, 1080x1920 and 3840x2160. A photo of a face moves before a room; the check asks for a blink, which
# never comes, so that the ring, the marks on the face and the preview change all the time. The X server has no screen (Xvfb)
# and, like the kiosk, no graphics processor; its own processor time is printed, too. On a busy machine: chrt --fifo 5 before
# the command. Needs a release build, ffmpeg, and what Tools/setup/packages.sh test installs.
set -euo pipefail
cd "$(dirname "$0")/../.."
sizes=("$@")
((${#sizes[@]})) || sizes=(1920x1080 1080x1920 3840x2160)
release=${RELEASE:-$PWD/.build/release}
work=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server"; rm -rf "$work"' EXIT

# shellcheck disable=SC2046 # several words
c++ -std=c++17 -O2 Examples/kiosk/kiosk.cpp -Iinclude -o "$work/kiosk" -L"$release" -Wl,-rpath,"$release" \
  -lfaceengine -lfaceengine-draw -pthread $(pkg-config --cflags --libs sdl2 pangocairo gio-unix-2.0)
room='[a]scale=1280:720:force_original_aspect_ratio=increase,crop=1280:720,gblur=sigma=14[room]'
person="[room][b]overlay=x='238+12*sin(t*PI/2)':y='-11+8*cos(t*PI)'"
ffmpeg -v error -loop 1 -framerate 30 -t 4 -i Examples/photos/grace_hopper.jpg -filter_complex \
  "split[a][c];[c]scale=iw*1.5:-1[b];$room;$person" -f image2pipe -c:v ppm "$work/clip"

for size in "${sizes[@]}"; do
  exec {ready}< <(exec Xvfb -displayfd 1 -noreset -nolisten tcp -screen 0 "${size}x24" 2>/dev/null)
  server=$!
  read -r display <&"$ready"
  echo "$size"
  for _ in 1 2 3 4; do cat "$work/clip"; done |
    DISPLAY=:$display "$work/kiosk" --model Models/yunet --texts Examples/kiosk/texts --full-screen --fps 30 --mute \
      --actions blink --trace 2>&1 | grep '^kiosk: drew'
  ticks=$(awk '{print $14 + $15}' "/proc/$server/stat")
  echo "X server: $((ticks * 1000 / $(getconf CLK_TCK) / 16)) ms of processor time a second"
  kill "$server"
  server=
done
