#!/usr/bin/env bash
# reproduce.sh PACKAGES_FOLDER: builds this checkout a second time, from nothing, in another folder, as another user, in
# another locale and time zone, and compares its Debian packages with those given, byte by byte. Names the files that
# differ; KEEP, a folder, gets them for diffoscope. Without network: ncnn and the models come from the cache, Swift
# packages from .build. Doors are built again if their packages are given. The gateway is not: BoringSSL's asserts name
# the files of its build. Packages for other architectures are not compared.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 1)) || {
  sed -n '2,7s/^# //p' "$0" >&2
  exit 2
}
given=$(realpath "$1")
mapfile -t packages < <(find "$given" -name '*.deb' \( -name '*_all.deb' -o -name "*_$(dpkg --print-architecture).deb" \) \
  ! -name 'face-engine-gateway_*' -printf '%f\n' | sort)
((${#packages[@]})) || {
  echo "reproduce: there are no packages in $given; run make deb" >&2
  exit 1
}
# The folder of each door whose package is given, a line each.
doors=$(while read -r _ door _ package; do
  [[ "${packages[*]}" != *"${package}_"* ]] || echo "$door"
done < <(grep -v '^#' Tools/doors.txt))
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
# shellcheck disable=SC2016 # the inner shell replaces it
unshare --user --map-user=12345 --map-group=12345 env \
  DOORS="$doors" HOME="$folder/home" USER=somebody LOGNAME=somebody FACE_ENGINE_CACHE="$cache" LANG=C.UTF-8 LC_ALL=POSIX \
  TZ=Pacific/Auckland \
  bash -c '
    umask 002
    swift build -c release --disable-sandbox --disable-automatic-resolution 2>&1 | tail -n 3 &&
    for door in $DOORS; do make --silent -C "$door" BUILD=../../.build/release || exit 1; done &&
    Tools/plug-ins.sh .build/release && Tools/package/stage.sh .build/release &&
    Tools/package/deb.sh .build/release again'

# The members of two packages that differ.
differing() {
  mkdir "$folder/a" "$folder/b"
  dpkg-deb --raw-extract "$1" "$folder/a/package"
  dpkg-deb --raw-extract "$2" "$folder/b/package"
  diff --recursive --brief "$folder/a" "$folder/b" | sed "s|$folder/||g" || true
  rm -r "$folder/a" "$folder/b"
}

result=0
for name in "${packages[@]}"; do
  file=again/$name
  if [[ ! -e $file ]]; then
    echo "reproduce: $name was given and not built again" >&2
    result=1
  elif cmp "$given/$name" "$file"; then
    sha256sum "$file" | sed 's|again/||'
  else
    result=1
    differing "$given/$name" "$file"
  fi
done
for file in again/*.deb; do
  [[ -e $given/${file##*/} ]] || {
    echo "reproduce: ${file##*/} was built again and not given" >&2
    result=1
  }
done
# What diffoscope or a disassembler can be given.
if ((result)) && [[ -n ${KEEP:-} ]]; then cp -r again .build/release/face-engine .build/release/libfaceengine*.so "$KEEP"; fi
exit $result
