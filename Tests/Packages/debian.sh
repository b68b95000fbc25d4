#!/usr/bin/env bash
# debian.sh PACKAGES_FOLDER [RELEASE...]: tries the Debian packages on machines that have nothing else: debootstrapped
# Debian 12 and 13 (bookworm, trixie), without Swift.
#
# Each: an older version installed by apt from a local repository and upgraded while the engine runs, the packages' own
# tests (a C program, the engine and the gateway by their units' command lines and an ordinary user, Python), the Go
# section of docs/start.md, the units under the release's own systemd, then removed and purged without a rest, and at
# last installed as docs/qt.md, docs/gstreamer.md and docs/start.md say.
# FACE_ENGINE_LONG_TESTS=1: also each line of docs/gstreamer.md. Status 77 when nothing could be tried: it needs root,
# namespaces, debootstrap and the release's packages. A release once made is kept in the cache.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
checkout=$(realpath "$here/../..")
(($# >= 1)) || {
  sed -n '2,3s/^# //p' "$0" >&2
  exit 2
}
packages=$(realpath "$1")
shift
releases=("$@")
((${#releases[@]})) || releases=(bookworm trixie)
skip() { echo "packages: SKIPPED: $*" >&2; }
((EUID == 0)) || {
  skip "this needs root, for chroot"
  exit 77
}
refusal=$(unshare --mount --pid --fork true 2>&1) || {
  skip "this needs namespaces, as few containers have them: $refusal"
  exit 77
}
command -v debootstrap >/dev/null || {
  skip "debootstrap is not installed: run Tools/setup/packages.sh test"
  exit 77
}
# Where this machine's own packages come from.
mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' | sed -n 's/^Debian Debian //p' | head -n 1)
[[ -n $mirror ]] || {
  skip "this machine has no archive of Debian"
  exit 77
}
cache=${FACE_ENGINE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/face-engine}/debian
mkdir -p "$cache"
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT

# An upgrade needs something older: the same packages under a lower version.
readonly older_version=0.1.9
mkdir "$folder/older"
for file in "$packages"/*.deb; do
  version=$(dpkg-deb --field "$file" Version)
  dpkg-deb --raw-extract "$file" "$folder/package"
  # Also what they depend on, of each other.
  sed -i -E -e "s/${version//./\\.}/$older_version-1/g" \
    -e "s/((face-|face)engine[a-z0-9.-]* \(>= )[0-9.]+\)/\1$older_version)/g" "$folder/package/DEBIAN/control"
  dpkg-deb --root-owner-group -Zgzip -z1 --build "$folder/package" "$folder/older" >/dev/null
  rm -r "$folder/package"
done

# base RELEASE: makes its smallest system, unless it is there.
base() {
  [[ ! -d $cache/$1 ]] || return 0
  rm -rf "$cache/$1.new"
  debootstrap --variant=minbase "$1" "$cache/$1.new" "$mirror" >"$folder/debootstrap.log" 2>&1 \
    || {
      tail -n 3 "$folder/debootstrap.log" >&2
      return 1
    }
  mv "$cache/$1.new" "$cache/$1"
}

# inside ROOT WHAT: in a process namespace of its own: what runs in it ends with it.
inside() {
  # shellcheck disable=SC2016 # expanded inside
  unshare --mount --pid --fork --kill-child bash -c '
    mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
    exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C bash /tests/inside.sh "$1"' "$@" </dev/null
}

pages() { # ROOT, if there is what the pages install
  [[ -e $1/tests/qtquick.qml && -e $1/tests/clip.mp4 ]] || return 0
  inside "$1" pages
}

units() { # ROOT [COMMAND]
  local status=0
  "$here/units.sh" "$@" || status=$?
  ((status == 0 || status == 77))
}

tried=0
failed=0
for release in "${releases[@]}"; do
  base "$release" || {
    skip "Debian's $release cannot be had"
    continue
  }
  root=$folder/$release
  cp -a "$cache/$release" "$root"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  [[ ! -e /etc/hosts ]] || cp /etc/hosts "$root/etc/hosts"
  # How this machine reaches the archive.
  apt-config dump | grep -iE '^Acquire::(https?|ftp)::.*proxy' >"$root/etc/apt/apt.conf.d/90proxy" || true
  mkdir -p "$root/packages" "$root/tests/checkout"
  (cd "$checkout" && cp -r --parents Tests/start.py docs/*.md Examples "$root/tests/checkout")
  cp "$folder"/older/*.deb "$packages"/*.deb "$root/packages"
  (cd "$root/packages" && dpkg-scanpackages --multiversion . >Packages 2>/dev/null)
  cp "$checkout"/Tools/package/debian/tests/* "$checkout/Tools/package/debian-gateway/tests/gateway" "$checkout/Examples/photos/grace_hopper.jpg" "$here/inside.sh" "$here/caller.py" "$root/tests"
  if compgen -G "$packages/face-engine-gateway_*.deb" >/dev/null; then
    cat "$checkout/Tools/package/debian-gateway/tests/control" >>"$root/tests/control"
  else
    skip "the gateway on $release, which was not packaged: run make gateway, then make deb"
  fi
  while read -r name door _ package; do
    if compgen -G "$packages/${package}_*.deb" >/dev/null; then
      find "$checkout/$door/debian/tests" -type f ! -name control -exec cp -t "$root/tests" {} +
      cat "$checkout/$door/debian/tests/control" >>"$root/tests/control"
      (cd "$checkout" && cp -r --parents "$door/Tests" "$root/tests/checkout")
      [[ $name != gstreamer || ${FACE_ENGINE_LONG_TESTS:-} != 1 ]] \
        || awk '$1 == "test" { print $2 }' "$checkout/$door/packages.txt" >"$root/tests/checkout/needs"
    else
      skip "$package on $release, which was not packaged: run make $name, then make deb"
    fi
  done < <(grep -v '^#' "$checkout/Tools/doors.txt")
  ffmpeg -v error -loop 1 -r 25 -t 10 -i "$root/tests/grace_hopper.jpg" -vf format=yuv420p -c:v libx264 "$root/tests/clip.mp4" \
    || skip "a clip of H.264, which ffmpeg makes"
  mv "$root/tests/grace_hopper.jpg" "$root/tests/photo.jpg"
  "$here/../start.py" "A systemd machine" "$root/tests/start"
  cp "$packages"/*.deb "$root/tests/start"
  tried=$((tried + 1))
  if { inside "$root" try && units "$root" && units "$root" upgrade && inside "$root" purge && pages "$root" && units "$root" start; } >"$folder/$release.log" 2>&1; then
    sed -n "s/^\(inside\|units\): /packages: $release: /p" "$folder/$release.log"
    echo "packages: $release: ok"
  else
    sed "s/^/$release: /" "$folder/$release.log" | tail -n 60 >&2
    echo "packages: $release: FAILED" >&2
    failed=1
  fi
  rm -rf --one-file-system "$root"
done
((tried)) || exit 77
exit $failed
