#!/usr/bin/env bash
# Measures the cost of a forward job: an anchor's H.264 and Opus pushed to nginx-rtmp by 0, then by JOBS jobs, with the server's CPU in
# both states; then the AAC encoder by itself. Prints Markdown for docs/performance/mixing.md. Requires a quiet machine, curl, jq and
# `apt-get install nginx libnginx-mod-rtmp`.
#
#   Benchmarks/forward.sh                    16 jobs, 20 s
#   JOBS=5 SECONDS_EACH=10 Benchmarks/forward.sh
. "$(dirname "$0")/measuring.sh"

jobs=${JOBS:-16}
seconds=${SECONDS_EACH:-20}
flags -- "$@"
build

cat > "$out/nginx.conf" <<EOF
load_module /usr/lib/nginx/modules/ngx_rtmp_module.so;
daemon off; master_process off; pid $out/nginx.pid; error_log $out/nginx.log;
events { worker_connections 1024; }
rtmp { access_log off; server { listen 127.0.0.1:19350; application live { live on; } } }
EOF
nginx -p "$out" -c "$out/nginx.conf" & running[$!]=1

serve 18098 --no-rtmp --auto-create --relay-target 127.0.0.1
api=$("$bin/roomserver" token --api --ttl 1h)
ask() { curl -sf -H "Authorization: Bearer $api" -H 'Content-Type: application/json' "$@"; }
"$bin/loadtest" demo --url ws://127.0.0.1:18098/v1/signal --bots 1 --width 1280 --height 720 --fps 25 --kbps 1500 \
  > "$out/bot" 2>&1 & running[$!]=1
until user=$(ask http://127.0.0.1:18098/v1/rooms/demo/participants 2> /dev/null | jq -er '.participants[] | select(.tracks | length == 2) | .userId'); do
  sleep 0.1
done

# Ticks of user and system time; a tick is 10 ms.
ticks() { awk '{print $14 + $15}' "/proc/$server/stat"; }
percent() {
  local before after
  before=$(ticks)
  sleep "$seconds"
  after=$(ticks)
  awk -v t=$((after - before)) -v s="$seconds" 'BEGIN {printf "%.2f", t / s}'
}

sleep 3
idle=$(percent)
for ((job = 0; job < jobs; job++)); do
  ask -X POST http://127.0.0.1:18098/v1/rooms/demo/jobs \
    -d "{\"jobId\": \"job$job\", \"userId\": \"$user\", \"publishUrl\": \"rtmp://127.0.0.1:19350/live/s$job\"}" > "$out/answer"
done
sleep 5
live=$(ask http://127.0.0.1:18098/v1/rooms/demo/jobs | jq '[.jobs[] | select(.status.fps > 20)] | length')
busy=$(percent)
dropped=$(ask http://127.0.0.1:18098/v1/rooms/demo/jobs | jq '[.jobs[].status.dropped] | add')
for ((job = 0; job < jobs; job++)); do
  ask -X DELETE "http://127.0.0.1:18098/v1/rooms/demo/jobs/job$job" || true
  ask -X POST http://127.0.0.1:18098/v1/rooms/demo/jobs \
    -d "{\"jobId\": \"video$job\", \"userId\": \"$user\", \"kinds\": [\"video\"], \"publishUrl\": \"rtmp://127.0.0.1:19350/live/v$job\"}" > "$out/answer"
done
sleep 5
pictures=$(percent)

printf '| | %% of one core |\n| --- | --- |\n'
printf '| the room with one anchor, 1280x720, 25 fps, 1.5 Mbit/s | %s |\n' "$idle"
printf '| the same with %s jobs, %s of them at full rate, %s pictures dropped | %s |\n' "$jobs" "$live" "$dropped" "$busy"
printf '| the same with %s video-only jobs: no Opus decoder, no AAC encoder | %s |\n' "$jobs" "$pictures"
awk -v a="$idle" -v b="$busy" -v c="$pictures" -v n="$jobs" 'BEGIN {
  printf "\nA job costs %.2f %% of a core, %.2f %% with video only.\n", (b - a) / n, (c - a) / n }'
