#!/usr/bin/env bash
# Installs the build's dependencies with apt; with --tests, also Chromium and the Python tools of the interop tests, the latter into
# .venv and .venv-agents. Does nothing if everything is already installed.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  build-essential pkg-config
  libsrtp2-dev libssl-dev libopus-dev libvpx-dev libaom-dev libx264-dev libyuv-dev libmicrohttpd-dev libgnutls28-dev libsqlite3-dev zlib1g-dev
  libavcodec-dev libavformat-dev libavutil-dev libswresample-dev
  # Sound devices, echo cancellation and noise suppression of apps with RoomSound.
  libpulse-dev libsoundtouch-dev libwebrtc-audio-processing-dev libasound2-dev
  # Screens of apps with RoomCapture.
  libxcb1-dev libxcb-shm0-dev libxcb-randr0-dev libxcb-composite0-dev libxcb-xfixes0-dev
  # SRT. The flavour with GnuTLS, because libavformat loads it, and both have the same symbols.
  libsrt-gnutls-dev
  # Text in mixed pictures.
  libfreetype-dev fonts-dejavu-core
)
# Media is encrypted in half of OpenSSL's time. Debian has the library for x86 alone.
if [ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ]; then packages+=(libipsec-mb-dev); fi
# Package.swift lists the same packages.
if [ -n "${ROOMSERVER_OPENH264:-}" ]; then packages+=(libopenh264-dev); fi
tests=false
case ${1:-} in
  --tests)
    tests=true
    packages+=(ca-certificates coturn ffmpeg python3 python3-venv)
    # Third-party RTMP servers and clients.
    packages+=(nginx libnginx-mod-rtmp rtmpdump)
    # A third-party WHEP viewer.
    packages+=(gstreamer1.0-tools gstreamer1.0-plugins-{base,good,bad} gstreamer1.0-nice python3-gi gir1.2-gst-plugins-{base,bad}-1.0)
    # A third-party RTSP server.
    packages+=(gir1.2-gst-rtsp-server-1.0)
    # Tests check the unit in deploy/ with systemd, and deploy/nginx with an nginx with TLS. The docs use sqlite3 for backups.
    packages+=(systemd openssl curl sqlite3)
    # A third-party SRT relay.
    packages+=(srt-tools)
    # A third-party SCTP, and the compiler of the program around it.
    packages+=(libusrsctp-dev gcc libc6-dev)
    # Shows the stacks of a test that hangs.
    packages+=(gdb)
    # The check of the console: deploy/check-console.sh.
    packages+=(node-typescript eslint python3-yaml)
    # A display of the tests' own.
    packages+=(xvfb)
    # A sound server of the tests' own.
    packages+=(pulseaudio)
    # Reads the formats and controls of cameras.
    packages+=(v4l-utils)
    # Reads the QR codes of the console.
    packages+=(zbar-tools)
    # The store of a cluster.
    packages+=(redis-server)
    # Networks of the tests' own.
    packages+=(iproute2)
    # A third-party media server, which loadtest can measure too.
    packages+=(janus)
    ;;
  '') ;;
  *)
    echo "usage: deploy/install-packages.sh [--tests]" >&2
    exit 2
    ;;
esac

say() { printf '== %s\n' "$*"; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "Packages must be installed: run this once as root, or install sudo. Missing: ${absent[*]}" >&2
    exit 1
  fi
}

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

updated=false
# Installs the given packages that are missing.
install() {
  local package
  absent=()
  for package in "$@"; do is_installed "$package" || absent+=("$package"); done
  ((${#absent[@]} > 0)) || return 0
  if ! $updated; then
    say "apt-get update"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q
    updated=true
  fi
  say "apt-get install ${absent[*]}"
  # The tests start what they need; packages must not start services.
  local policy=/usr/sbin/policy-rc.d status=0
  if [ -e "$policy" ]; then
    policy=
  else
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod 755 "$policy"
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${absent[@]}" </dev/null || status=$?
  [ -z "$policy" ] || as_root rm -f "$policy"
  return $status
}

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "This is not a Debian or Ubuntu (no apt-get): install the equivalents of these by hand and build with 'swift build':" >&2
  echo "  ${packages[*]}" >&2
  exit 1
fi
install "${packages[@]}"
$tests || exit 0
# A test checks deploy/caddy with Caddy, and others play in Firefox and WebKit. Ubuntu lacks some of them, and these tests are skipped there.
for package in caddy firefox-esr webkit2gtk-driver; do
  if apt-cache show "$package" >/dev/null 2>&1; then install "$package"; fi
done

# Creates a Python environment, the first argument, and installs the given pip packages into it.
python_tools() {
  local environment=$1
  shift
  [ -x "$environment/bin/python" ] || { say "python3 -m venv $environment"; /usr/bin/python3 -m venv "$environment"; }
  "$environment/bin/python" -m pip install -q --disable-pip-version-check "$@"
}
# Installs a list of pip packages into an environment, unless that was done.
requirements() {
  cmp -s "$2" "$1/requirements.installed" && return
  say "Python tools of the tests, into $1"
  python_tools "$1" -r "$2"
  cp "$2" "$1/requirements.installed"
}
requirements .venv deploy/test-requirements.txt
requirements .venv-agents deploy/agent-requirements.txt

# Debian has a Chromium package. Ubuntu's package of that name installs a snap, so playwright's build is downloaded there, once.
[ -n "$(deploy/chromium.sh)" ] && exit 0
. /etc/os-release
case " ${ID:-} ${ID_LIKE:-} " in
  *" ubuntu "*)
    say "Chromium for the interop tests, by playwright, into .venv"
    # The version of playwright determines that of Chromium. Without root, it calls sudo to install Chromium's libraries.
    python_tools .venv playwright==1.65.2
    PLAYWRIGHT_BROWSERS_PATH=$PWD/.venv/browsers .venv/bin/python -m playwright install --with-deps chromium
    ;;
  *) install chromium ;;
esac
if [ -z "$(deploy/chromium.sh)" ]; then
  echo "No Chromium was found or installed; set CHROMIUM to the path of a Chromium or Chrome and run this again." >&2
  exit 1
fi
