#!/usr/bin/env bash
# Installs what the build needs from apt; with --tests, also a Chromium and the Python tools of the interop tests, the latter into
# .venv. Does nothing where all of it is there already.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  build-essential pkg-config
  libsrtp2-dev libssl-dev libopus-dev libvpx-dev libx264-dev libyuv-dev libmicrohttpd-dev libgnutls28-dev libsqlite3-dev
  libavcodec-dev libavformat-dev libavutil-dev libswresample-dev
  # Text in mixed pictures.
  libfreetype-dev fonts-dejavu-core
)
# Package.swift asks for the same.
if [ -n "${ROOMSERVER_OPENH264:-}" ]; then packages+=(libopenh264-dev); fi
tests=false
case ${1:-} in
  --tests)
    tests=true
    packages+=(ca-certificates coturn ffmpeg python3 python3-venv)
    # Somebody else's RTMP servers and clients.
    packages+=(nginx libnginx-mod-rtmp rtmpdump)
    # Somebody else's WHEP viewer.
    packages+=(gstreamer1.0-tools gstreamer1.0-plugins-{base,good,bad} gstreamer1.0-nice python3-gi gir1.2-gst-plugins-{base,bad}-1.0)
    # The unit of deploy/ is checked by systemd itself; deploy/nginx by an nginx with TLS. The docs back up with sqlite3.
    packages+=(systemd openssl curl sqlite3)
    # Tells where a test stands that does not end.
    packages+=(gdb)
    # Somebody else's media server, which the bots of loadtest load as well.
    packages+=(janus iproute2)
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
    echo "Packages have to be installed: run this once as root, or install sudo. Wanted: ${absent[*]}" >&2
    exit 1
  fi
}

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

updated=false
# Installs those of the named packages that are not there.
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
  # The tests start what they need themselves; no package is to start a service of its own.
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
# deploy/caddy is checked by a Caddy. Ubuntu 22.04 has none; that test is left out there.
if apt-cache show caddy >/dev/null 2>&1; then install caddy; fi

requirements=deploy/test-requirements.txt
stamp=.venv/requirements.installed
# Makes .venv and installs the named pip packages into it.
python_tools() {
  [ -x .venv/bin/python ] || { say "python3 -m venv .venv"; /usr/bin/python3 -m venv .venv; }
  .venv/bin/python -m pip install -q --disable-pip-version-check "$@"
}
if ! cmp -s "$requirements" "$stamp"; then
  say "Python tools of the tests, into .venv"
  python_tools -r "$requirements"
  cp "$requirements" "$stamp"
fi

# Debian has Chromium itself. Ubuntu's package of that name only leads to a snap, so there playwright's build is fetched, once.
[ -n "$(deploy/chromium.sh)" ] && exit 0
. /etc/os-release
case " ${ID:-} ${ID_LIKE:-} " in
  *" ubuntu "*)
    say "Chromium for the interop tests, by playwright, into .venv"
    # A version of playwright is a version of Chromium. Where it is not root, it calls sudo for the libraries that Chromium wants.
    python_tools playwright==1.65.2
    PLAYWRIGHT_BROWSERS_PATH=$PWD/.venv/browsers .venv/bin/python -m playwright install --with-deps chromium
    ;;
  *) install chromium ;;
esac
if [ -z "$(deploy/chromium.sh)" ]; then
  echo "No Chromium was found or installed; set CHROMIUM to the path of a Chromium or Chrome and start again." >&2
  exit 1
fi
