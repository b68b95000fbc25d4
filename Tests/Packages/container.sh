#!/usr/bin/env bash
# container.sh PACKAGES_FOLDER: tries the final stages of the files in Tools/package/container. No container engine is
# needed, and none is used: a stage's script runs in a new root of the smallest Debian 12, with what the slim images
# leave out left out. Then engine and gateway run as the images do: as their users, without a capability, on roots that
# nobody can write to. Status 77 without root, namespaces or mmdebstrap. At last docs/start.md's image is built and run
# as it says there, by a stand-in of podman.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 1)) || {
  sed -n '2,6s/^# //p' "$0" >&2
  exit 2
}
packages=$(realpath "$1")
skip() {
  echo "container: SKIPPED: $*" >&2
  exit 77
}
((EUID == 0)) || skip "this needs root, for chroot"
refusal=$(unshare --mount --pid --fork --net true 2>&1) || skip "this needs namespaces, as few containers have them: $refusal"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed: run Tools/setup/packages.sh test"
mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' | sed -n 's/^Debian Debian //p' | head -n 1)
[[ -n $mirror ]] || skip "this machine has no archive of Debian"
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
slim=$folder/slim
mkdir "$folder/images" "$folder/volume"
mmdebstrap --quiet --mode=root --variant=minbase --include=usr-is-merged \
  --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-include=/usr/share/doc/*/copyright' bookworm "$slim" "$mirror" >"$folder/log" 2>&1 \
  || {
    tail -n 3 "$folder/log" >&2
    skip "Debian 12 cannot be had"
  }
cp /etc/resolv.conf "$slim/etc/resolv.conf"
cp -a "$slim" "$folder/images/debian:bookworm-slim"

words() { python3 -c 'import json, shlex, sys; print(shlex.join(json.load(sys.stdin)))'; }
# image NAME CONTAINERFILE MOST_BYTES: makes the image NAME, and the script NAME.run that its instructions say.
image() {
  local root=$folder/$1 stage install user size
  cp -a "$slim" "$root"
  stage=$(sed -n '/^FROM debian/,$p' "Tools/package/container/$2")
  install=$(sed -n 's|^ *sh /tmp/install.sh /packages ||p' <<<"$stage")
  user=$(sed -n 's/^USER //p' <<<"$stage")
  [[ -n $install && -n $user ]] || {
    echo "container: $2 has other instructions than this test knows" >&2
    exit 1
  }
  sed -n 's/^ENTRYPOINT //p' <<<"$stage" | words >"$root.entry"
  sed -n 's/^CMD //p' <<<"$stage" | words >"$root.arguments"
  echo "$user" >"$root.user"
  mkdir "$root/packages"
  cp "$packages"/*.deb Tools/package/container/install.sh "$root/packages"
  # shellcheck disable=SC2086 # the names of packages
  chroot "$root" sh /packages/install.sh /packages $install >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    exit 1
  }
  ! chroot "$root" sh -c 'command -v cc || command -v clang || command -v swift || command -v python3' || {
    echo "container: $1 has a compiler" >&2
    exit 1
  }
  rm -r "$root/packages"
  mkdir "$root/photos"
  cp Examples/photos/grace_hopper.jpg "$root/photos"
  size=$(du --apparent-size --bytes --summarize --one-file-system "$root" | cut -f 1)
  echo "container: the image $1 has $size bytes"
  ((size < $3)) || {
    echo "container: $3 are allowed" >&2
    exit 1
  }
}
image engine Containerfile 150000000
if compgen -G "$packages/face-engine-gateway_*.deb" >/dev/null; then
  image gateway Containerfile.gateway 120000000
else
  echo "container: SKIPPED: the gateway, which was not packaged: run make gateway, then make deb" >&2
fi
cat >"$folder/run.sh" <<'RUN'
set -eu
folder=$1
as_user() { # IMAGE COMMAND...
  user=$(cat "$folder/$1.user")
  root=$folder/$1
  shift
  chroot "$root" setpriv --reuid="$user" --regid="$user" --init-groups --bounding-set=-all --inh-caps=-all \
    --no-new-privs env -i PATH=/usr/bin:/bin "$@"
}
ip link set lo up
mount -t tmpfs -o mode=755 tmpfs "$folder/volume"
for image in engine gateway; do
  root=$folder/$image
  [ -d "$root" ] || continue
  mount --bind "$root" "$root"
  mount -t tmpfs -o mode=755 tmpfs "$root/run"
  mkdir "$root/run/face-engine"
  mount --bind "$folder/volume" "$root/run/face-engine"
  mount -t proc proc "$root/proc"
  mount -o remount,bind,ro "$root"
  # A new volume has the owner of the image's folder.
  [ "$image" = gateway ] || chroot "$root" chown face-engine:face-engine /run/face-engine
  ! as_user "$image" sh -c 'echo >/tmp/file' 2>/dev/null || { echo "container: the root of $image can be written to" >&2; exit 1; }
done
entry=$(cat "$folder/engine.entry")
as_user engine $entry $(cat "$folder/engine.arguments") &
for i in $(seq 300); do
  ! as_user engine $entry status --socket /run/face-engine/face-engine.sock >/dev/null 2>&1 || break
  sleep 0.1
done
found=$(as_user engine $entry detect --socket /run/face-engine/face-engine.sock /photos/grace_hopper.jpg)
echo "$found" >&2
grep -q '1 face$' <<<"$found"
as_user engine $entry detect --accuracy high /photos/grace_hopper.jpg | grep -q '1 face$'
[ -d "$folder/gateway" ] || exit 0
as_user gateway $(cat "$folder/gateway.entry") $(cat "$folder/gateway.arguments") >&2 &
for i in $(seq 300); do
  ! curl --silent --fail http://127.0.0.1:8080/readyz >/dev/null || break
  sleep 0.1
done
found=$(curl --silent --show-error --fail --data-binary "@$folder/gateway/photos/grace_hopper.jpg" http://127.0.0.1:8080/v1/detect)
[ "$(grep -o '"box"' <<<"$found" | wc -l)" = 1 ]
RUN
unshare --mount --pid --fork --kill-child --net bash "$folder/run.sh" "$folder"
mkdir "$folder/start"
cp "$packages"/*.deb "$folder/start"
checkout=$PWD
(cd "$folder/start" && IMAGES=$folder/images PATH=$checkout/Tests/Packages:$PATH "$checkout/Tests/start.py" "A container")
echo "container: ok"
