#!/usr/bin/env bash
# Measures what a join, a publish and a message cost this server in a room of 1,000 participants, and prints it as Markdown: the tables of
# docs/performance/rooms.md. Requires a quiet machine.
#
#   Benchmarks/crowd.sh                   three runs with 1,000 people (about 3 minutes)
#   PAIRS=1 PEOPLE=200 Benchmarks/crowd.sh
#   THAN=/tmp/before/roomserver Benchmarks/crowd.sh     another executable alternately with this one
#   CHART=crowd.svg Benchmarks/crowd.sh   draws the medians too
. "$(dirname "$0")/measuring.sh"

flags -- "$@"
build
arguments=(crowd --start --people "${PEOPLE:-1000}" --pairs "${PAIRS:-3}")
if [ -n "${THAN:-}" ]; then arguments+=(--than "$THAN"); fi
if [ -n "${CHART:-}" ]; then arguments+=(--chart "$CHART"); fi
measure '' "${arguments[@]}"
