#!/usr/bin/env bash
# Builds libroomclient and installs it with its headers and its pkg-config file.
#
#   deploy/install-client.sh [--prefix DIR] [--destdir DIR] [--debug]
#
# The prefix is /usr/local by default. The library contains the Swift runtime, so that the machine that runs it needs no Swift
# toolchain. With --debug the debug build of .build is installed, which uses the toolchain's runtime.
set -euo pipefail
cd "$(dirname "$0")/.."

prefix=/usr/local destdir='' configuration=release
usage() { sed -n '4p' "$0" | cut -c5-; }
while (($# > 0)); do
  case $1 in
    --prefix) prefix=${2:?$(usage)}; shift ;;
    --destdir) destdir=${2:?$(usage)}; shift ;;
    --debug) configuration=debug ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
[[ $prefix == /* ]] || { echo "error: --prefix is an absolute path" >&2; exit 2; }

deploy/check-toolchain.sh
if [[ $(swift --version 2>&1) =~ Swift\ version\ ([0-9]+)\.([0-9]+) ]] \
  && ((BASH_REMATCH[1] * 100 + BASH_REMATCH[2] < 603)); then
  echo "error: libroomclient needs Swift 6.3 or newer" >&2
  exit 1
fi

if [[ $configuration == debug ]]; then
  library=.build/debug/libroomclient.so
  # CI has built it with the tests.
  [[ -e $library ]] || swift build --product roomclient
else
  # Apart from .build: its modules are compiled for the static runtime.
  swift build -c release --product roomclient --scratch-path .build-client -Xswiftc -static-stdlib
  library=.build-client/release/libroomclient.so
fi

version=$(sed -nE 's/#define RC_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)/\2/p' Sources/ClientLibrary/C/include/roomclient/library.h \
  | paste -sd.)
target=$destdir$prefix
install -d "$target/lib/pkgconfig" "$target/include/roomclient"
if [[ $configuration == debug ]]; then
  install -m 755 "$library" "$target/lib/libroomclient.so.$version"
else
  install -m 755 -s "$library" "$target/lib/libroomclient.so.$version"
fi
ln -sfn "libroomclient.so.$version" "$target/lib/libroomclient.so.${version%%.*}"
ln -sfn "libroomclient.so.${version%%.*}" "$target/lib/libroomclient.so"
install -m 644 Sources/ClientLibrary/C/include/roomclient.h "$target/include/"
install -m 644 Sources/ClientLibrary/C/include/roomclient/*.h "$target/include/roomclient/"
cat >"$target/lib/pkgconfig/roomclient.pc" <<EOF
prefix=$prefix
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: roomclient
Description: Client of roomserver: rooms, tracks, studio, seats, PK, messages and streaming
Version: $version
Libs: -L\${libdir} -lroomclient
Cflags: -I\${includedir}
EOF
# The cache of the system's libraries. Without root, or in another prefix, set LD_LIBRARY_PATH or a run path.
if [[ -z $destdir && $(id -u) -eq 0 && $configuration == release ]]; then ldconfig; fi
echo "libroomclient $version is in $target"
# The packages of the C libraries, for the machines that run it.
if command -v dpkg-query >/dev/null; then
  echo "It needs: $(readelf -d "$library" | sed -nE 's/.*NEEDED.*\[(.*)\]/\1/p' | grep -v '^libswift' \
    | while read -r name; do dpkg-query -S "*/$name" 2>/dev/null | head -1 | cut -d: -f1; done | sort -u | paste -sd' ')"
fi
