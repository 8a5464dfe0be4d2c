#!/usr/bin/env bash
# Measures what hostile peers cost a server, and prints it as Markdown: the sections "Hostile peers" and "Acknowledged changes" of
# docs/performance/robustness.md.
# Requires Python 3 and 5,000 descriptors (ulimit -Hn).
#
#   Benchmarks/attack.sh                          all parts (about 5 minutes)
#   Benchmarks/attack.sh memory                   memory: peers without a token that send and never read
#   Benchmarks/attack.sh slow                     slow: 5,000 slow HTTP connections from one address
#   Benchmarks/attack.sh durability               durability: the cost of acknowledged changes, and 100 kills right after a response
#   Benchmarks/attack.sh --program FILE [part…]   with an existing executable instead of a release build
#   SECONDS_EACH=8 COUNT=5000 Benchmarks/attack.sh
. "$(dirname "$0")/measuring.sh"

seconds=${SECONDS_EACH:-8}
count=${COUNT:-5000}
program=
parts=()
while [ $# -gt 0 ]; do
  case $1 in
    memory | slow | durability) parts+=("$1") ;;
    --program)
      program=${2:?--program needs a file}
      shift
      ;;
    *) usage ;;
  esac
  shift
done
[ ${#parts[@]} -gt 0 ] || parts=(memory slow durability)

if [ -z "$program" ]; then
  build roomserver
  program=$bin/roomserver
fi
ulimit -n "$(ulimit -Hn)"

# Starts a server with its defaults on free ports: $server, $http, $rtmp.
start() {
  read -r http rtmp < <(python3 Benchmarks/attack/peers.py ports 2)
  serve "$http" --rtmp-port "$rtmp" --data none
  python3 Benchmarks/attack/peers.py wait "$rtmp"
}

memory() {
  printf '\n### Peers that send and never read\n\nOne connection without a token for each line, for %s s.\n\n' "$seconds"
  start
  python3 Benchmarks/attack/memory.py --pid "$server" --http "$http" --rtmp "$rtmp" --seconds "$seconds"
  stop
}

slow() {
  printf '\n### Slow connections\n\n%s connections from 127.0.0.2, a byte of a header each second; `/healthz` from 127.0.0.1.\n\n' "$count"
  start
  python3 Benchmarks/attack/slow.py --pid "$server" --http "$http" --count "$count" --seconds "$seconds"
  stop
}

durability() {
  printf '\n### Acknowledged changes\n\n'
  python3 Benchmarks/attack/durability.py --program "$program"
}

for part in "${parts[@]}"; do "$part"; done
