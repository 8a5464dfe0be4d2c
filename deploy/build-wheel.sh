#!/usr/bin/env bash
# Builds the wheel of the Python package `roomclient`, with the library in it, and prints its path.
#
#   deploy/build-wheel.sh [--debug] [OUTPUT-FOLDER]
#
# The output folder is .build-client/wheel by default. PYTHON selects the interpreter, python3 by default: 3.9 or newer, with pip,
# and setuptools 70.1 or newer (or 61 with the package wheel, as Debian 12 has it). With --debug the wheel contains the debug build
# of .build, for tests on this machine.
set -euo pipefail
cd "$(dirname "$0")/.."

debug=()
if [[ ${1:-} == --debug ]]; then debug=(--debug); shift; fi
output=${1:-.build-client/wheel}
python=${PYTHON:-python3}
# Before the library is built, which takes minutes.
command -v "$python" >/dev/null || { echo "error: there is no $python: install Python 3.9 or newer, or set PYTHON" >&2; exit 1; }
"$python" -W ignore deploy/check-python.py
mkdir -p "$output"
output=$(cd "$output" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
deploy/install-client.sh "${debug[@]}" --prefix "$work/install" >&2
cp -R Sources/ClientLibrary/python "$work/package"
install -D -m 755 "$work/install/lib/libroomclient.so.0" "$work/package/src/roomclient/lib/libroomclient.so.0"
# setuptools of the interpreter itself, so that nothing is downloaded.
"$python" -m pip wheel --quiet --no-deps --no-build-isolation --disable-pip-version-check --wheel-dir "$work/wheel" "$work/package" >&2
# One path, also if the output folder has wheels of other versions.
for wheel in "$work"/wheel/roomclient-*.whl; do
  cp "$wheel" "$output/"
  echo "$output/${wheel##*/}"
done
