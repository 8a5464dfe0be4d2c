#!/usr/bin/env bash
# Plays a broadcast with rounds of PK, each of which changes the picture's size twice, in ffmpeg, PyAV, mpv, VLC, GStreamer, Chromium
# and hls.js, and prints the result of each: the table of docs/origin.md. Exits with 1 if a player stalls, fails or clicks. Requires a quiet
# machine, and what deploy/install-packages.sh --tests installs. Installs VLC and mpv from apt, and Python packages into .venv/players.
#
#   Benchmarks/players.sh                              20 rounds over RTMP, HTTP-FLV and HLS (about 11 minutes)
#   Benchmarks/players.sh --rounds 3 --protocols hls   fewer rounds; --only VLC,ffmpeg selects players
#   Benchmarks/players.sh --size 360x640               anchors of the PK's size: the size does not change
#   Benchmarks/players.sh --variant 360_640_15         a variant of the stream, which keeps one size
#   PROGRAM=path/to/roomserver Benchmarks/players.sh   another server; LOADTEST selects other bots
. "$(dirname "$0")/measuring.sh"

. Benchmarks/players/install.sh mpv libvlc5 vlc-plugin-base
if [ -z "${PROGRAM:-}" ] || [ -z "${LOADTEST:-}" ]; then build; fi
printf -- '- %s\n' \
  "$(lscpu | sed -n 's/^Model name: *//p') × $(nproc), load before: $(cut -d' ' -f1-3 /proc/loadavg)" \
  "$(ffmpeg -version | sed -n '1s/^ffmpeg version \([^ ]*\).*/ffmpeg \1/p'), PyAV 18.1.0 (libavformat 62), $(mpv --version | sed -n '1s/ Copyright.*//p')" \
  "VLC $(version libvlc5), GStreamer $(version libgstreamer1.0-0)" \
  "$("$CHROMIUM" --version 2> /dev/null), hls.js $hls_js_version"
$venv/bin/python Benchmarks/players/run.py --program "${PROGRAM:-$bin/roomserver}" --loadtest "${LOADTEST:-$bin/loadtest}" \
  --hls-js "$hls_js" "$@"
