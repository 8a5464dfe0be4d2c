#!/usr/bin/env bash
# Tests everything on a Debian 12 or Ubuntu 22.04+ machine that has a Swift toolchain and nothing else: format, a build without
# warnings, the REST API against its description, then every Swift test. Exits with 0 only where all of it passed.
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
# One after the other: side by side, two cores leave the tests with real media no time.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
deploy/watched.sh 300 swift test --skip-build --no-parallel 2>&1 | tee "$log" || {
  # Hundreds of lines stand between a failure and the end.
  say "What failed"
  grep -A 3 -E '✘|recorded an issue|error:' "$log"
  exit 1
}
