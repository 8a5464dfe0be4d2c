#!/usr/bin/env bash
# Checks a small app that depends on RoomClient alone: that its package graph loads beside packages and modules of other names and
# versions, and which packages it fetches.
#
#   run.sh          checks the package graph, some seconds
#   run.sh --build  also builds and runs the app: this compiles SwiftNIO and BoringSSL again, some minutes
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

# Kept between runs, because the first build compiles SwiftNIO and BoringSSL.
app=$root/.build/embedding
mkdir -p "$app"
cp -R "$here/Package.swift" "$here/Sources" "$app/"
ln -sfn "$root" "$app/roomserver"

# Unlike `resolve`, this loads the graph of all modules, and so finds those whose names collide.
swift package --package-path "$app" show-dependencies
if [[ ${1:-} == --build ]]; then
  output=$(swift run --disable-index-store --package-path "$app" App)
  printf '%s\n' "$output"
  grep -q "^not connected:" <<<"$output"
fi

allowed='roomserver|yams|swift-(nio|nio-ssl|log|atomics|collections|system)'
for checkout in "$app"/.build/checkouts/*; do
  name=$(basename "$checkout" | tr '[:upper:]' '[:lower:]')
  grep -qxE "$allowed" <<<"$name" || { echo "error: the app fetches $name, which RoomClient does not need"; exit 1; }
done
printf 'packages fetched: %d\n' "$(ls "$app/.build/checkouts" | wc -l)"
