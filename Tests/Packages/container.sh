#!/usr/bin/env bash
# container.sh PACKAGES_FOLDER: tries the final stage of Tools/package/container/Containerfile. No container engine is needed, and
# none is used: the stage's script runs in a new root of the smallest Debian 12, with what the slim images leave out left out.
# Then the engine runs in it as the image does: as its user, without a capability, on a root that nobody can write to. Status 77
# without root, namespaces or mmdebstrap. At last docs/start.md's image is built and run as it says there, by a stand-in of podman.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 1)) || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
packages=$(realpath "$1")
readonly limit=150000000
skip() { echo "container: SKIPPED: $*" >&2; exit 77; }
((EUID == 0)) || skip "this needs root, for chroot"
refusal=$(unshare --mount --pid --fork --net true 2>&1) || skip "this needs namespaces, as few containers have them: $refusal"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed: run Tools/setup/packages.sh test"
mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' | sed -n 's/^Debian Debian //p' | head -n 1)
[[ -n $mirror ]] || skip "this machine has no archive of Debian"
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
root=$folder/root
mmdebstrap --quiet --mode=root --variant=minbase --include=usr-is-merged \
  --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-include=/usr/share/doc/*/copyright' bookworm "$root" "$mirror" >"$folder/log" 2>&1 ||
  { tail -n 3 "$folder/log" >&2; skip "Debian 12 cannot be had"; }
cp /etc/resolv.conf "$root/etc/resolv.conf"
mkdir "$folder/images"
cp -a "$root" "$folder/images/debian:bookworm-slim"
mkdir -p "$root/packages"
cp "$packages"/*.deb "$root/packages"
cp Tools/package/container/install.sh Examples/photos/grace_hopper.jpg "$root/packages"
# The instructions of the final stage.
stage=$(sed -n '/^FROM debian/,$p' Tools/package/container/Containerfile)
user=$(sed -n 's/^USER //p' <<<"$stage")
entry=$(sed -n 's/^ENTRYPOINT //p' <<<"$stage" | python3 -c 'import json, shlex, sys; print(shlex.join(json.load(sys.stdin)))')
arguments=$(sed -n 's/^CMD //p' <<<"$stage" | python3 -c 'import json, shlex, sys; print(shlex.join(json.load(sys.stdin)))')
chroot "$root" sh /packages/install.sh /packages >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
! chroot "$root" sh -c 'command -v cc || command -v clang || command -v swift || command -v python3' || { echo "container: it has a compiler" >&2; exit 1; }
mv "$root/packages" "$folder/packages"
mkdir "$root/photos"
cp Examples/photos/grace_hopper.jpg "$root/photos"
size=$(du --apparent-size --bytes --summarize --one-file-system "$root" | cut -f 1)
echo "container: the image has $size bytes"
((size < limit)) || { echo "container: $limit are allowed" >&2; exit 1; }
cat >"$folder/run.sh" <<'RUN'
set -eu
root=$1 user=$2 entry=$3 arguments=$4
mount --bind "$root" "$root"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mkdir "$root/run/face-engine"
chroot "$root" chown "$user:$user" /run/face-engine
mount -t proc proc "$root/proc"
mount -o remount,bind,ro "$root"
as_user() { chroot "$root" setpriv --reuid="$user" --regid="$user" --init-groups --bounding-set=-all --inh-caps=-all --no-new-privs env -i PATH=/usr/bin:/bin "$@"; }
! as_user sh -c 'echo >/tmp/file' 2>/dev/null || { echo "container: the root can be written to" >&2; exit 1; }
as_user $entry $arguments &
for i in $(seq 300); do
  ! as_user $entry status --socket /run/face-engine/face-engine.sock >/dev/null 2>&1 || break
  sleep 0.1
done
found=$(as_user $entry detect --socket /run/face-engine/face-engine.sock /photos/grace_hopper.jpg)
echo "$found" >&2
grep -q '1 face$' <<<"$found"
as_user $entry detect --accuracy high /photos/grace_hopper.jpg | grep -q '1 face$'
RUN
unshare --mount --pid --fork --kill-child --net bash "$folder/run.sh" "$root" "$user" "$entry" "$arguments"
mkdir "$folder/start"
cp "$packages"/*.deb "$folder/start"
checkout=$PWD
(cd "$folder/start" && IMAGES=$folder/images PATH=$checkout/Tests/Packages:$PATH "$checkout/Tests/start.py" "A container")
echo "container: ok"
