# Sourced before the commands of a page: what a newcomer has who pastes them one block after the other. A film; programs that are built and
# packages that are installed; a second terminal for what goes on until it is ended; and the patience to wait until it works.
set -euo pipefail
# Each background command is a process group of its own, and ends with the page.
set -m
end() { for job in $(jobs -p); do kill -KILL -- "-$job" 2>/dev/null || true; done; }
trap 'status=$?; end; exit "$status"' EXIT

# Runs a command again and again until it works, for half a minute.
until_works() {
  local deadline=$((SECONDS + 30))
  until "$@"; do
    if ((SECONDS >= deadline)); then
      echo "never worked: $*" >&2
      return 1
    fi
    sleep 0.2
  done
}

serves() { command curl -sf -o /dev/null "http://127.0.0.1:$ROOMSERVER_PORT/readyz"; }

# What the REST API says of a room.
room() {
  command curl -sf "http://127.0.0.1:$ROOMSERVER_PORT/v1/rooms/$1" -H "Authorization: Bearer $(roomserver token --api --ttl 5m)"
}
has_track() { room "$1" | grep -q "h264.*\"userId\":\"$2\""; }
is_on_air() { room "$1/jobs" | grep -q "\"jobId\":\"$2\"[^{}]*\"onAir\":true"; }

# `roomserver serve` has a terminal of its own.
roomserver() {
  if [ "$1" != serve ]; then
    command roomserver "$@"
    return
  fi
  command roomserver "$@" &
  until_works serves
}

# An encoder publishes the film: `publishes APP/NAME USER`, with a token for the room of that name.
publishes() {
  ffmpeg -re -i film.mp4 -c:v libx264 -preset ultrafast -bf 0 -g 15 -pix_fmt yuv420p -c:a aac -f flv \
    "rtmp://127.0.0.1:$ROOMSERVER_RTMP_PORT/$1?token=$(roomserver token --room "${1#*/}" --user "$2" --grant publish)"
}

# Ends the server and all else that runs, and begins again.
restart_server() {
  end
  wait || true
  roomserver serve "$@"
}

# An encoder too.
ffmpeg() {
  if [ "$1" = -re ]; then command ffmpeg -nostdin -loglevel warning "$@" & else command ffmpeg "$@"; fi
}

# Two seconds of picture and sound are enough to have watched.
ffplay() {
  local url=${*: -1}
  until_works timeout 30 ffmpeg -nostdin -v error -i "$url" -t 2 -map 0:v -map 0:a -f null -
}

# Every call is to be answered with success.
curl() { command curl -sS --fail-with-body "$@" | tee answer && echo; }

# What was built is there, under the name that the page says.
swift() {
  local product
  product=$(sed -n 's/.*--product \([a-z-]*\).*/\1/p' <<<"$*")
  test -x ".build/debug/$product"
}

sudo() { "$@"; }

command ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=320x180:rate=15:duration=120 -f lavfi \
  -i sine=frequency=440:sample_rate=44100:duration=120 -c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac film.mp4
