#!/usr/bin/env bash
# Measures what live viewers cost this server and Debian's nginx with its RTMP module, with the same bots, and prints it as Markdown:
# the section "Watching" of docs/performance/viewers.md. Requires a quiet machine, `apt-get install ffmpeg nginx libnginx-mod-rtmp`, room for
# as many descriptors as viewers (ulimit -Hn), and for the profile perf (linux-perf) and root.
#
#   Benchmarks/viewers.sh                  five pairs of 1000 viewers by RTMP for 20 s, three runs by HTTP-FLV (about 10 minutes)
#   PAIRS=1 SECONDS_EACH=5 COUNT=200 Benchmarks/viewers.sh
#   Benchmarks/viewers.sh --more           also other numbers of viewers
#   Benchmarks/viewers.sh --profile        also profiles the server; SECONDS_EACH is 5 or more
#
# The chart is written to docs/images/viewers.svg.
set -euo pipefail
cd "$(dirname "$0")/.."

pairs=${PAIRS:-5}
seconds=${SECONDS_EACH:-20}
count=${COUNT:-1000}
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
  printf '\n### %s\n\n```\nloadtest viewers' "$title"
  printf ' %s' "$@"
  printf '\n```\n\n'
  # Without a terminal, all output except the table is progress.
  "$bin/loadtest" viewers "$@" > "$out/text" || true
  sed -n '/^| run /,$p' "$out/text"
}

printf '### Machine\n\n'
printf -- '- %s\n' \
  "$(lscpu | sed -n 's/^Model name: *//p;s/^CPU family: */family /p' | paste -sd' ') × $(nproc), $(awk '/MemTotal/ {printf "%.0f GB", $2 / 1e6}' /proc/meminfo)" \
  "Linux $(uname -r), $(. /etc/os-release && echo "$PRETTY_NAME")" \
  "$(swift --version 2>/dev/null | grep -o 'Swift version [^ ]*' | head -1), release build of $(git rev-parse --short HEAD)" \
  "nginx $(dpkg-query -W -f='${Version}' nginx 2>/dev/null), libnginx-mod-rtmp $(dpkg-query -W -f='${Version}' libnginx-mod-rtmp 2>/dev/null), libmicrohttpd $(dpkg-query -W -f='${Version}' libmicrohttpd12 2>/dev/null)" \
  "load before: $(cut -d' ' -f1-3 /proc/loadavg)"

measure "RTMP, $pairs pairs" --protocol rtmp --start --target roomserver --target nginx --pairs "$pairs" --count "$count" \
  --seconds "$seconds" --chart docs/images/viewers.svg

measure "HTTP-FLV" --protocol flv --start --target roomserver --pairs "$(((pairs + 1) / 2))" --count "$count" \
  --seconds "$seconds"

if $more; then
  for some in 100 300 2000; do
    measure "RTMP, $some viewers" --protocol rtmp --start --target roomserver --target nginx --pairs 1 --count "$some" \
      --seconds "$seconds"
  done
fi

if $profile; then
  printf '\n### Where the time goes\n\n'
  address=127.0.0.1
  export ROOMSERVER_KEY=viewers ROOMSERVER_SECRET=a-secret-for-the-length-of-one-measurement
  "$bin/roomserver" serve --bind "$address" --port 18098 --rtmp-port 18097 --media-port 0 --open-publish --log-level error \
    --http-per-address 0 --rtmp-per-address 0 \
    2> "$out/log" &
  server=$!
  trap 'kill "$server" 2> /dev/null; rm -rf "$out"' EXIT
  sleep 1
  for protocol in rtmp flv; do
    play=()
    [ $protocol = rtmp ] || play=(--play-url "http://$address:18098/live/flv.flv")
    "$bin/loadtest" viewers --protocol $protocol --publish-url "rtmp://$address:18097/live/$protocol" "${play[@]}" \
      --server-pid "$server" --count "$count" --seconds "$seconds" --json > "$out/json" &
    bots=$!
    # 200 viewers join per second, after three seconds of the stream alone; the window starts two seconds later.
    sleep $((3 + count / 200 + 4))
    perf record -q -e cpu-clock -F 1999 -g -p "$server" -o "$out/perf" -- sleep $((${seconds%.*} - 4)) > /dev/null 2>&1
    wait "$bots" || true
    printf '%s:\n\n```\n' $protocol
    perf report -i "$out/perf" --stdio --no-children -g none --percent-limit 0.7 --sort symbol 2> /dev/null |
      grep -v '^#' | grep -v '^ *$'
    printf '```\n\n'
  done
  kill "$server"
  wait "$server" || true
fi
