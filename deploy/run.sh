#!/usr/bin/env bash
# Starts a room server for evaluation, on 127.0.0.1 and with a key pair for this run, and two bots in room "demo". Installs
# and builds what is missing first; a second start takes seconds. Ctrl-C stops everything.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { echo "usage: deploy/run.sh [--no-demo] [--port PORT]"; }

demo=true port=8080
while (($# > 0)); do
  case $1 in
    --no-demo) demo=false ;;
    --port)
      port=${2:?$(usage)}
      shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      usage >&2
      exit 2
      ;;
  esac
  shift
done

say() { printf '== %s\n' "$*"; }

deploy/check-toolchain.sh
deploy/install-packages.sh

say "Building (the first time takes some minutes)"
swift build -c release --product roomserver
if $demo; then swift build -c release --product loadtest; fi
programs=$(swift build -c release --show-bin-path)

# Both programs read the key pair from the environment; it is valid for this run only.
ROOMSERVER_KEY=dev
ROOMSERVER_SECRET=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
export ROOMSERVER_KEY ROOMSERVER_SECRET

running=()
is_running() { kill -0 "$1" 2>/dev/null; }
# Stops all processes, the bots first so that they leave their room properly.
finish() {
  trap '' EXIT INT TERM
  local index
  for ((index = ${#running[@]} - 1; index >= 0; index--)); do
    kill -TERM "${running[index]}" 2>/dev/null || continue
    for _ in {1..50}; do is_running "${running[index]}" && sleep 0.1; done
    kill -KILL "${running[index]}" 2>/dev/null || true
  done
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

answers() { exec 3<>"/dev/tcp/127.0.0.1/$port"; }
if (answers) 2>/dev/null; then
  echo "Port $port is in use by another program; choose one with --port." >&2
  exit 1
fi
"$programs/roomserver" serve --dev --port "$port" &
running+=($!)

until (answers) 2>/dev/null; do
  if ! is_running "${running[0]}"; then
    echo "The server did not start." >&2
    exit 1
  fi
  sleep 0.1
done

if $demo; then
  # Every browser decodes VP8; Firefox decodes H.264 only if the system has the codec.
  "$programs/loadtest" demo --codec vp8 --url "ws://127.0.0.1:$port/v1/signal" --room demo &
  running+=($!)
fi

# Browsers do not send the part after #: the token reaches the page, but no server log.
say "Console: http://127.0.0.1:$port/#token=$("$programs/roomserver" token --api --ttl 12h)"
say "Watch:   http://127.0.0.1:$port/watch/demo"
say "Ctrl-C ends everything"
# The run ends with the first process that exits.
wait -n
