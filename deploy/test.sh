#!/usr/bin/env bash
# Runs all checks on a Debian 12 or Ubuntu 22.04+ machine that has only a Swift toolchain: format, a build without
# warnings, the REST API against its description, then every Swift test. Exits with 0 only if all of them pass.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\n== %s\n' "$*"; }

deploy/check-toolchain.sh
deploy/install-packages.sh --tests
CHROMIUM=$(deploy/chromium.sh)
export CHROMIUM

say "Format"
swift format lint --strict --recursive --parallel Package.swift Sources Tests loadtest

say "Build (the first one takes some minutes)"
swift build --build-tests

say "REST API against api/openapi.yaml"
Tests/Interop/REST/schemathesis.sh

say "Tests"
# Serially, because on two cores tests with real media would not get enough CPU time in parallel.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
deploy/watched.sh 300 swift test --skip-build --no-parallel 2>&1 | tee "$log" || {
  # Repeats failures at the end, because hundreds of lines may follow them.
  say "What failed"
  grep -A 3 -E '✘|recorded an issue|error:' "$log"
  exit 1
}
