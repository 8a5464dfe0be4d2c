#!/usr/bin/env bash
# Builds and runs a small app that depends on RoomClient alone, and checks which packages it fetches.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

# Kept between runs, because the first build compiles SwiftNIO and BoringSSL.
app=$root/.build/embedding
mkdir -p "$app"
cp -R "$here/Package.swift" "$here/Sources" "$app/"
ln -sfn "$root" "$app/roomserver"

output=$(swift run --disable-index-store --package-path "$app" App)
printf '%s\n' "$output"
grep -q "^not connected:" <<<"$output"

allowed='roomserver|yams|swift-(nio|nio-ssl|log|atomics|collections|system)'
for checkout in "$app"/.build/checkouts/*; do
  name=$(basename "$checkout" | tr '[:upper:]' '[:lower:]')
  grep -qxE "$allowed" <<<"$name" || { echo "error: the app fetches $name, which RoomClient does not need"; exit 1; }
done
printf 'packages fetched: %d\n' "$(ls "$app/.build/checkouts" | wc -l)"
