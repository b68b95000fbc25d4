#!/usr/bin/env bash
# debian.sh DIST [RELEASE...]: tries what `make release ARCH=arm64` has left in DIST on Debian 12 and 13 for ARM64
# (bookworm, trixie) under qemu: inside.sh installs the packages, runs their own tests, the suites of the C libraries
# and of Python, engine, guided check, drawing, wheel and tarball, and finds the faces of every photo; the same release
# for this machine's processor finds the same, number for number, and draws the same pictures. (Between releases last
# digits differ, by what they have of other libraries.)
#
# ACCURACIES names those that are compared, low, balanced and high by default; PARTS the parts of inside.sh that are
# run, all by default, which is one to two hours for each release. Status 77 when nothing could be tried. A release once
# made is kept in the cache.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# >= 1)) || {
  sed -n '2,6s/^# //p' "$0" >&2
  exit 2
}
packages=$(realpath "$1")
releases=("${@:2}")
((${#releases[@]})) || releases=(bookworm trixie)
skip() { echo "arm64: SKIPPED: $*" >&2; }
fail() {
  echo "arm64: FAILED: $*" >&2
  exit 1
}
for architecture in arm64 amd64; do
  compgen -G "$packages/libfaceengine1_*_$architecture.deb" >/dev/null \
    || fail "there are no packages for $architecture in $packages: run make release ARCH=arm64"
done
command -v mmdebstrap >/dev/null || {
  skip "mmdebstrap is not installed: run Tools/setup/packages.sh test"
  exit 77
}
mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' | sed -n 's/^Debian Debian //p' | head -n 1)
[[ -n $mirror ]] || {
  skip "this machine has no archive of Debian"
  exit 77
}
Tests/ARM64/emulated.sh true || exit
cache=${FACE_ENGINE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/face-engine}/debian
mkdir -p "$cache"
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
export LC_ALL=C.UTF-8

base() { # RELEASE ARCHITECTURE: makes its smallest system, unless it is there
  local system=$cache/$1-$2
  [[ ! -d $system ]] || return 0
  rm -rf "$system.new"
  # The archive may be a copy of some weeks ago. What qemu runs is known here, but not to the check.
  Tests/ARM64/emulated.sh mmdebstrap --quiet --skip=check/qemu --mode=root --variant=minbase "--architectures=$2" \
    --aptopt='Acquire::Check-Valid-Until "false"' "$1" "$system.new" "$mirror" >"$folder/mmdebstrap.log" 2>&1 \
    || {
      tail -n 3 "$folder/mmdebstrap.log" >&2
      return 1
    }
  mv "$system.new" "$system"
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

ran() { [[ -z ${PARTS:-} || " $PARTS " == *" $1 "* ]]; }

# RELEASE ARCHITECTURE PARTS: in $folder/RELEASE-ARCHITECTURE, whose lines are shown; those of what failed, too
run_inside() {
  local root=$folder/$1-$2 log=$folder/$1-$2.log status=0
  cp -a "$cache/$1-$2" "$root"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  [[ ! -e /etc/hosts ]] || cp /etc/hosts "$root/etc/hosts"
  # How this machine reaches the archive.
  apt-config dump | grep -iE '^Acquire::(https?|ftp)::.*proxy' >"$root/etc/apt/apt.conf.d/90proxy" || true
  mkdir -p "$root"/{packages,checkout} "$root"/tests/{faces,drawn}
  cp "$packages"/*_{"$2",all}.deb "$packages"/*aarch64.{whl,tar.xz} "$root/packages"
  cp Tools/package/debian/tests/* Tools/package/debian-g{streamer/tests/gstreamer,ateway/tests/gateway} \
    Tests/ARM64/{inside.sh,floats.py} "$root/tests"
  cp Examples/photos/grace_hopper.jpg "$root/tests/photo.jpg"
  git ls-files -z -- Examples Bindings/Python Tests/CTests Tests/Fixtures Tests/durations.py | xargs -0 cp --parents -t "$root/checkout"
  printf '%s\n' "${accuracies[@]}" >"$root/tests/accuracies"
  printf '%s\0' "${photos[@]}" >"$root/tests/photos"
  printf '%s' "$2" >"$root/tests/architecture"
  printf '%s' "$3" >"$root/tests/parts"
  # shellcheck disable=SC2016 # expanded inside
  Tests/ARM64/emulated.sh bash -c 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
    exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 bash /tests/inside.sh' "$root" </dev/null 2>&1 \
    | tee "$log" | sed -un "s/^inside: /arm64: $1 ($2): /p" || status=1
  ! grep -q '^inside: .*FAILED' "$log" || {
    status=1
    sed "s/^/$1 ($2): /" "$log" >&2
  }
  return $status
}

same_faces() { # RELEASE
  local accuracy found status=0
  for accuracy in "${accuracies[@]}"; do
    found=$(Tests/ARM64/same_faces.py "$folder/$1"-{amd64,arm64}"/tests/faces/$accuracy") || status=1
    echo "arm64: $1: accuracy $accuracy: ${found:-FAILED: other faces than amd64}"
  done
  return $status
}

same_drawing() { # RELEASE
  if diff -r "$folder/$1"-{amd64,arm64}/tests/drawn; then
    echo "arm64: $1: draws the same $(find "$folder/$1-arm64/tests/drawn" -name '*.png' | wc -l) pictures as amd64"
  else
    echo "arm64: $1: FAILED: draws other pictures than amd64"
    return 1
  fi
}

tried=0
failed=0
for release in "${releases[@]}"; do
  { base "$release" arm64 && base "$release" amd64; } || {
    skip "Debian's $release cannot be had"
    continue
  }
  tried=$((tried + 1))
  run_inside "$release" arm64 "${PARTS:+packages engine $PARTS}" || failed=1
  if ran faces || ran drawing; then run_inside "$release" amd64 "packages faces drawing" || failed=1; fi
  if ran faces; then same_faces "$release" || failed=1; fi
  if ran drawing; then same_drawing "$release" || failed=1; fi
  rm -rf --one-file-system "$folder/$release"-*
done
((tried)) || exit 77
exit $failed
