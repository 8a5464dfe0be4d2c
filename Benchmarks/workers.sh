#!/usr/bin/env bash
# Measures how many subscribers of one publisher one media worker and two carry, on a machine with too few cores for both and the
# bots: each worker's thread gets a share of a core, by the kernel's CPU quota (cgroup v1, controller cpu). Prints Markdown.
#
#   Benchmarks/workers.sh                     20 % of a core for each worker; 150, 200 … subscribers for each
#   SHARE=30 SUBSCRIBERS='300 350' Benchmarks/workers.sh
#
# Requires root.
. "$(dirname "$0")/measuring.sh"

share=${SHARE:-20}
subscribers=${SUBSCRIBERS:-150 200 250 300}
seconds=${SECONDS_EACH:-6}
groups=/sys/fs/cgroup/cpu
flags -- "$@"
build
[ -w $groups/cgroup.procs ] || { printf 'cgroup v1 with the controller cpu is needed at %s\n' $groups >&2; exit 1; }

export ROOMSERVER_KEY=bench ROOMSERVER_SECRET=0123456789abcdef0123456789abcdef
made=()
remove() {
  finish
  for group in "${made[@]}"; do rmdir "$group" 2> /dev/null || true; done
}
trap remove EXIT

# Starts a server with some workers, each with its share, and measures:  run WORKERS SUBSCRIBERS
run() {
  local workers=$1 count=$2 pid thread index=0
  "$bin/roomserver" serve --port 0 --media-port 0 --rtmp-port 0 --no-srt --workers "$workers" --data "$out/data-$workers-$count" \
    --auto-create --joins-per-second 1000 --http-per-address 0 --room-participants 2000 --room-transports-per-worker $((count / workers + 1)) > "$out/log" 2>&1 &
  pid=$!
  running[$pid]=1
  for _ in {1..300}; do
    port=$(sed -n 's/.* http=127\.0\.0\.1:\([0-9]*\).*/\1/p' "$out/log")
    [ -z "$port" ] || break
    sleep 0.1
  done
  for thread in /proc/$pid/task/*; do
    [[ $(cat "$thread/comm") == media-[0-9]* ]] || continue
    group=$groups/roomserver-$pid-$((index++))
    mkdir "$group"
    made+=("$group")
    # Short periods, so that a worker without quota waits for few ms.
    echo 5000 > "$group/cpu.cfs_period_us"
    echo $((50 * share)) > "$group/cpu.cfs_quota_us"
    echo "${thread##*/}" > "$group/tasks"
  done
  [ $index = "$workers" ] || { printf '%s threads of workers instead of %s\n' $index "$workers" >&2; exit 1; }
  "$bin/loadtest" fanout --subscribers "$count" --seconds "$seconds" --kbps 100 --joins-at-once 4 --server-pid $pid \
    --url "ws://127.0.0.1:$port/v1/signal" --token-key $ROOMSERVER_KEY --json > "$out/json" 2> "$out/errors" ||
    cat "$out/errors" >&2
  kill $pid
  wait $pid 2> /dev/null || true
  unset "running[$pid]"
}

printf '| subscribers of each worker | workers | packets/s | lost | delay p50, p99 ms |\n|---|---|---|---|---|\n'
for count in $subscribers; do
  for workers in 1 2; do
    run "$workers" $((count * workers))
    figure() { sed -n "s/.*\"$1\" : \([0-9.]*\).*/\1/p" "$out/json"; }
    printf '| %s | %s | %.0f | %s | %s, %s |\n' "$count" "$workers" "$(figure packets_per_second)" "$(figure lost_packets)" \
      "$(figure delay_ms_p50)" "$(figure delay_ms_p99)"
  done
done
