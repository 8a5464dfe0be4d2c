#!/usr/bin/env bash
# Measures what a voice room costs this server and Debian's Janus (audiobridge) with the same bots, and prints it as Markdown: the
# tables of docs/performance/rooms.md. Requires a quiet machine and `apt-get install janus`.
#
#   Benchmarks/voice.sh                   three pairs of 8 speakers and 100 listeners for 20 s (about 5 minutes)
#   PAIRS=1 SECONDS_EACH=5 LISTENERS=20 Benchmarks/voice.sh
set -euo pipefail
cd "$(dirname "$0")/.."

pairs=${PAIRS:-3}
seconds=${SECONDS_EACH:-20}
speakers=${SPEAKERS:-8}
listeners=${LISTENERS:-100}
if [ $# -gt 0 ]; then
  sed -n '2,/^set /s/^# \{0,1\}//p' "$0" | sed '$d' >&2
  exit 2
fi

swift build -c release --product roomserver >&2
swift build -c release --product loadtest >&2
bin=$(swift build -c release --show-bin-path)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

arguments=(voice --start --target roomserver --target janus --pairs "$pairs" --speakers "$speakers" --listeners "$listeners"
  --seconds "$seconds")
printf '```\nloadtest'
printf ' %s' "${arguments[@]}"
printf '\n```\n\n'
# An invalid run makes loadtest fail; the table shows why. Without a terminal, all output except the table is progress.
loadtest/own-network.sh "$bin/loadtest" "${arguments[@]}" > "$out/text" || true
sed -n '/^| run /,$p' "$out/text"
