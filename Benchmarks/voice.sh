#!/usr/bin/env bash
# Measures what a voice room costs this server and Debian's Janus (audiobridge) with the same bots, and prints it as Markdown: the
# tables of docs/performance/rooms.md. Requires a quiet machine and `apt-get install janus`.
#
#   Benchmarks/voice.sh                   three pairs of 8 speakers and 100 listeners for 20 s (about 5 minutes)
#   PAIRS=1 SECONDS_EACH=5 LISTENERS=20 Benchmarks/voice.sh
. "$(dirname "$0")/measuring.sh"

flags -- "$@"
build
network=(loadtest/own-network.sh)
measure '' voice --start --target roomserver --target janus --pairs "${PAIRS:-3}" --speakers "${SPEAKERS:-8}" \
  --listeners "${LISTENERS:-100}" --seconds "${SECONDS_EACH:-20}"
