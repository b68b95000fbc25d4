#!/usr/bin/env bash
# test_long.sh BUILD_FOLDER [PART...]: the slow tests, one part after the other, all if none is named: simulate (the
# scheduler, for SIMULATE_SECONDS, an hour by default), fuzz (each target for FUZZ_SECONDS, an hour), chaos
# (CHAOS_MINUTES, 60), threads (under the thread sanitizer), versions (with a build of the last release,
# FACE_ENGINE_BASELINE, or one that is made and kept in the cache), arm64 (its release, on Debian under qemu), reproduce
# (a release, built again). CONTRIBUTING.md says what each of them shows. Says at its end what failed; SKIPPED is what
# cannot be run here.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
(($# >= 1)) || {
  sed -n '2,7s/^# //p' "$0" >&2
  exit 2
}
build=$1
parts=("${@:2}")
((${#parts[@]})) || parts=(simulate fuzz chaos threads versions arm64 reproduce)
readonly seconds=${FUZZ_SECONDS:-3600} minutes=${CHAOS_MINUTES:-60}

# Of the release as a whole: its packages, made beside the gateway's, do not depend on that.
reproduces() {
  local folder result=0
  folder=$(mktemp -d)
  Tools/package/release.sh "$build" "$folder" && Tools/package/reproduce.sh "$folder" || result=$?
  rm -rf "$folder"
  return $result
}
# Seeds that no run has had; each round prints its own.
simulates() {
  local seed
  seed=$(date +%s)00000
  while ((SECONDS < simulate_seconds)); do
    "$build/simulate" "$seed" 20000000 && Gateway/.build/release/simulate-gateway "$seed" 5000000 || return 1
    seed=$((seed + 10000))
  done
}
# With the last release, built from the commit that Proto/baseline names.
versions() {
  local older=${FACE_ENGINE_BASELINE-} commit checkout
  if [[ -z $older ]]; then
    commit=$(cat Proto/baseline/commit)
    checkout=${XDG_CACHE_HOME:-$HOME/.cache}/face-engine/baseline/$commit
    [[ -d $checkout ]] || git clone --quiet . "$checkout" || return 1
    git -C "$checkout" checkout --quiet "$commit" && make -C "$checkout" stage gateway gstreamer java qtquick || return 1
    older=$checkout/.build/release
  fi
  Tests/Versions/run.sh "$older" "$build"
}
export -f reproduces simulates versions
export build simulate_seconds=${SIMULATE_SECONDS:-3600}

failed=()
run() { # NAME COMMAND...
  Tools/parts.py run "$@" || failed+=("$1")
}

for part in "${parts[@]}"; do
  case $part in
    simulate) run simulate bash -c simulates ;;
    fuzz)
      for target in Tests/Fuzz/corpus/*; do run "fuzz-${target##*/}" Tools/fuzz.sh "${target##*/}" "$seconds"; done
      run fuzz-abi Tools/fuzz-abi.sh "$seconds"
      run fuzz-abi-files Tools/fuzz-abi.sh "$seconds" files
      run fuzz-gateway env FACE_FUZZ_SECONDS="$seconds" Gateway/Tests/test.sh test_fuzz
      ;;
    chaos) run chaos Tests/Faults/run.sh "$build" --seconds $((minutes * 60)) --log .build/chaos.log ;;
    threads)
      run threads Tools/thread-sanitizer.sh
      run threads-gstreamer bash -c 'Tools/setup/packages.sh test-gstreamer && THREADS=1 Bindings/GStreamer/Tests/test.sh "$build"'
      ;;
    versions) run versions bash -c versions ;;
    arm64)
      run arm64 bash -c 'make --no-print-directory release ARCH=arm64 && Tests/ARM64/debian.sh dist'
      ;;
    reproduce) run reproduce bash -c reproduces ;;
    *)
      echo "test-long: there is no part $part" >&2
      exit 2
      ;;
  esac
done
((${#failed[@]} == 0)) || {
  printf 'test-long: FAILED: %s\n' "${failed[@]}" >&2
  exit 1
}
