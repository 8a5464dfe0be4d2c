#!/usr/bin/env bash
# Measures transfers of data channels over raw SCTP packets on 127.0.0.1, without DTLS: between ends of this project, usrsctp and
# aiortc, in both roles. Prints Markdown: the tables of docs/data-channels.md. Requires gcc, libusrsctp-dev and aiortc
# (deploy/install-packages.sh --tests).
#
#   Benchmarks/sctp.sh                          100 MB in messages of 16 KiB, 10 MB where both ends are aiortc
#   Benchmarks/sctp.sh "ours usrsctp"           one sender and its receiver
#   LOSS=0.05 Benchmarks/sctp.sh                over a link that loses 5 % of the packets of both directions, and delays as many so that
#                                               others overtake them; with a round trip of 10 ms, or twice DELAY
#   BIN=FOLDER Benchmarks/sctp.sh               uses sctp-peer in a folder instead of building it
#   MEGABYTES=10 SIZE=65536 Benchmarks/sctp.sh  10 MB in messages of 64 KiB
set -euo pipefail
cd "$(dirname "$0")/.."
[ -n "${BIN:-}" ] || ROOMSERVER_MODULE=sctp-peer swift build -c release --scratch-path .build-module --product sctp-peer >&2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
gcc -std=c11 -D_GNU_SOURCE -O2 loadtest/SCTPPeers/usrsctp_peer.c -o "$out/usrsctp_peer" -lusrsctp -lpthread
python=.venv/bin/python
[ -x "$python" ] || python=python3
ours=${BIN:-.build-module/release}/sctp-peer

declare -A peers=(
  [ours]=$ours
  [usrsctp]=$out/usrsctp_peer
  [aiortc]="$python loadtest/SCTPPeers/aiortc_peer.py"
)
port=$((20000 + RANDOM % 20000))

# run SENDER RECEIVER: prints a row.
run() {
  local bytes=$((${MEGABYTES:-100} * 1000000)) near=$port far=$((port + 1)) sink link='' to_far to_near
  to_far=$far to_near=$near
  port=$((port + 4))
  if [ "$1 $2" = "aiortc aiortc" ]; then bytes=$((bytes / 10)); fi
  if [ -n "${LOSS:-}" ]; then
    to_far=$((near + 2)) to_near=$((near + 3))
    $ours link $near $to_far $far $to_near "$LOSS" "${DELAY:-5}" "$LOSS" &
    link=$!
  fi
  ${peers[$2]} $far $to_near sink $bytes > "$out/sink" &
  sink=$!
  timeout "${LIMIT:-1200}" ${peers[$1]} $near $to_far source $bytes "${SIZE:-16384}" > "$out/source" || echo "the transfer has not ended" >&2
  sleep 0.2
  kill $sink $link 2> /dev/null || true
  wait $sink $link 2> /dev/null || true
  "$python" - "$1" "$2" "$out/source" "$out/sink" << 'PYTHON'
import json, sys

sender, receiver = sys.argv[1:3]
try:
    source, sink = (json.load(open(path)) for path in sys.argv[3:])
except ValueError:
    print(f"| {sender} | {receiver} | | not in time | | |")
    sys.exit()
megabytes = source["bytes"] / 1e6
rate = megabytes / source["seconds"]
print(
    f"| {sender} | {receiver} | {megabytes:.0f} MB | {rate:.{0 if rate > 10 else 2}f} MB/s "
    f"| {source['cpu'] / megabytes * 1000:.1f} ms | {sink['cpu'] / megabytes * 1000:.1f} ms |"
)
PYTHON
}

echo "| sender | receiver | transfer | rate | CPU of the sender for 1 MB | CPU of the receiver for 1 MB |"
echo "|---|---|---|---|---|---|"
if [ $# -gt 0 ]; then
  for pair; do run $pair; done
  exit
fi
for sender in ours usrsctp aiortc; do
  for receiver in ours usrsctp aiortc; do run $sender $receiver; done
done
