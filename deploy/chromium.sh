#!/usr/bin/env bash
# Prints the path of the Chromium that the interop tests use, or nothing if there is none. CHROMIUM overrides the search.
cd "$(dirname "$0")/.." || exit 1
if [ -n "${CHROMIUM:-}" ]; then
  [ -x "$CHROMIUM" ] && echo "$CHROMIUM"
  exit 0
fi
for candidate in /usr/bin/chromium /usr/bin/google-chrome "$PWD"/.venv/browsers/chromium-*/chrome-linux*/chrome; do
  if [ -x "$candidate" ]; then
    echo "$candidate"
    exit 0
  fi
done
