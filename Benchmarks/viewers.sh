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
. "$(dirname "$0")/measuring.sh"

pairs=${PAIRS:-5}
seconds=${SECONDS_EACH:-20}
count=${COUNT:-1000}
flags more profile -- "$@"
build

machine nginx=nginx libnginx-mod-rtmp=libnginx-mod-rtmp libmicrohttpd=libmicrohttpd12

measure "RTMP, $pairs pairs" viewers --protocol rtmp --start --target roomserver --target nginx --pairs "$pairs" --count "$count" \
  --seconds "$seconds" --chart docs/images/viewers.svg

measure "HTTP-FLV" viewers --protocol flv --start --target roomserver --pairs "$(((pairs + 1) / 2))" --count "$count" \
  --seconds "$seconds"

if $more; then
  for some in 100 300 2000; do
    measure "RTMP, $some viewers" viewers --protocol rtmp --start --target roomserver --target nginx --pairs 1 --count "$some" \
      --seconds "$seconds"
  done
fi

if $profile; then
  printf '\n### Where the time goes\n\n'
  serve 18098 --rtmp-port 18097 --open-publish --http-per-address 0 --rtmp-per-address 0
  for protocol in rtmp flv; do
    play=()
    [ $protocol = rtmp ] || play=(--play-url http://127.0.0.1:18098/live/flv.flv)
    load viewers --protocol $protocol --publish-url "rtmp://127.0.0.1:18097/live/$protocol" "${play[@]}" --count "$count" \
      --seconds "$seconds"
    # 200 viewers join per second, after three seconds of the stream alone; the window starts two seconds later.
    sleep $((3 + count / 200 + 4))
    sample $((${seconds%.*} - 4))
    printf '%s:\n\n```\n' $protocol
    hottest symbol 0.7
    printf '```\n\n'
  done
fi
