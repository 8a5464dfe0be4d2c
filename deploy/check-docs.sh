#!/usr/bin/env bash
# Compiles the documentation of the client libraries with DocC. Fails on a warning, such as a link to a symbol that does not exist.
# The pages are then in .build/plugins/Swift-DocC/outputs.
set -euo pipefail
cd "$(dirname "$0")/.."
export ROOMSERVER_DOCS=yes
for module in RoomProtocol RoomClient RoomMedia RoomStudio RoomStreaming; do
  swift package generate-documentation --target "$module" --warnings-as-errors
done
