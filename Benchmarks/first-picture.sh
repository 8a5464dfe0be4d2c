#!/usr/bin/env bash
# Measures how soon people who join a room see their first picture, and prints it as Markdown: the tables of docs/performance/rooms.md.
# Requires a quiet machine.
#
#   Benchmarks/first-picture.sh                   three runs of 50 joins a second, then one a second (about 3 minutes)
#   PAIRS=1 Benchmarks/first-picture.sh
#   THAN=/tmp/before/roomserver Benchmarks/first-picture.sh     another executable alternately with this one
. "$(dirname "$0")/measuring.sh"

flags -- "$@"
build
arguments=(--start --pairs "${PAIRS:-3}")
if [ -n "${THAN:-}" ]; then arguments+=(--than "$THAN"); fi
measure '50 joins a second' first-picture --rate 50 --seconds 20 "${arguments[@]}"
measure 'One join a second, a key frame in 10 s' first-picture --rate 1 --seconds 30 --key-frame-interval 10 "${arguments[@]}"
