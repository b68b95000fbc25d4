#!/usr/bin/env bash
# inside.sh try|upgrade|purge|pages|start: what debian.sh does on a machine of its own; the packages are in /packages,
# their tests in /tests. First the packages are installed, upgraded and tried, then removed, and at last installed as
# docs/qt.md and docs/gstreamer.md say, and under systemd as docs/start.md says.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
say() { echo "inside: $*"; }
fail() {
  echo "inside: FAILED: $*"
  exit 1
}
quietly() { "$@" >/tmp/log 2>&1 || {
  cat /tmp/log
  fail "$*"
}; }
install() { quietly apt-get -q -y install --no-install-recommends "$@"; }
# Of all packages that /packages has, the newest or the given version.
ours() { sed -n 's/^Package: //p' /packages/Packages | sort -u | sed "s/\$/${1:+=$1}/"; }
try_all() {
  mapfile -t versions < <(sed -n 's/^Version: //p' /packages/Packages | sort -uV)
  ((${#versions[@]} == 2)) || fail "/packages has the versions ${versions[*]}, two are needed"
  old=${versions[0]}
  new=${versions[1]}
  installed() { dpkg-query --show --showformat '${Package} ${Version} ${db:Status-Abbrev}\n' "$@"; }

  echo "deb [trusted=yes] file:/packages ./" >/etc/apt/sources.list.d/face-engine.list
  quietly apt-get -q update
  ! command -v swift >/dev/null || fail "this machine has Swift"

  # --- An upgrade while the engine runs
  mapfile -t list < <(ours "$old")
  dpkg-query --show --showformat '${Package}\n' | sort >/tmp/before
  install "${list[@]}"
  brought=$(dpkg-query --show --showformat '${Package}\n' | sort | comm -13 /tmp/before - | grep -vxF "$(ours)" | paste -sd ' ')
  say "they bring $brought"
  id face-engine >/dev/null || fail "there is no user face-engine"
  [[ $(readlink -f /etc/systemd/system/sockets.target.wants/face-engine.socket) == */face-engine.socket ]] \
    || fail "the socket unit is not enabled"
  [[ ! -e /etc/systemd/system/multi-user.target.wants/face-engine.service ]] || fail "the service is enabled, not only its socket"
  command -v setpriv >/dev/null || install util-linux
  # A folder that root made for the engine's user: whose engine it is, every caller can tell.
  mkdir /run/face-engine
  chown face-engine:face-engine /run/face-engine
  socket=/run/face-engine/running.sock
  setpriv --reuid=face-engine --regid=face-engine --init-groups env HOME=/nonexistent \
    face-engine serve --socket $socket &
  engine=$!
  for ((i = 0; i < 300; i++)); do
    ! face-engine status --socket $socket >/dev/null 2>&1 || break
    kill -0 $engine || fail "the older engine has ended"
    sleep 0.1
  done
  before=$(face-engine detect --json --socket $socket /tests/photo.jpg)
  mapfile -t list < <(ours)
  install "${list[@]}"
  # shellcheck disable=SC2046
  [[ $(installed $(ours) | grep -c " $new ii") == "${#list[@]}" ]] || fail "not all were upgraded: $(installed)"
  [[ $(face-engine detect --json --socket $socket /tests/photo.jpg) == "$before" ]] \
    || fail "the engine that ran during the upgrade gives other faces"
  kill $engine
  wait $engine || fail "the older engine ended with status $?"
  rm -r /run/face-engine
  say "upgraded from $old to $new while the engine ran"

  # --- The packages' own tests
  while IFS= read -r line; do
    case $line in
      Tests:*) name=${line#Tests: } ;;
      Depends:*)
        IFS=', ' read -r -a depends <<<"${line#Depends: }"
        install "${depends[@]}"
        quietly bash -c 'cd /tmp && "$0"' "/tests/$name"
        say "its test $name passes"
        ;;
    esac
  done </tests/control

  if [[ -e /tests/checkout/needs ]]; then
    mapfile -t needs </tests/checkout/needs
    ((${#needs[@]} > 10)) || fail "the lines of docs/gstreamer.md need only ${needs[*]}"
    install "${needs[@]}"
    quietly bash -c 'cd /tests/checkout && python3 Bindings/GStreamer/Tests/lines.py installed'
    say "each line of docs/gstreamer.md runs: $(grep -c ': ok$' /tmp/log), $(grep -c SKIPPED /tmp/log) skipped"
  fi

  # --- docs/start.md: what it installs, and Go, whose packages differ between the releases
  local page=/tests/checkout/Tests/start.py release
  # shellcheck source=/dev/null
  release=$(. /etc/os-release && echo "$VERSION_ID")
  cd /tests/start
  python3 $page --installs "$release" >/tmp/installs
  (($(wc -l </tmp/installs) >= 8)) || fail "docs/start.md installs only $(cat /tmp/installs)"
  # All that they name at once: each pattern and each package of Debian's exists.
  # shellcheck disable=SC2046
  quietly apt-get -q --simulate install $(tr ' ' '\n' </tmp/installs | sort -u)
  # shellcheck disable=SC2046
  install $(python3 $page --installs "$release" Go)
  mkdir /tmp/go
  cd /tmp/go
  quietly python3 $page Go
  cd /
  rm -r /tmp/go
  say "what docs/start.md installs can be had, and its Go section runs"
  install sudo
  ! ldd /usr/bin/face-engine* /usr/lib/*/libfaceengine*.so.1 | grep -i 'not found\|swift' || fail "a library is missing"
}

# Under systemd, with programs that call the whole time. They keep the library and the engine's connection that they
# have.
upgrade() {
  local after caller process version log=/tmp/calls
  systemctl start face-engine.socket
  mkfifo /tmp/end
  python3 /tests/caller.py /tests/photo.jpg </tmp/end >$log 2>&1 &
  caller=$!
  exec 3>/tmp/end
  more() { # KIND: waits for two more answers; one may have been on its way
    local before
    before=$(grep -c "^$1\$" $log || true)
    until (($(grep -c "^$1\$" $log || true) > before + 1)); do
      kill -0 $caller 2>/dev/null || {
        tail -n 1 $log
        fail "a call is lost"
      }
      sleep 0.1
    done
  }
  more calls
  more frames
  mapfile -t versions < <(sed -n 's/^Version: //p' /packages/Packages | sort -uV)
  for version in "${versions[@]}"; do
    process=$(systemctl show --property MainPID --value face-engine.service)
    # shellcheck disable=SC2046
    install --allow-downgrades $(ours "$version")
    [[ $(dpkg-query --show --showformat '${Version}' face-engine) == "$version" ]] || fail "$version is not installed"
    more calls
    more frames
    after=$(systemctl show --property MainPID --value face-engine.service)
    ((process > 0 && after > 0 && process != after)) || fail "the engine of $version does not run: $process, then $after"
  done
  echo >&3
  wait $caller || {
    tail -n 1 $log
    fail "a call is lost"
  }
  say "downgraded and upgraded under systemd while programs called, each call answered: $(tail -n 1 $log)"
}

purge() {
  mapfile -t list < <(ours)
  for package in "${list[@]}"; do dpkg -L "$package"; done | sort -u | while IFS= read -r file; do
    [[ -d $file ]] || echo "$file"
  done >/tmp/files
  (($(wc -l </tmp/files) > 100)) || fail "the packages have only $(wc -l </tmp/files) files"
  quietly apt-get -q -y purge "${list[@]}"
  left=$(xargs -d '\n' ls -d 2>/dev/null </tmp/files || true)
  left+=$(find / -xdev \( -path /proc -o -path /dev -o -path /packages -o -path /tests -o -path /var/lib/apt \
    -o -path /var/cache/apt -o -path /etc/apt -o -path /var/log \) -prune -o \( -iname '*face*engine*' -o -iname '*faceengine*' \) -print)
  [[ -z $left ]] || fail "this is left: $left"
  say "purged, and no file is left"
}

# What docs/qt.md and docs/gstreamer.md install, and no more of ours, plays H.264: qt.md's first, with the setting that
# it names.
pages() {
  installs() { sed -n '/^sudo apt install/,/[^\\]$/{s/^sudo apt install//;s|\./dist/|./|g;s/\\$//;p}' "/tests/checkout/docs/$1.md"; }
  cd /tests/start
  for page in qt gstreamer; do
    # shellcheck disable=SC2046
    install $(installs $page)
    case $page in
      qt)
        qml=$(command -v qml6 || echo /usr/lib/qt6/bin/qml)
        quietly env QT_MEDIA_BACKEND=ffmpeg QT_QPA_PLATFORM=offscreen QT_QUICK_BACKEND=software XDG_RUNTIME_DIR=/tmp \
          timeout 120 "$qml" /tests/qtquick.qml -- /tests/clip.mp4 ""
        ;;
      gstreamer)
        quietly gst-launch-1.0 --messages filesrc location=/tests/clip.mp4 ! decodebin ! videoconvert ! \
          faceengine draw=true ! fakesink
        grep -q confidence /tmp/log || fail "docs/gstreamer.md's pipeline finds no face in a clip of H.264"
        ;;
    esac
  done
  installed=$(dpkg-query --show --showformat '${Package} ' 'face-engine*' 'libfaceengine*' '*faceengine')
  for package in face-engine-gateway libfaceengine-java; do
    [[ " $installed " != *" $package "* ]] || fail "the pages install $package, too"
  done
  say "what docs/qt.md and docs/gstreamer.md install plays H.264"
  # shellcheck disable=SC2086
  quietly apt-get -q -y purge $installed
}

# By a user who may become root, and says yes.
start() {
  local user=alice
  useradd --create-home "$user"
  echo "$user ALL=(ALL:ALL) NOPASSWD: ALL" >/etc/sudoers.d/user
  chmod 440 /etc/sudoers.d/user
  echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/90yes
  cp -r /tests/start/. "/home/$user"
  chown -R "$user:" "/home/$user"
  # Each time logged in anew.
  quietly su - "$user" -c 'bash -euo pipefail 1.sh'
  quietly su - "$user" -c 'bash -euo pipefail 2.sh >printed'
  diff "/home/$user/seen" "/home/$user/printed" || fail "docs/start.md says otherwise"
  say "starts under systemd as docs/start.md says"
}

case "$*" in
  try) try_all ;;
  upgrade) upgrade ;;
  pages) pages ;;
  start) start ;;
  purge) purge ;;
esac
