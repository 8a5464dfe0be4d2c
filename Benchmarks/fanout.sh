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
. "$(dirname "$0")/measuring.sh"

pairs=${PAIRS:-5}
seconds=${SECONDS_EACH:-20}
subscribers=${SUBSCRIBERS:-200}
flags more profile -- "$@"
build
network=(loadtest/own-network.sh)

machine OpenSSL=libssl3 Janus=janus libsrtp2=libsrtp2-1

measure "$pairs pairs, AEAD_AES_128_GCM" fanout --start --target roomserver --target janus --pairs "$pairs" \
  --subscribers "$subscribers" --seconds "$seconds" --chart docs/images/fanout.svg

measure "The same without GSO" fanout --start --target roomserver --target janus --pairs "$(((pairs + 1) / 2))" \
  --roomserver-argument=--no-segmentation --subscribers "$subscribers" --seconds "$seconds"

if $more; then
  measure "AES_CM_128_HMAC_SHA1_80" fanout --start --target roomserver --target janus --pairs 1 --profile cm \
    --subscribers "$subscribers" --seconds "$seconds"
  measure "Viewers by WHEP" fanout --start --target whep --pairs 1 --subscribers "$subscribers" --seconds "$seconds"
  measure "Viewers that send transport-wide feedback every 100 ms" fanout --start --target roomserver --target janus --pairs 1 \
    --feedback 100 --subscribers "$subscribers" --seconds "$seconds"
  for count in 10 50 500; do
    measure "$count subscribers" fanout --start --target roomserver --pairs 1 --subscribers "$count" --seconds "$seconds"
  done
fi

if $profile; then
  printf '\n### Where the time goes\n\n```\n'
  serve 18099 --auto-create --joins-per-second 1000
  load fanout --url ws://127.0.0.1:18099/v1/signal --subscribers "$subscribers" --seconds "$seconds"
  # Samples only the measurement window: from the end of the joins until the bots stop.
  reaches 18099 roomserver_subscriptions $((2 * subscribers))
  sleep 3
  sample $((${seconds%.*} - 3))
  hottest symbol 0.7
  printf '```\n'
fi
