#!/usr/bin/env bash
# Measures what effects, voice processing, playout and the studio cost for 10 ms of sound, and prints it as Markdown: the table of
# docs/performance/mixing.md. Builds only what it needs, in a folder of its own (about 2 minutes, once).
set -euo pipefail
cd "$(dirname "$0")/.."
ROOMSERVER_MODULE=sound-costs swift build -c release --scratch-path .build-module --product sound-costs >&2
exec .build-module/release/sound-costs
