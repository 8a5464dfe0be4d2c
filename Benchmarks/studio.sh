#!/usr/bin/env bash
# Measures what the studio costs for a picture, each effect alone and all together, and prints it as Markdown: the table of
# docs/performance/mixing.md. Requires a quiet machine.
#
#   Benchmarks/studio.sh                        1280x720 (about a minute)
#   Benchmarks/studio.sh --width 1920 --height 1080
#   BIN=FOLDER Benchmarks/studio.sh             an existing executable instead of a release build
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "${BIN:-}" ]; then
  swift build --package-path "$root" -c release --product studio-pictures >&2
  BIN=$(swift build --package-path "$root" -c release --show-bin-path)
fi
exec "$BIN/studio-pictures" measure "$@"
