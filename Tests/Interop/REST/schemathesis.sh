#!/usr/bin/env bash
# Checks a running server against api/openapi.yaml with schemathesis, for a minute and a half. Fails on a finding, or if the
# server does not stop cleanly. SCHEMATHESIS is the program's path; the default is the one in .venv, or on the PATH.
set -euo pipefail
cd "$(dirname "$0")/../../.."

schemathesis=${SCHEMATHESIS:-$([ -x .venv/bin/schemathesis ] && echo "$PWD/.venv/bin/schemathesis" || echo schemathesis)}
# SwiftPM is not asked for the path: it may be busy.
server=$PWD/.build/debug/roomserver
[ -x "$server" ] || swift build --product roomserver

work=$(mktemp -d)
pid=
finish() {
  if [ -n "$pid" ]; then kill "$pid" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap finish EXIT

export ROOMSERVER_KEY=schemathesis ROOMSERVER_SECRET=only-for-this-run-and-long-enough-for-hs256
: >"$work/log"
mkdir "$work/uploads"
# Push targets are unreachable, mixes leave some CPU free, and a room may be as large as the schema allows.
"$server" serve --port 0 --media-port 0 --rtmp-port 0 --players 0 --workers 1 --recordings "$work" --data "$work/data" \
  --upload-directory "$work/uploads" --relay-target 192.0.2.1 --mix-cores 0.6 --room-participants 100000 2>"$work/log" &
pid=$!
for _ in $(seq 100); do
  port=$(sed -n 's/.*http=127\.0\.0\.1:\([0-9]*\).*serving.*/\1/p' "$work/log")
  [ -n "$port" ] && break
  kill -0 "$pid" || { cat "$work/log"; exit 1; }
  sleep 0.1
done
ROOMSERVER_TOKEN=$("$server" token --api --ttl 1h)
ROOMSERVER_URL=http://127.0.0.1:$port
export ROOMSERVER_TOKEN ROOMSERVER_URL

root=$PWD
status=0
# Excludes the upgrade at /v1/signal, because schemathesis treats the response 426 to a GET as a rejection, and the drain, which ends the server.
(cd "$work" && SCHEMATHESIS_HOOKS="$root/Tests/Interop/REST/hooks.py" "$schemathesis" run "$root/api/openapi.yaml" --url "$ROOMSERVER_URL" \
  --header "Authorization: Bearer $ROOMSERVER_TOKEN" --exclude-operation-id signal --exclude-operation-id drain --checks all \
  --phases coverage,fuzzing,stateful --max-time 80 --seed 1 --request-timeout 10) || status=$?

kill "$pid"
wait "$pid" || { echo "the server exited with $?"; tail -20 "$work/log"; status=1; }
pid=
exit "$status"
