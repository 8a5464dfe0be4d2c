#!/usr/bin/env bash
# Measures what forwarding costs this server and Debian's Janus, with the same bots, and prints it as Markdown: the tables of
# docs/performance/forwarding.md. Requires a quiet machine, `apt-get install janus`, and for the profile perf (linux-perf) and root.
#
#   Benchmarks/fanout.sh                  five pairs of 200 subscribers for 20 s (about 8 minutes), AEAD_AES_128_GCM
#   PAIRS=1 SECONDS_EACH=5 Benchmarks/fanout.sh
#   Benchmarks/fanout.sh --more           also AES_CM, WHEP, viewers with transport-wide feedback, other numbers of subscribers
#   Benchmarks/fanout.sh --profile        also profiles the server; SECONDS_EACH is 5 or more
#
# The chart is written to docs/images/fanout.svg.
set -euo pipefail
cd "$(dirname "$0")/.."

pairs=${PAIRS:-5}
seconds=${SECONDS_EACH:-20}
subscribers=${SUBSCRIBERS:-200}
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

# Prints a measurement with its command. Losses make loadtest fail; the table lists them.
measure() {
  local title=$1
  shift
  printf '\n### %s\n\n```\nloadtest fanout' "$title"
  printf ' %s' "$@"
  printf '\n```\n\n'
  # Without a terminal, all output except the table is progress.
  loadtest/own-network.sh "$bin/loadtest" fanout "$@" > "$out/text" || true
  sed -n '/^| run /,$p' "$out/text"
}

printf '### Machine\n\n'
printf -- '- %s\n' \
  "$(lscpu | sed -n 's/^Model name: *//p;s/^CPU family: */family /p' | paste -sd' ') × $(nproc), $(awk '/MemTotal/ {printf "%.0f GB", $2 / 1e6}' /proc/meminfo)" \
  "Linux $(uname -r), $(. /etc/os-release && echo "$PRETTY_NAME")" \
  "$(swift --version 2>/dev/null | grep -o 'Swift version [^ ]*' | head -1), release build of $(git rev-parse --short HEAD)" \
  "OpenSSL $(dpkg-query -W -f='${Version}' libssl3 2>/dev/null), Janus $(dpkg-query -W -f='${Version}' janus 2>/dev/null), libsrtp2 $(dpkg-query -W -f='${Version}' libsrtp2-1 2>/dev/null)" \
  "load before: $(cut -d' ' -f1-3 /proc/loadavg)"

measure "$pairs pairs, AEAD_AES_128_GCM" --start --target roomserver --target janus --pairs "$pairs" \
  --subscribers "$subscribers" --seconds "$seconds" --chart docs/images/fanout.svg

measure "The same without GSO" --start --target roomserver --target janus --pairs "$(((pairs + 1) / 2))" \
  --roomserver-argument=--no-segmentation --subscribers "$subscribers" --seconds "$seconds"

if $more; then
  measure "AES_CM_128_HMAC_SHA1_80" --start --target roomserver --target janus --pairs 1 --profile cm \
    --subscribers "$subscribers" --seconds "$seconds"
  measure "Viewers by WHEP" --start --target whep --pairs 1 --subscribers "$subscribers" --seconds "$seconds"
  measure "Viewers that send transport-wide feedback every 100 ms" --start --target roomserver --target janus --pairs 1 \
    --feedback 100 --subscribers "$subscribers" --seconds "$seconds"
  for count in 10 50 500; do
    measure "$count subscribers" --start --target roomserver --pairs 1 --subscribers "$count" --seconds "$seconds"
  done
fi

if $profile; then
  printf '\n### Where the time goes\n\n```\n'
  address=127.0.0.1
  export ROOMSERVER_KEY=fanout ROOMSERVER_SECRET=a-secret-for-the-length-of-one-measurement
  "$bin/roomserver" serve --bind "$address" --port 18099 --media-port 0 --auto-create --joins-per-second 1000 \
    --log-level error 2> "$out/log" &
  server=$!
  trap 'kill "$server" 2> /dev/null; rm -rf "$out"' EXIT
  sleep 1
  "$bin/loadtest" fanout --url "ws://$address:18099/v1/signal" --server-pid "$server" --subscribers "$subscribers" \
    --seconds "$seconds" --json > "$out/json" &
  bots=$!
  # Samples only the measurement window: from the end of the joins until the bots stop.
  while [ "$(curl -s "http://$address:18099/metrics" | awk '$1 == "roomserver_subscriptions" {print $2}')" != $((2 * subscribers)) ]
  do
    kill -0 "$bots" || exit 1
    sleep 0.2
  done
  sleep 3
  perf record -q -e cpu-clock -F 1999 -g -p "$server" -o "$out/perf" -- sleep $((${seconds%.*} - 3)) > /dev/null 2>&1
  wait "$bots"
  perf report -i "$out/perf" --stdio --no-children -g none --percent-limit 0.7 --sort symbol 2> /dev/null |
    grep -v '^#' | grep -v '^ *$'
  printf '```\n'
  kill "$server"
  wait "$server" || true
fi
