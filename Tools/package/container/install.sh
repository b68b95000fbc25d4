#!/bin/sh
# install.sh PACKAGES_FOLDER: what the final image of Containerfile has beside its base: engine, command and models, and no more.
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
apt-get -q -y install --no-install-recommends "$1"/face-engine_*.deb "$1"/face-engine-models_*.deb "$1"/face-engine-models-centerface_*.deb
install -d -o face-engine -g face-engine -m 755 /run/face-engine
apt-get clean
rm -rf /var/lib/apt/lists/* /var/log/* /var/cache/debconf/*-old /var/cache/ldconfig /tmp/*.deb
