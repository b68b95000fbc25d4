#!/usr/bin/env bash
# check_descriptors.sh BUILD_FOLDER: only descriptors.c makes descriptors, since its functions keep away from 0, 1 and
# 2, which a host may have closed. Names each object file of ours that calls another function that makes one.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
makers='accept4?|creat|dup|epoll_create1?|eventfd|fanotify_init|fopen|inotify_init1?|memfd_create|mko?stemp|open|openat|opendir'
makers+='|pidfd_open|pipe2?|popen|posix_openpt|recvmsg|shm_open|signalfd|socket|socketpair|timerfd_create|tmpfile'
found=0
count=0
for folder in Sources/*/*/; do
  name=$(basename "$folder")
  while IFS= read -r object; do
    count=$((count + 1))
    case $object in
      */descriptors.c.o) continue ;;
      # Only programs enter a sandbox, after they have opened their standard descriptors.
      */CSandbox.build/*) continue ;;
    esac
    calls=$(nm --undefined-only "$object" | awk '{ sub(/(64)?(@.*)?$/, "", $2); print $2 }' | grep -xE "$makers" | sort -u | paste -sd' ' -) \
      || continue
    echo "check: ${object#"$build"/} calls $calls; use a function of descriptors.h" >&2
    found=1
  done < <(find "$build/${name//-/_}.build" -name '*.o' 2>/dev/null)
done
((count > 100)) || {
  echo "check: $build has $count object files; build first" >&2
  exit 1
}
exit "$found"
