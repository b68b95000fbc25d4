#!/usr/bin/env bash
# reproduce.sh PACKAGES_FOLDER: builds this checkout a second time, from nothing, in another folder, as another user, in another
# locale and time zone, and compares its Debian packages with those given, byte by byte. Names the files that differ; KEEP, a
# folder, gets them for diffoscope. Without network: ncnn and the models come from the cache, Swift packages from .build. The
# gateway is not built again: BoringSSL's asserts name the files of its build.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 1)) || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
given=$(realpath "$1")
ls "$given"/*.deb >/dev/null
cache=${FACE_ENGINE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/face-engine}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
copy="$folder/Another Folder of Sources"
mkdir -p "$copy/.build" "$folder/home"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp -d --parents -t "$copy"
[[ ! -e Package.resolved ]] || cp Package.resolved "$copy"
cp -r .build/checkouts .build/repositories .build/artifacts .build/workspace-state.json "$copy/.build"

# Another user without another machine: a namespace in which this user has another name and number.
cd "$copy"
unshare --user --map-user=12345 --map-group=12345 env \
  HOME="$folder/home" USER=somebody LOGNAME=somebody FACE_ENGINE_CACHE="$cache" LANG=C.UTF-8 LC_ALL=POSIX TZ=Pacific/Auckland \
  bash -c '
    umask 002
    swift build -c release --disable-sandbox --disable-automatic-resolution 2>&1 | tail -n 3 &&
    Tools/plug-ins.sh .build/release && Tools/package/stage.sh .build/release && Tools/package/deb.sh .build/release again'

# The members of two packages that differ.
differing() {
  mkdir "$folder/a" "$folder/b"
  dpkg-deb --raw-extract "$1" "$folder/a/package"
  dpkg-deb --raw-extract "$2" "$folder/b/package"
  diff --recursive --brief "$folder/a" "$folder/b" | sed "s|$folder/||g" || true
  rm -r "$folder/a" "$folder/b"
}

result=0
for file in again/*.deb; do
  name=${file##*/}
  if cmp "$given/$name" "$file"; then
    sha256sum "$file" | sed 's|again/||'
  else
    result=1
    differing "$given/$name" "$file"
  fi
done
[[ $(cd again && ls ./*.deb) == $(cd "$given" && ls ./*.deb | grep -v face-engine-gateway) ]] || { echo "reproduce: not the same packages" >&2; result=1; }
# What diffoscope or a disassembler can be given.
if ((result)) && [[ -n ${KEEP:-} ]]; then cp -r again .build/release/face-engine .build/release/libfaceengine*.so "$KEEP"; fi
exit $result
