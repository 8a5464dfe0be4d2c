#!/usr/bin/env bash
# Measures what a join, a publish and a message cost this server in a room of 1,000 participants, and prints it as Markdown: the tables of
# docs/performance/rooms.md. Requires a quiet machine.
#
#   Benchmarks/crowd.sh                   three runs with 1,000 people (about 3 minutes)
#   PAIRS=1 PEOPLE=200 Benchmarks/crowd.sh
#   THAN=/tmp/before/roomserver Benchmarks/crowd.sh     another executable alternately with this one
#   CHART=crowd.svg Benchmarks/crowd.sh   draws the medians too
set -euo pipefail
cd "$(dirname "$0")/.."

pairs=${PAIRS:-3}
people=${PEOPLE:-1000}
if [ $# -gt 0 ]; then
  sed -n '2,/^set /s/^# \{0,1\}//p' "$0" | sed '$d' >&2
  exit 2
fi

swift build -c release --product roomserver >&2
swift build -c release --product loadtest >&2
bin=$(swift build -c release --show-bin-path)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

arguments=(crowd --start --people "$people" --pairs "$pairs")
if [ -n "${THAN:-}" ]; then arguments+=(--than "$THAN"); fi
if [ -n "${CHART:-}" ]; then arguments+=(--chart "$CHART"); fi
printf '```\nloadtest'
printf ' %s' "${arguments[@]}"
printf '\n```\n\n'
# An invalid run makes loadtest fail; the table shows why. Without a terminal, all output except the table is progress.
"$bin/loadtest" "${arguments[@]}" > "$out/text" || true
sed -n '/^| run /,$p' "$out/text"
