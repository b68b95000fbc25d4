#!/usr/bin/env bash
# deb.sh BUILD_FOLDER OUTPUT_FOLDER: makes the Debian packages of what was built and staged, from Tools/package/debian.
# They are for Debian 12 and later, and to be made on Debian 12: what they depend on is read from the machine's
# libraries. The gateway and the doors of Tools/doors.txt are among them where they were built. Without network; two
# runs give the same bytes.
#
# FACE_ENGINE_ARM64, the root of a Debian 12 for ARM64: the build is for that, and only packages that are of one
# architecture are made.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 2)) || {
  sed -n '2,5s/^# //p' "$0" >&2
  exit 2
}
build=$1
output=$2
fail() {
  echo "deb: $*" >&2
  exit 1
}
missing=()
for tool in dpkg-buildpackage:dpkg-dev dh:debhelper dh_python3:dh-python dh_apparmor:dh-apparmor doxygen:doxygen; do
  command -v "${tool%:*}" >/dev/null || missing+=("${tool#*:}")
done
((${#missing[@]} == 0)) || fail "run apt-get install ${missing[*]}, or Tools/setup/packages.sh test"
[[ -d $build/staged/share/face-engine/Models ]] || fail "there is no $build/staged: run make first"
version=$(sed -n 's/.*StaticString = "\(.*\)"/\1/p' Sources/Core/FaceCore/EngineVersion.swift)
packaged=$(sed -n '1s/.*(\(.*\)-[^-]*).*/\1/p' Tools/package/debian/changelog)
[[ $packaged == "$version" ]] || fail "Tools/package/debian/changelog has the version $packaged, EngineVersion.swift $version: add an entry"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# What is installed has the same permissions for whoever builds.
umask 022
work=$folder/face-engine-$version
mkdir -p "$work/installed" "$output"
cp -r Tools/package/debian "$work"
cp NOTICE CHANGELOG.md "$work"
# debhelper has its own places for these.
for unit in service socket sysusers; do cp "Tools/systemd/face-engine.$unit" "$work/debian"; done
cp Tools/apparmor/face-engine "$work/debian/apparmor"
cp Examples/photos/grace_hopper.jpg "$work/debian/tests/photo.jpg"
readonly gateway=${GATEWAY_BUILD:-Gateway/.build/release}/staged system=${FACE_ENGINE_ARM64:-}
if [[ -d $gateway ]]; then
  # The rest of these files.
  for file in control tests/control; do cat "Tools/package/debian-gateway/$file" >>"$work/debian/$file"; done
  # Its own: the other packages are the same whether the gateway was built or not.
  cat Tools/package/debian/copyright Tools/package/debian-gateway/copyright >"$work/debian/face-engine-gateway.copyright"
  cp Tools/package/debian-gateway/*.docs "$work/debian"
  cp Tools/package/debian-gateway/tests/gateway "$work/debian/tests"
  for unit in service sysusers; do cp "Tools/systemd/face-engine-gateway.$unit" "$work/debian"; done
fi

# Name and package of each door that was built.
doors=()
while read -r name door made package; do
  [[ -e $build/$made ]] || continue
  doors+=("$name $package")
  for file in control tests/control; do cat "$door/debian/$file" >>"$work/debian/$file"; done
  cp "$door/debian/$package".* "$work/debian"
  find "$door/debian/tests" -type f ! -name control -exec cp -t "$work/debian/tests" {} +
done < <(grep -v '^#' Tools/doors.txt)
cp -r Examples "$work"

kind=binary host=()
if [[ -n $system ]]; then
  kind=any host=(-aarm64)
  export STRIP=aarch64-linux-gnu-strip
  # Its libraries are below its root, where its dpkg does not have them.
  mkdir "$folder/bin"
  cat >"$folder/bin/dpkg-query" <<'QUERY'
#!/usr/bin/env bash
exec /usr/bin/dpkg-query --admindir="$FACE_ENGINE_ARM64/var/lib/dpkg" "${@#"$FACE_ENGINE_ARM64"}" | sed "s|^\([^/]*\): /|\1: $FACE_ENGINE_ARM64/|"
QUERY
  chmod 755 "$folder/bin/dpkg-query"
  export SHLIBDEPS_PATH=$folder/bin:$PATH SHLIBDEPS=-l$system/usr/lib/aarch64-linux-gnu
fi
architecture=$(dpkg-architecture "${host[@]}" -q DEB_HOST_MULTIARCH 2>/dev/null)
PARTS=engine PREFIX=/usr LIBDIR=lib/$architecture DESTDIR=$work/installed Tools/package/install.sh install "$build"
if [[ -d $gateway ]]; then
  PARTS=gateway PREFIX=/usr DESTDIR=$work/gateway Tools/package/install.sh install "$build"
  # debhelper installs the unit and the user; the list is of an installation without packages.
  rm -r "$work"/gateway/usr/lib "$work/gateway/usr/share/face-engine/installed"
  # Debian has the text of this licence already.
  find "$work/gateway/usr/share/doc" -name '*.txt' ! -name '*-notice.txt' -exec grep -q 'Apache License' {} \; -delete
fi
for door in "${doors[@]}"; do
  read -r name package <<<"$door"
  PARTS=$name PREFIX=/usr LIBDIR=lib/$architecture DESTDIR=$work/doors/$package Tools/package/install.sh install "$build"
  rm -r "$work/doors/$package/usr/share/face-engine"
  rmdir --ignore-fail-on-non-empty "$work/doors/$package/usr/share"
done
Tools/reference/make.sh "$folder/reference" >/dev/null
mkdir -p "$work/installed/usr/share/man"
rm -rf "$work/installed/usr/share/man/man3"
cp -r "$folder/reference/man/man3" "$work/installed/usr/share/man/man3"
python=$work/installed/usr/lib/python3/dist-packages
mkdir -p "$python"
cp -r Bindings/Python/faceengine "$python"
find "$python" -name __pycache__ -prune -exec rm -r {} +

(
  cd "$work"
  # Not checked: the -dev packages that are listed were there when it was built.
  LC_ALL=C.UTF-8 TZ=UTC dpkg-buildpackage "${host[@]}" --build=$kind --no-sign --no-check-builddeps >"$folder/log" 2>&1
) || {
  cat "$folder/log" >&2
  fail "dpkg-buildpackage failed, as above"
}
# Nothing is compiled, so it does not matter for what gcc compiles.
grep '^dpkg-[a-z]*: warning' "$folder/log" | grep -v 'GNU system type' >&2 || true
mv "$folder"/*.deb "$folder"/*.changes "$folder"/*.buildinfo "$output"
for file in "$output"/*.deb; do printf '%s: %s bytes\n' "$file" "$(stat -c %s "$file")"; done
