#!/usr/bin/env bash
# build.sh: makes what OSS-Fuzz runs, in $OUT: a program for each target of Tests/Fuzz with its committed corpus, and
# the shared libraries that its runners lack. $SANITIZER is address (which includes undefined behaviour in C), undefined
# or coverage. Runs in the checkout; outside of OSS-Fuzz, too:
#
#   OUT=/tmp/out SANITIZER=address Tools/oss-fuzz/build.sh
set -euo pipefail
[[ -x Tools/fuzz.sh ]] || cd "$(dirname "$0")/../.."
: "${OUT:?is the folder that gets the programs}"
mkdir -p "$OUT/lib"

case ${SANITIZER:-address} in
  address) FUZZ_CFLAGS="-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined" FUZZ_SWIFTFLAGS="-sanitize=fuzzer,address" ;;
  undefined) FUZZ_CFLAGS="-fsanitize=fuzzer-no-link,undefined -fno-sanitize-recover=undefined" FUZZ_SWIFTFLAGS="-sanitize=fuzzer,undefined" ;;
  coverage) FUZZ_CFLAGS="-fprofile-instr-generate -fcoverage-mapping" FUZZ_SWIFTFLAGS="-sanitize=fuzzer -profile-generate -profile-coverage-mapping" ;;
  *)
    echo "build.sh: there is no sanitizer $SANITIZER here" >&2
    exit 2
    ;;
esac
FUZZ_BUILD=${FUZZ_BUILD:-.build-fuzz/oss-fuzz-${SANITIZER:-address}}
# shellcheck disable=SC2016 # for the loader
FUZZ_LINK="$FUZZ_SWIFTFLAGS -static-stdlib -Xlinker -rpath -Xlinker \$ORIGIN/lib"
export FUZZ_BUILD FUZZ_CFLAGS FUZZ_SWIFTFLAGS FUZZ_LINK
Tools/fuzz.sh build

# The loader's and C's own are everywhere.
ldd "$FUZZ_BUILD/fuzz" | awk '$2 == "=>" && $1 !~ /^(libc|libm|libdl|libpthread|librt|ld-linux.*)\.so/ { print $3 }' \
  | xargs -r cp -L -t "$OUT/lib"
# Beside the programs, where they look for it.
cp "$FUZZ_BUILD/libfaceengine-ncnn.so.1" "$OUT"
for corpus in Tests/Fuzz/corpus/*; do
  target=$(basename "$corpus")
  cp "$FUZZ_BUILD/fuzz" "$OUT/fuzz_$target"
  (cd "$corpus" && python3 -m zipfile -c "$OUT/fuzz_${target}_seed_corpus.zip" -- *)
  printf '[libfuzzer]\nmax_len = 8192\n' >"$OUT/fuzz_$target.options"
done
