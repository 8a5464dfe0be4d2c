#!/usr/bin/env bash
# watched.sh SECONDS COMMAND...: runs a command. If it prints nothing for that long, prints the stacks of its test process,
# ends it with all its children, and exits with 124.
set -euo pipefail
quiet=$1
shift

printed=$(mktemp)
# A process group of its own, so that the whole group can be killed.
set -m
(stdbuf -oL "$@" 2>&1 | tee "$printed") &
group=$!
trap 'kill -KILL -- -$group 2>/dev/null || true; rm -f "$printed"' EXIT
trap 'exit 130' INT TERM

# Prints the stacks of the group's test processes.
stacks() {
  local process
  for process in /proc/[0-9]*; do
    [[ $(cut -d ' ' -f 5 <"$process/stat" 2>/dev/null) == "$group" ]] || continue
    tr '\0' ' ' <"$process/cmdline" | grep -qE '^[^ ]*(swiftpm-testing-helper|roomserverPackageTests.xctest) ' || continue
    gdb -p "${process#/proc/}" -batch -ex 'thread apply all bt 25' 2>/dev/null | grep -E '^(Thread|#)' | cut -c 1-160
  done
}

while kill -0 "$group" 2>/dev/null; do
  sleep 1
  if (($(date +%s) - $(stat -c %Y "$printed") > quiet)); then
    printf '\n== error: no output for %s s; the test that started last hangs\n' "$quiet"
    stacks || true
    exit 124
  fi
done
wait "$group"
