#!/usr/bin/env bash
# Counts the allocations and reference counting operations of a media worker's thread while packets are forwarded:
#   loadtest/count-calls.sh [option of packetpath…]
# Sets probes on the C library and on Swift's runtime (uprobes: requires root and perf). Build first:
#   swift build -c release --product packetpath
# KEEP=file keeps perf's recording, with a stack for each call.
set -euo pipefail

binary=${PACKETPATH:-.build/release/packetpath}
group=packetpath$$
data=$(mktemp -d)
libc=$(ldd "$binary" | awk '$1 == "libc.so.6" { print $3 }')
swift=$(ldd "$binary" | awk '$1 == "libswiftCore.so" { print $3 }')

probe() { # LIBRARY SYMBOL…
  local library=$1 symbol
  shift
  for symbol in "$@"; do
    perf probe -q -f -x "$library" --add "$group:$symbol=$symbol"
    events+=("$group:$symbol")
  done
}
finish() {
  for process in "$recorder" "$counter" "${worker_PID:-}"; do
    [ -z "$process" ] || { kill -INT "$process" && wait "$process"; } 2>/dev/null || true
  done
  perf probe -q --del "$group:*" || true
  [ -z "${KEEP:-}" ] || cp "$data/record" "$KEEP"
  rm -rf "$data"
}
recorder='' counter=''
events=()
trap finish EXIT
probe "$libc" malloc calloc realloc posix_memalign aligned_alloc free
probe "$swift" swift_retain swift_release swift_retain_n swift_release_n swift_bridgeObjectRetain swift_bridgeObjectRelease \
  swift_allocObject swift_beginAccess

list=$(IFS=, && echo "${events[*]}")
coproc worker { exec "$binary" --pause "$@"; }
output=${worker[0]} input=${worker[1]}
read -r line <&"$output"
echo "$line"
thread=${line##* }
# Both start on command and acknowledge it.
mkfifo "$data"/{record,count}-{control,acknowledge}
perf record -q -D -1 --control "fifo:$data/record-control,$data/record-acknowledge" -e "$list" -c 1 \
  --call-graph dwarf,8192 -m 65536 -t "$thread" -o "$data/record" 2>"$data/log" &
recorder=$!
perf stat -D -1 --control "fifo:$data/count-control,$data/count-acknowledge" -x, -e "$list" -t "$thread" \
  -o "$data/counts" 2>>"$data/log" &
counter=$!
for part in record count; do
  echo enable >"$data/$part-control"
  read -r _ <"$data/$part-acknowledge"
done
echo >&"$input"
read -r line <&"$output"
kill -INT "$recorder" "$counter"
wait "$recorder" "$counter" || true
echo >&"$input"
cat <&"$output"

echo "calls on the worker's thread meanwhile:"
awk -F, -v group="$group" '$3 ~ group { printf "%8d %s\n", $1, substr($3, length(group) + 2) }' "$data/counts"
echo "the same, by what of the worker's loop they were made for:"
perf script -i "$data/record" -F event,ip,sym 2>/dev/null | swift demangle --simplified | awk -v group="$group" '
  function finish() { if (event != "") count[event " " cause]++ }
  $1 ~ "^" group ":" { finish(); event = substr($1, length(group) + 2); sub(/:$/, "", event); cause = "elsewhere"; next }
  /(WorkerLoop|Forwarder)\.carryOut|for Command|of Command|CheckedContinuation/ { cause = "a command" }
  /Forwarder\.step\(|WorkerLoop\.sweep/ { cause = "the clock" }
  /Forwarder\.(receiveSTUN|receiveDTLS|drain)/ && cause == "elsewhere" { cause = "STUN or DTLS" }
  /Forwarder\.receiveRTCP/ { cause = "RTCP" }
  /Forwarder\.deliverEvents/ { cause = "events" }
  /Forwarder\.(finishReceiving|forwardPending|receiveMedia|receive\()/ && cause == "elsewhere" { cause = "A PACKET" }
  END { finish(); for (key in count) printf "%8d %s\n", count[key], key; if (length(count) == 0) print "       0" }' | sort -k3
