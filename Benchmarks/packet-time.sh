#!/usr/bin/env bash
# Measures where the time of a forwarded packet goes, in nanoseconds for each step, and prints it as Markdown: the table of
# docs/performance/forwarding.md. Requires a quiet machine, perf (linux-perf) and root.
#
#   Benchmarks/packet-time.sh             200 subscribers of 1 Mbit/s and a voice, 10 s
#   Benchmarks/packet-time.sh --feedback  the same with transport-wide feedback ten times a second
. "$(dirname "$0")/measuring.sh"

seconds=${SECONDS_EACH:-10}
subscribers=${SUBSCRIBERS:-200}
flags feedback -- "$@"
build
machine OpenSSL=libssl3 libipsec-mb=libipsec-mb1

serve 18099 --auto-create --joins-per-second 1000
interval=0
if $feedback; then interval=100; fi
load fanout --url ws://127.0.0.1:18099/v1/signal --subscribers "$subscribers" --seconds "$((seconds + 3))" --feedback "$interval"
reaches 18099 roomserver_subscriptions $((2 * subscribers))
sleep 3
sample "$seconds"
each=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["cpu_us_per_packet"])' "$out/json")
printf '\n'
perf script -i "$out/perf" -F comm,ip,sym,dso 2> /dev/null | python3 Benchmarks/records/packet_time.py "$each"
