# Sourced by Tools/package/install.sh; $made is what Tools/doors.txt names.
# shellcheck shell=bash disable=SC2154
put_binary "${made%/*}/libfaceengineqml.so" "$libdir/qt6/qml/FaceEngine/libfaceengineqml.so"
for file in qmldir faceengine.qmltypes; do put 644 "${made%/*}/$file" "$libdir/qt6/qml/FaceEngine/$file"; done
