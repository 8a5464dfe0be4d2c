#!/usr/bin/env bash
# Measures what mixing costs this server compared with ffmpeg for the same media, and prints it as Markdown: the section "Mixing" of
# docs/performance/mixing.md. Requires a quiet machine, `apt-get install ffmpeg`, and for the profile perf (linux-perf) and root.
#
#   Benchmarks/mix.sh                      two programs of two sources for 20 s, then two of the same sources (about 4 minutes)
#   PROGRAMS=4 SECONDS_EACH=10 Benchmarks/mix.sh
#   Benchmarks/mix.sh --more               also one program, one of four sources, and an upright one of landscape sources
#   Benchmarks/mix.sh --profile            also profiles the server
set -euo pipefail
cd "$(dirname "$0")/.."

programs=${PROGRAMS:-2}
seconds=${SECONDS_EACH:-20}
more=false
profile=false
for argument; do
  case $argument in
    --more) more=true ;;
    --profile) profile=true ;;
    *)
      sed -n '2,/^set /s/^# \{0,1\}//p' "$0" | sed '$d' >&2
      exit 2
      ;;
  esac
done

swift build -c release --product roomserver >&2
swift build -c release --product loadtest >&2
bin=$(swift build -c release --show-bin-path)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Prints a measurement with its command. A server that fell behind makes loadtest fail; the summary reports it.
measure() {
  local title=$1
  shift
  printf '\n### %s\n\n```\nloadtest mix' "$title"
  printf ' %s' "$@"
  printf '\n```\n\n'
  # Without a terminal, all output except the table is progress.
  "$bin/loadtest" mix "$@" > "$out/text" || true
  sed -n '/^| CPU for each /,$p' "$out/text"
}

printf '### Machine\n\n'
printf -- '- %s\n' \
  "$(lscpu | sed -n 's/^Model name: *//p;s/^CPU family: */family /p' | paste -sd' ') × $(nproc), $(awk '/MemTotal/ {printf "%.0f GB", $2 / 1e6}' /proc/meminfo)" \
  "Linux $(uname -r), $(. /etc/os-release && echo "$PRETTY_NAME")" \
  "$(swift --version 2>/dev/null | grep -o 'Swift version [^ ]*' | head -1), release build of $(git rev-parse --short HEAD)" \
  "ffmpeg $(dpkg-query -W -f='${Version}' ffmpeg 2>/dev/null), x264 $(dpkg-query -W -f='${Version}' libx264-164 2>/dev/null), libyuv $(dpkg-query -W -f='${Version}' libyuv0 2>/dev/null)" \
  "load before: $(cut -d' ' -f1-3 /proc/loadavg)"

measure "$programs programs" --start --programs "$programs" --sources 2 --size 720x1280 --fps 24 --seconds "$seconds"

measure "$programs programs of the same sources" --start --programs "$programs" --sources 2 --size 720x1280 --fps 24 \
  --seconds "$seconds" --shared

if $more; then
  measure "One program" --start --programs 1 --sources 2 --size 720x1280 --fps 24 --seconds "$seconds"
  measure "One program of four sources" --start --programs 1 --sources 4 --size 1280x720 --source-size 640x360 --fps 24 \
    --seconds "$seconds"
  measure "Sources that are scaled" --start --programs 1 --sources 2 --size 720x1280 --source-size 540x960 \
    --source-kbps 1200 --fps 24 --seconds "$seconds"
fi

if $profile; then
  printf '\n### Where the time goes\n\n```\n'
  address=127.0.0.1
  export ROOMSERVER_KEY=mix ROOMSERVER_SECRET=a-secret-for-the-length-of-one-measurement
  "$bin/roomserver" serve --bind "$address" --port 18099 --rtmp-port 18098 --media-port 0 --auto-create --joins-per-second 1000 \
    --log-level error 2> "$out/log" &
  server=$!
  trap 'kill "$server" 2> /dev/null; rm -rf "$out"' EXIT
  sleep 1
  "$bin/loadtest" mix --url "ws://$address:18099/v1/signal" --server-pid "$server" --programs "$programs" \
    --seconds "$seconds" --json > "$out/json" &
  bots=$!
  # Samples only the measurement window, which starts a few seconds after the jobs.
  while [ "$(curl -s "http://$address:18099/metrics" | awk '$1 == "roomserver_jobs" {print $2}')" != "$programs" ]; do
    kill -0 "$bots" || exit 1
    sleep 0.2
  done
  sleep 5
  perf record -q -e cpu-clock -F 1999 -g -p "$server" -o "$out/perf" -- sleep $((${seconds%.*} - 3)) > /dev/null 2>&1
  wait "$bots" || true
  for key in dso symbol; do
    perf report -i "$out/perf" --stdio --no-children -g none --percent-limit 0.4 --sort $key 2> /dev/null |
      grep -v '^#' | grep -v '^ *$'
    echo
  done
  printf '```\n'
  kill "$server"
  wait "$server" || true
fi
