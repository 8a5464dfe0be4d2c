#!/usr/bin/env bash
# Builds the wheel of the Python package `roomclient`, with the library in it, and prints its path.
#
#   deploy/build-wheel.sh [--debug] [OUTPUT-FOLDER]
#
# The output folder is .build-client/wheel by default. PYTHON selects the interpreter, which needs setuptools 70.1 or newer. With
# --debug the wheel contains the debug build of .build, for tests on this machine.
set -euo pipefail
cd "$(dirname "$0")/.."

debug=()
if [[ ${1:-} == --debug ]]; then debug=(--debug); shift; fi
output=${1:-.build-client/wheel}
mkdir -p "$output"
output=$(cd "$output" && pwd)
python=${PYTHON:-python3}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
deploy/install-client.sh "${debug[@]}" --prefix "$work/install" >&2
cp -R Sources/ClientLibrary/python "$work/package"
install -D -m 755 "$work/install/lib/libroomclient.so.0" "$work/package/src/roomclient/lib/libroomclient.so.0"
# setuptools of the interpreter itself, so that nothing is downloaded.
"$python" -m pip wheel --quiet --no-deps --no-build-isolation --disable-pip-version-check --wheel-dir "$output" "$work/package" >&2
ls "$output"/roomclient-*.whl
