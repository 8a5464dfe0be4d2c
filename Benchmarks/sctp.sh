#!/usr/bin/env bash
# Measures transfers of data channels over raw SCTP packets on 127.0.0.1, without DTLS and without losses: between ends of this
# project, usrsctp and aiortc, in both roles. Prints Markdown: the table of docs/data-channels.md. Requires gcc, libusrsctp-dev and
# aiortc (deploy/install-packages.sh --tests).
#
#   Benchmarks/sctp.sh                          100 MB in messages of 16 KiB, 10 MB where both ends are aiortc
#   MEGABYTES=10 SIZE=65536 Benchmarks/sctp.sh  10 MB in messages of 64 KiB
set -euo pipefail
cd "$(dirname "$0")/.."
ROOMSERVER_MODULE=sctp-peer swift build -c release --scratch-path .build-module --product sctp-peer >&2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
gcc -std=c11 -D_GNU_SOURCE -O2 loadtest/SCTPPeers/usrsctp_peer.c -o "$out/usrsctp_peer" -lusrsctp -lpthread
python=.venv/bin/python
[ -x "$python" ] || python=python3

declare -A peers=(
  [ours]=.build-module/release/sctp-peer
  [usrsctp]=$out/usrsctp_peer
  [aiortc]="$python loadtest/SCTPPeers/aiortc_peer.py"
)
port=$((20000 + RANDOM % 20000))

# run SENDER RECEIVER: prints a row.
run() {
  local bytes=$((${MEGABYTES:-100} * 1000000)) near=$port far=$((port + 1)) sink
  port=$((port + 2))
  if [ "$1 $2" = "aiortc aiortc" ]; then bytes=$((bytes / 10)); fi
  ${peers[$2]} $far $near sink $bytes > "$out/sink" &
  sink=$!
  timeout 300 ${peers[$1]} $near $far source $bytes "${SIZE:-16384}" > "$out/source"
  sleep 0.2
  kill $sink 2> /dev/null || true
  wait $sink 2> /dev/null || true
  "$python" - "$1" "$2" "$out/source" "$out/sink" << 'PYTHON'
import json, sys

sender, receiver = sys.argv[1:3]
source, sink = (json.load(open(path)) for path in sys.argv[3:])
megabytes = source["bytes"] / 1e6
print(
    f"| {sender} | {receiver} | {megabytes:.0f} MB | {megabytes / source['seconds']:.0f} MB/s "
    f"| {source['cpu'] / megabytes * 1000:.1f} ms | {sink['cpu'] / megabytes * 1000:.1f} ms |"
)
PYTHON
}

echo "| sender | receiver | transfer | rate | CPU of the sender for 1 MB | CPU of the receiver for 1 MB |"
echo "|---|---|---|---|---|---|"
for sender in ours usrsctp aiortc; do
  for receiver in ours usrsctp aiortc; do run $sender $receiver; done
done
