# Sourced by Tools/package/install.sh; $made is what Tools/doors.txt names.
# shellcheck shell=bash disable=SC2154
put_binary "$made" "$libdir/gstreamer-1.0/${made##*/}"
