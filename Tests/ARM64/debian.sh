#!/usr/bin/env bash
# debian.sh DIST BUILD_FOLDER [RELEASE...]: tries what `make release ARCH=arm64` has left in DIST on Debian 12 and 13 for ARM64 (bookworm,
# trixie) under qemu: inside.sh installs the packages, runs their own tests, the suites of the C libraries and of Python, engine, guided
# check, drawing, wheel and tarball, and finds the faces of every photo; BUILD_FOLDER, built for this machine, finds the same, number
# for number.
#
# ACCURACIES names those that are compared, low, balanced and high by default; PARTS the parts of inside.sh that are run, all by default,
# which is an hour for each release. Status 77 when nothing could be tried. A release once made is kept in the cache.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# >= 2)) || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
packages=$(realpath "$1")
build=$(realpath "$2")
releases=("${@:3}")
((${#releases[@]})) || releases=(bookworm trixie)
skip() { echo "arm64: SKIPPED: $*" >&2; }
fail() { echo "arm64: FAILED: $*" >&2; exit 1; }
compgen -G "$packages/libfaceengine1_*_arm64.deb" >/dev/null || fail "there are no packages for ARM64 in $packages: run make release ARCH=arm64"
command -v mmdebstrap >/dev/null || { skip "mmdebstrap is not installed: run Tools/setup/packages.sh test"; exit 77; }
mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' | sed -n 's/^Debian Debian //p' | head -n 1)
[[ -n $mirror ]] || { skip "this machine has no archive of Debian"; exit 77; }
Tests/ARM64/emulated.sh true || exit
cache=${FACE_ENGINE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/face-engine}/debian
mkdir -p "$cache"
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
export LC_ALL=C.UTF-8

base() { # RELEASE: makes its smallest system, unless it is there
  [[ ! -d $cache/$1-arm64 ]] || return 0
  rm -rf "$cache/$1-arm64.new"
  # The archive may be a copy of some weeks ago. What qemu runs is known here, but not to the check.
  Tests/ARM64/emulated.sh mmdebstrap --quiet --skip=check/qemu --mode=root --variant=minbase --architectures=arm64 \
    --aptopt='Acquire::Check-Valid-Until "false"' "$1" "$cache/$1-arm64.new" "$mirror" >"$folder/mmdebstrap.log" 2>&1 ||
    { tail -n 3 "$folder/mmdebstrap.log" >&2; return 1; }
  mv "$cache/$1-arm64.new" "$cache/$1-arm64"
}

# --- Packages that are installed beside those for amd64 have the same files where they have the same names.
checksums() { dpkg-deb --ctrl-tarfile "$1" | tar -xO ./md5sums | LC_ALL=C sort -k 2; }
for file in "$packages"/*_arm64.deb; do
  other=${file%_arm64.deb}_amd64.deb
  if [[ $(dpkg-deb --field "$file" Multi-Arch) == same && -e $other ]]; then
    differ=$(LC_ALL=C join -1 2 -2 2 <(checksums "$file") <(checksums "$other") | awk '$2 != $3 { print $1 }')
    [[ -z $differ ]] || fail "$file cannot be installed beside that for amd64, which has other $differ"
    echo "arm64: $(basename "$file") may be beside that for amd64"
  fi
done

read -r -a accuracies <<<"${ACCURACIES:-low balanced high}"
mapfile -d '' -t photos < <(find Examples/photos Tests/Fixtures/images -type f ! -name '*.md' -print0 | LC_ALL=C sort -z)
for accuracy in "${accuracies[@]}"; do
  # Status 1: of some files of the fixtures there is nothing to decode.
  FACE_ENGINE_MODELS=$build/staged/share/face-engine/Models "$build/face-engine" detect --json --all --accuracy "$accuracy" "${photos[@]}" \
    >"$folder/$accuracy" 2>/dev/null || (($? == 1))
done
mkdir "$folder/drawn"
FACE_ENGINE_MODELS=$build/staged/share/face-engine/Models "$build/face-engine" detect --landmarks --pose --annotate "$folder/drawn" \
  Examples/photos/*.{jpg,png} >"$folder/log"

ran() { [[ -z ${PARTS:-} || " $PARTS " == *" $1 "* ]]; }
say() { echo "arm64: $release: $*"; }

same_faces() { # ROOT
  local accuracy found status=0
  for accuracy in "${accuracies[@]}"; do
    found=$(Tests/ARM64/same_faces.py "$folder/$accuracy" "$1/tests/faces/$accuracy") || status=1
    say "accuracy $accuracy: ${found:-FAILED: other faces than here}"
  done
  return $status
}

same_drawing() { # ROOT
  if [[ $release != "$VERSION_CODENAME" ]]; then
    say "what is drawn is not compared: this machine, $VERSION_CODENAME, has other fonts and another Cairo"
  elif diff -r "$folder/drawn" "$1/tests/drawn"; then
    say "draws the same $(find "$folder/drawn" -name '*.png' | wc -l) pictures"
  else
    say "FAILED: draws other pictures than here"
    return 1
  fi
}

# shellcheck source=/dev/null
. /etc/os-release
tried=0
failed=0
for release in "${releases[@]}"; do
  base "$release" || { skip "Debian's $release for ARM64 cannot be had"; continue; }
  root=$folder/$release
  cp -a "$cache/$release-arm64" "$root"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  [[ ! -e /etc/hosts ]] || cp /etc/hosts "$root/etc/hosts"
  # How this machine reaches the archive.
  apt-config dump | grep -iE '^Acquire::(https?|ftp)::.*proxy' >"$root/etc/apt/apt.conf.d/90proxy" || true
  mkdir -p "$root"/{packages,checkout} "$root"/tests/{faces,drawn}
  cp "$packages"/*_{arm64,all}.deb "$packages"/*aarch64.{whl,tar.xz} "$root/packages"
  cp Tools/package/debian/tests/* Tools/package/debian-g{streamer/tests/gstreamer,ateway/tests/gateway} Tests/ARM64/inside.sh "$root/tests"
  cp Examples/photos/grace_hopper.jpg "$root/tests/photo.jpg"
  git ls-files -z -- Examples Python Tests/CTests Tests/Fixtures Tests/durations.py | xargs -0 cp --parents -t "$root/checkout"
  printf '%s\n' "${accuracies[@]}" >"$root/tests/accuracies"
  printf '%s\0' "${photos[@]}" >"$root/tests/photos"
  printf '%s' "${PARTS:+packages engine }${PARTS:-}" >"$root/tests/parts"
  tried=$((tried + 1))
  # shellcheck disable=SC2016 # expanded inside
  Tests/ARM64/emulated.sh bash -c 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
    exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 bash /tests/inside.sh' "$root" </dev/null 2>&1 |
    tee "$folder/$release.log" | sed -un "s/^inside: /arm64: $release: /p" || failed=1
  ! grep -q '^inside: .*FAILED' "$folder/$release.log" || { failed=1; sed "s/^/$release: /" "$folder/$release.log" >&2; }
  if ran faces; then same_faces "$root" || failed=1; fi
  if ran drawing; then same_drawing "$root" || failed=1; fi
  rm -rf --one-file-system "$root"
done
((tried)) || exit 77
exit $failed
