#!/usr/bin/env bash
# Measures what a browser, and people who meet, get behind a bad link, from this server, Debian's Janus and an SFU on Pion, and prints
# it as Markdown: the tables of docs/performance/network.md. Requires a quiet machine, root or user namespaces, Chromium, `apt-get install janus`,
# and for Pion the network: Benchmarks/pion/build.sh fetches packages. PION=FILE uses an existing executable.
#
#   Benchmarks/network.sh                 five pairs of every scenario (about 3 hours)
#   PAIRS=1 SECONDS_EACH=20 Benchmarks/network.sh n1-thin n6-meeting-3
#
# SECONDS_EACH shortens the windows; n2, n7 and n8 need their own. The chart is written to docs/images/network.svg.
. "$(dirname "$0")/measuring.sh"

for argument; do [[ $argument != -* ]] || usage; done
build
CHROMIUM=$(deploy/chromium.sh)
export CHROMIUM

pion=${PION:-}
[ -n "$pion" ] || {
  Benchmarks/pion/build.sh "$out/pion" >&2
  pion=$out/pion/pion-sfu
}

machine Chromium=chromium Janus=janus libvpx=libvpx7

scenarios=("$@")
[ $# -gt 0 ] || scenarios=(all)
length=()
[ -z "${SECONDS_EACH:-}" ] || length=(--seconds "$SECONDS_EACH")
measure "${PAIRS:-5} pairs" network "${scenarios[@]}" --target roomserver --target janus --target janus-app --target pion \
  --pion "$pion" \
  --pairs "${PAIRS:-5}" "${length[@]}" --chart docs/images/network.svg
