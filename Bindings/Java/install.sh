# Sourced by Tools/package/install.sh; $made is what Tools/doors.txt names.
# shellcheck shell=bash disable=SC2154
put 644 "$made" "share/java/faceengine-$version.jar"
link "faceengine-$version.jar" "share/java/${made##*/}"
put_binary "${made%/*}/libfaceengine-jni.so" "$libdir/jni/libfaceengine-jni.so"
