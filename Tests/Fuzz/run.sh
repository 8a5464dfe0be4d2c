#!/usr/bin/env bash
# Builds the fuzzer and runs each target: Tests/Fuzz/run.sh [seconds per target] [target…]
# FUZZ_BUILD is the folder of what is built and of the growing corpus (/tmp/fuzz-build).
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
export SWIFT_BACKTRACE=enable=no

mkdir -p "$build"
flags=(-swift-version 6 -parse-as-library -O -g -wmo -enable-testing -sanitize=fuzzer,address -I "$build"
  -I "$root/Sources/CLibraries/CSRTP" -I "$root/Sources/CLibraries/COpenSSL")

# compile MODULE FOLDER-OR-FILE…: to an object and what others import of it.
compile() {
  local module=$1 sources
  shift
  mapfile -t sources < <(find "$@" -name '*.swift' | sort)
  swiftc "${flags[@]}" -module-name "$module" "${sources[@]}" -c -o "$build/$module.o" \
    -emit-module -emit-module-path "$build/$module.swiftmodule"
}
inputs=("$root"/Sources/{RTP,RoomProtocol,WebRTC} "$here/FuzzEntry.swift" "$root"/Tests/*/Fuzz/*Targets.swift)
if [ ! -x "$build/fuzz" ] || [ -n "$(find "${inputs[@]}" -name '*.swift' -newer "$build/fuzz" -print -quit)" ]; then
  compile RTP "$root/Sources/RTP"
  compile RoomProtocol "$root/Sources/RoomProtocol"
  compile WebRTC "$root/Sources/WebRTC"
  compile FuzzTargets "$here/FuzzEntry.swift" "$root"/Tests/*/Fuzz/*Targets.swift
  swiftc -sanitize=fuzzer,address -use-ld=lld "$build"/{RTP,RoomProtocol,WebRTC,FuzzTargets}.o -lsrtp2 -lssl -lcrypto \
    -o "$build/fuzz"
fi

failed=0
for target in "${targets[@]}"; do
  corpus=$build/corpus/$target
  seeds=$here/Regressions/$target
  log=$build/$target.log
  mkdir -p "$corpus" "$seeds"
  if FUZZ_TARGET=$target "$build/fuzz" -max_total_time="$seconds" -rss_limit_mb=1024 -malloc_limit_mb=256 -timeout=10 \
    -max_len=16384 -artifact_prefix="$seeds/" "$corpus" "$seeds" >"$log" 2>&1; then
    echo "$target: no finding, $(grep -o 'Done [0-9]* runs in [0-9]* second' "$log")s"
  else
    echo "$target: FINDING, input stored in $seeds, log in $log"
    failed=1
  fi
done
exit $failed
