#!/usr/bin/env bash
# Measures what each video encoder costs for a moving picture on one core, and prints it as Markdown: the table of
# docs/performance/mixing.md. Builds only what it needs, in a folder of its own (about 2 minutes, once).
set -euo pipefail
cd "$(dirname "$0")/.."
ROOMSERVER_MODULE=encoder-costs swift build -c release --scratch-path .build-module --product encoder-costs >&2
exec .build-module/release/encoder-costs "$@"
