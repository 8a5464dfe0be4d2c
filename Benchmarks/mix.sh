#!/usr/bin/env bash
# Measures what mixing costs this server compared with ffmpeg for the same media, and prints it as Markdown: the section "Mixing" of
# docs/performance/mixing.md. Requires a quiet machine, `apt-get install ffmpeg`, and for the profile perf (linux-perf) and root.
#
#   Benchmarks/mix.sh                      two programs of two sources for 20 s, then two of the same sources (about 4 minutes)
#   PROGRAMS=4 SECONDS_EACH=10 Benchmarks/mix.sh
#   Benchmarks/mix.sh --more               also one program, one of four sources, and an upright one of landscape sources
#   Benchmarks/mix.sh --profile            also profiles the server
. "$(dirname "$0")/measuring.sh"

programs=${PROGRAMS:-2}
seconds=${SECONDS_EACH:-20}
flags more profile -- "$@"
build

machine ffmpeg=ffmpeg x264=libx264-164 libyuv=libyuv0

measure "$programs programs" mix --start --programs "$programs" --sources 2 --size 720x1280 --fps 24 --seconds "$seconds"

measure "$programs programs of the same sources" mix --start --programs "$programs" --sources 2 --size 720x1280 --fps 24 \
  --seconds "$seconds" --shared

if $more; then
  measure "One program" mix --start --programs 1 --sources 2 --size 720x1280 --fps 24 --seconds "$seconds"
  measure "One program of four sources" mix --start --programs 1 --sources 4 --size 1280x720 --source-size 640x360 --fps 24 \
    --seconds "$seconds"
  measure "Sources that are scaled" mix --start --programs 1 --sources 2 --size 720x1280 --source-size 540x960 \
    --source-kbps 1200 --fps 24 --seconds "$seconds"
fi

if $profile; then
  printf '\n### Where the time goes\n\n```\n'
  serve 18099 --rtmp-port 18098 --auto-create --joins-per-second 1000
  load mix --url ws://127.0.0.1:18099/v1/signal --programs "$programs" --seconds "$seconds"
  # Samples only the measurement window, which starts a few seconds after the jobs.
  reaches 18099 roomserver_jobs "$programs"
  sleep 5
  sample $((${seconds%.*} - 3))
  for key in dso symbol; do
    hottest $key 0.4
    echo
  done
  printf '```\n'
fi
