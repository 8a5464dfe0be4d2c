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

packages=(mpv libvlc5 vlc-plugin-base)
absent=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null | grep -qx installed || absent+=("$package")
done
if ((${#absent[@]} > 0)); then
  root=()
  [ "$(id -u)" -eq 0 ] || root=(sudo)
  "${root[@]}" apt-get update -q >&2
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${absent[@]}" >&2 < /dev/null
fi

venv=.venv/players
if [ ! -x $venv/bin/python ]; then
  /usr/bin/python3 -m venv $venv
  $venv/bin/pip install -q --disable-pip-version-check av==18.1.0 python-vlc==3.0.21203 numpy >&2
fi
# The wheel of gradio contains hls.js as a single module.
if ! compgen -G "$venv/hls-*.js" > /dev/null; then
  wheel=$out/wheel
  $venv/bin/pip download -q --disable-pip-version-check --no-deps --dest "$wheel" gradio==6.31.0 >&2
  $venv/bin/python -c 'import sys, zipfile
for name in (wheel := zipfile.ZipFile(sys.argv[1])).namelist():
    if name.startswith("gradio/templates/frontend/assets/hls-") and name.endswith(".js"):
        open(sys.argv[2] + "/" + name.rsplit("/", 1)[1], "wb").write(wheel.read(name))' "$wheel"/gradio-*.whl $venv
fi

if [ -z "${PROGRAM:-}" ] || [ -z "${LOADTEST:-}" ]; then build; fi
CHROMIUM=$(deploy/chromium.sh)
export CHROMIUM
printf -- '- %s\n' \
  "$(lscpu | sed -n 's/^Model name: *//p') × $(nproc), load before: $(cut -d' ' -f1-3 /proc/loadavg)" \
  "$(ffmpeg -version | sed -n '1s/^ffmpeg version \([^ ]*\).*/ffmpeg \1/p'), PyAV 18.1.0 (libavformat 62), $(mpv --version | sed -n '1s/ Copyright.*//p')" \
  "VLC $(version libvlc5), GStreamer $(version libgstreamer1.0-0)" \
  "$("$CHROMIUM" --version 2> /dev/null), hls.js $(grep -o '1\.[0-9]*\.[0-9]*' $venv/hls-*.js | sort | uniq -c | sort -rn | awk 'NR==1 {print $2}')"
$venv/bin/python Benchmarks/players/run.py --program "${PROGRAM:-$bin/roomserver}" --loadtest "${LOADTEST:-$bin/loadtest}" \
  --hls-js $venv/hls-*.js "$@"
