#!/usr/bin/env bash
# Plays a PK of four rooms on three nodes whose leading node is killed (KilledBattleTests), 50 times, and then each room's stream as its
# audience got it, in ffmpeg, VLC and hls.js. Prints both tables of docs/pk.md. Exits with 1 if a round fails, or a player does not play a
# stream to its end without errors. Requires what deploy/install-packages.sh --tests installs. Installs VLC from apt, and Python packages
# into .venv/players.
#
#   Benchmarks/battle.sh                   50 rounds, and all players (about 30 minutes)
#   Benchmarks/battle.sh 3                 fewer rounds
#   RECORDINGS=FOLDER Benchmarks/battle.sh keeps the streams in this folder
#   BIN=.build/debug Benchmarks/battle.sh  with the tests that are there
. "$(dirname "$0")/measuring.sh"

rounds=${1:-50}
[[ $# -le 1 && $rounds =~ ^[1-9][0-9]*$ ]] || usage
. Benchmarks/players/install.sh libvlc5 vlc-plugin-base
bin=${BIN:-}
if [ -z "$bin" ]; then
  swift build --build-tests >&2
  bin=$(swift build --show-bin-path)
fi
recordings=$(realpath -m "${RECORDINGS:-$out/recordings}")
printf -- '- %s\n' \
  "$(lscpu | sed -n 's/^Model name: *//p') × $(nproc), load before: $(cut -d' ' -f1-3 /proc/loadavg)" \
  "$(ffmpeg -version | sed -n '1s/^ffmpeg version \([^ ]*\).*/ffmpeg \1/p'), VLC $(version libvlc5), $("$CHROMIUM" --version 2> /dev/null), hls.js $hls_js_version"

good=0
export ROOMSERVER_LONG_TESTS=yes ROOMSERVER_ROUNDS=$rounds ROOMSERVER_RECORDINGS=$recordings
loadtest/own-network.sh "$bin/roomserverPackageTests.xctest" --testing-library swift-testing --no-parallel \
  --filter KilledBattleTests 2>&1 | tee "$out/text" >&2 || good=1
sed -n '/ rounds, least, median and most /,/^| longest wait for gold/p' "$out/text"
loadtest/own-network.sh $venv/bin/python Benchmarks/players/recordings.py "$recordings" --hls-js "$hls_js" || good=1
exit $good
