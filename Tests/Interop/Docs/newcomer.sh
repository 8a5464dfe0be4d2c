# Sourced before the commands of a page: the environment of a reader who pastes one block after the other. A film; built programs and
# installed packages; a second terminal for commands that run until they are stopped; and functions that wait for a result.
set -euo pipefail
# Each background command has its own process group, and ends with the page.
set -m
end() { for job in $(jobs -p); do kill -KILL -- "-$job" 2>/dev/null || true; done; }
trap 'status=$?; end; exit "$status"' EXIT

# Repeats a command until it succeeds, for up to half a minute.
until_works() {
  local deadline=$((SECONDS + 30))
  until "$@"; do
    if ((SECONDS >= deadline)); then
      echo "did not succeed: $*" >&2
      return 1
    fi
    sleep 0.2
  done
}

serves() { command curl -sf -o /dev/null "http://127.0.0.1:$ROOMSERVER_PORT/readyz"; }

# Prints the REST API's state of a room.
room() {
  command curl -sf "http://127.0.0.1:$ROOMSERVER_PORT/v1/rooms/$1" -H "Authorization: Bearer $(roomserver token --api --ttl 5m)"
}
has_track() { room "$1" | grep -q "h264.*\"userId\":\"$2\""; }
is_on_air() { room "$1/jobs" | grep -q "\"jobId\":\"$2\"[^{}]*\"onAir\":true"; }

# `roomserver serve` runs in a second terminal.
roomserver() {
  if [ "$1" != serve ]; then
    command roomserver "$@"
    return
  fi
  command roomserver "$@" &
  until_works serves
}

# Starts an encoder that publishes the film: `publishes APP/NAME USER`, with a token for the room of that name.
publishes() {
  ffmpeg -re -i film.mp4 -c:v libx264 -preset ultrafast -bf 0 -g 15 -pix_fmt yuv420p -c:a aac -f flv \
    "rtmp://127.0.0.1:$ROOMSERVER_RTMP_PORT/$1?token=$(roomserver token --room "${1#*/}" --user "$2" --grant publish)"
}

# Stops the server and all other processes, and starts it again.
restart_server() {
  end
  wait || true
  roomserver serve "$@"
}

# An encoder runs in the background too.
ffmpeg() {
  if [ "$1" = -re ]; then command ffmpeg -nostdin -loglevel warning "$@" & else command ffmpeg "$@"; fi
}

# Two seconds of video and audio are enough.
ffplay() {
  local url=${*: -1}
  until_works timeout 30 ffmpeg -nostdin -v error -i "$url" -t 2 -map 0:v -map 0:a -f null -
}

# Every call must succeed.
curl() { command curl -sS --fail-with-body "$@" | tee answer && echo; }

# Built programs are available under the name that the page uses.
swift() {
  local product
  product=$(sed -n 's/.*--product \([a-z-]*\).*/\1/p' <<<"$*")
  test -x ".build/debug/$product"
}

sudo() { "$@"; }

cp "$FILM" film.mp4
