#!/usr/bin/env bash
# Builds the fuzzer and runs each target: Tests/Fuzz/run.sh [seconds per target] [target…]
# FUZZ_BUILD is the folder of the build and of the growing corpus (/tmp/fuzz-build).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${FUZZ_BUILD:-/tmp/fuzz-build}
seconds=${1:-60}
shift || true
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  mapfile -t targets < <(ls "$here/Regressions")
fi

# Swift's own crash handler can hang a fuzzer. A smaller quarantine and shorter stacks of AddressSanitizer save a third of
# the time if an input allocates much.
export SWIFT_BACKTRACE=enable=no
export ASAN_OPTIONS=quarantine_size_mb=16:malloc_context_size=4${ASAN_OPTIONS:+:$ASAN_OPTIONS}

mkdir -p "$build"
ROOMSERVER_FUZZ=1 swift build --package-path "$root" --scratch-path "$build/swift" -c release --disable-dead-strip --product fuzz

# Maximum input size in bytes: a datagram, a stream, or a text with every field. Longer inputs are slower and find no more bugs.
longest() {
  case $1 in
    sdp) echo 8192 ;;
    rtmp-* | amf* | flv* | ingest | transport-stream) echo 16384 ;;
    publish | publish-answer | single-connection | subscribe | subscribe-offer | view | conversation | http) echo 3072 ;;
    signalling | events | tokens | bodies | cube | pk) echo 2048 ;;
    *) echo 1500 ;;
  esac
}

# The dictionary of a target, if it has one.
dictionary() {
  case $1 in
    sdp | fragment | publish | publish-answer | single-connection | subscribe | subscribe-offer | view | conversation) echo sdp ;;
    signalling | events | bodies | pk | livekit-*-json) echo json ;;
    tokens) echo token ;;
    http) echo http ;;
    cube) echo cube ;;
    stun | dtls | peer) echo stun ;;
    rtmp-* | amf* | flv* | ingest | transport-stream | node-link | link-bodies | livekit-* | join-request) ;;
    *) echo rtp ;;
  esac
}

# A room's timers and its worker outlive the input, which LeakSanitizer would report, and it would search at every input.
leaks() {
  case $1 in
    conversation | http) echo 0 ;;
    *) echo 1 ;;
  esac
}

failed=0
for target in "${targets[@]}"; do
  corpus=$build/corpus/$target
  seeds=$here/Regressions/$target
  log=$build/$target.log
  words=$(dictionary "$target")
  mkdir -p "$corpus" "$seeds"
  if FUZZ_TARGET=$target "$build/swift/release/fuzz" -max_total_time="$seconds" -rss_limit_mb=1024 -malloc_limit_mb=256 -timeout=10 \
    -detect_leaks="$(leaks "$target")" \
    -max_len="$(longest "$target")" ${words:+-dict="$here/Dictionaries/$words.dict"} -artifact_prefix="$seeds/" \
    "$corpus" "$seeds" >"$log" 2>&1; then
    covered=$(grep -o 'cov: [0-9]* ft: [0-9]*' "$log" | tail -n 1)
    echo "$target: no finding, $(grep -o 'Done [0-9]* runs in [0-9]* second' "$log")s, $covered"
  else
    echo "$target: FINDING, input stored in $seeds, log in $log"
    failed=1
  fi
done
exit $failed
