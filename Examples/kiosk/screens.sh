#!/usr/bin/env bash
# screens.sh KIOSK MODEL FACE_ENGINE PHOTO WIDTH HEIGHT FOLDER [OPTION...]: every kind of screen as FOLDER/NAME.png, from a
# kiosk in a window of that size before clips made of the photo of Grace Hopper. DISPLAY has to be set. Needs ffmpeg, xdotool.
set -euo pipefail
kiosk=$1 model=$2 engine=$3 photo=$4 folder=$7
options=(--width "$5" --height "$6" --every --fps 15 --mute --trace --shots "$folder" "${@:8}")
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir -p "$folder"

# clip SECONDS SCALE X Y: frames with the photo in that place of a room, or the room alone with a scale of 0.
clip() {
  local room='scale=128:72:force_original_aspect_ratio=increase,crop=128:72:0:0,gblur=sigma=14,scale=1280:720'
  local person="[a]${room}[room];[b]scale=iw*$2:-1[person];[room][person]overlay=$3:$4"
  [[ $2 != 0 ]] || person="[b]nullsink;[a]$room"
  ffmpeg -v error -loop 1 -framerate 15 -t "$1" -i "$photo" -filter_complex "split[a][b];$person" -f image2pipe -c:v ppm -
}

clip 1 0 0 0 >"$work/room"
clip 1 1.5 238 -11 >"$work/person"
clip 1 0.7 452 170 >"$work/far"
clip 1 1.5 -40 -11 >"$work/aside"
people() { for part in "$@"; do cat "$work/$part"; done; }

# await CONDITION...: until it is met, for at most a minute.
await() {
  for _ in {1..300}; do
    # shellcheck disable=SC2068 # words of a condition
    if test ${@}; then return; fi
    sleep 0.2
  done
  echo "screens.sh: this did not come true: $*" >&2
  return 1
}

# press KEY CONDITION...: presses a key again and again until the condition is met.
press() {
  for _ in {1..300}; do
    # shellcheck disable=SC2068 # words of a condition
    if test ${@:2}; then return; fi
    xdotool key "$1" 2>/dev/null || true
    sleep 0.2
  done
  echo "screens.sh: $1 had no effect" >&2
  return 1
}

# Nobody, too far, gone, beside the circle, in it until the picture is taken.
people room far far room aside person person person person person | "$kiosk" "${options[@]}" --model "$model"
# The person does not do the action.
people room person person person person person |
  "$kiosk" "${options[@]}" --model "$model" --actions smile,blink,turn-left --timeout 2.5
# Away before it is right.
people person person room room room | "$kiosk" "${options[@]}" --model "$model" --hold 5
# The camera stalls, and escape ends the program nevertheless.
{ people room; await -e "$work/escaped"; } | "$kiosk" "${options[@]}" --model "$model" &
await -e "$folder/camera_gone.png"
press Escape ! -d "/proc/$!"
touch "$work/escaped"
# The picture is accepted by a key.
{ people person person person person person; await -e "$work/taken.png"; } |
  "$kiosk" "${options[@]}" --model "$model" --save "$work/taken.png" &
press Return -e "$work/taken.png"
wait $!
# The engine goes and comes back; the next person gets a picture.
serve() { "$engine" serve --model "$model" --socket "$work/socket" >/dev/null 2>&1 & }
serve
served=$!
await -S "$work/socket"
{
  until [[ -e $work/back ]]; do people room; done
  for _ in {1..60}; do people person; done
} | "$kiosk" "${options[@]}" --connect "$work/socket" --once --save "$work/next.png" &
window=$!
rm -f "$folder/idle.png"
await -e "$folder/idle.png"
kill -KILL "$served"
await -e "$folder/engine_gone.png"
rm -f "$work/socket"
serve
touch "$work/back"
wait "$window" || true # a writer of frames may find it closed
[[ -s $work/next.png ]]
