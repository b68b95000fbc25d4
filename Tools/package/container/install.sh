#!/bin/sh
# install.sh PACKAGES_FOLDER PACKAGE...: what the final image of a container file has beside its base: these packages,
# and no more.
set -eu
export DEBIAN_FRONTEND=noninteractive
# Licences stay, since they have to go with what they are for.
cat >/etc/dpkg/dpkg.cfg.d/face-engine <<CONFIGURATION
path-exclude=/usr/share/doc/*
path-include=/usr/share/doc/*/copyright
path-include=/usr/share/doc/*/NOTICE
path-exclude=/usr/share/man/*
path-exclude=/usr/share/locale/*
CONFIGURATION
apt-get -q update
# Without it the packages' user would be made by all of systemd.
apt-get -q -y install --no-install-recommends systemd-standalone-sysusers
# The same numbers in each image, since engine and gateway share a socket.
systemd-sysusers --inline 'u face-engine 10001 "Face-detection engine"' \
  'u face-engine-gateway 10002 "Face-detection engine over gRPC and HTTP"' 'm face-engine-gateway face-engine'
folder=$1
shift
for package; do
  set -- "$@" "$folder/${package}"_*.deb
  shift
done
apt-get -q -y install --no-install-recommends "$@"
install -d -o face-engine -g face-engine -m 755 /run/face-engine
apt-get clean
rm -rf /var/lib/apt/lists/* /var/log/* /var/cache/debconf/*-old /var/cache/ldconfig /tmp/*.deb
