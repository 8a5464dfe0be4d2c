#!/usr/bin/env bash
# Tries a cluster on this machine: starts a Redis and three nodes of the built server on free ports of 127.0.0.1, and ends them.
#
#   deploy/try-cluster.sh           upgrades the nodes one after the other, while a PK and a voice room go on; half a minute
#   deploy/try-cluster.sh --joins   20 joins a second through each node into 200 rooms, for 10 s, and the commands of Redis for them
#   deploy/try-cluster.sh --long    with --joins: for 60 s
#   deploy/try-cluster.sh --handover  drains an edge with 50 viewers ($VIEWERS), and prints for how long their pictures stood still
#
# Needs `swift build --product roomserver` and `swift build --product loadtest` (the newer of debug and release, or the
# folder of $BUILD), redis-server and curl.
# The last line sums up. Exits with 0 only if no room, no listener and no live was lost, and no listener was without sound for over 2 s.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 64; }
joins=
handover=
seconds=10
for argument; do
  case $argument in
    --joins) joins=yes ;;
    --long) joins=yes seconds=60 ;;
    --handover) handover=yes ;;
    *) usage ;;
  esac
done

longest_silence=2000 # ms
nodes=3
drain=60 # s

build=${BUILD:-}
[[ $build ]] || for folder in .build/debug .build/release; do
  if [[ -x $folder/roomserver && $folder/loadtest -nt $build/loadtest ]]; then build=$folder; fi
done
[[ $build ]] || { echo "build it first: swift build --product roomserver; swift build --product loadtest" >&2; exit 2; }
for tool in redis-server redis-cli curl; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed" >&2; exit 2; }
done

out=$(mktemp -d)
declare -A running=()
# shellcheck disable=SC2329
finish() {
  # SIGTERM would drain the nodes. Redis ends last: they write to it.
  local pid
  unset "running[${redis_pid:-none}]"
  for pid in "${!running[@]}"; do kill -INT "$pid" 2>/dev/null || true; done
  for pid in "${!running[@]}"; do wait "$pid" 2>/dev/null || true; done
  if [[ ${redis_pid:-} ]]; then kill "$redis_pid" 2>/dev/null && wait "$redis_pid" || true; fi
  rm -rf "$out"
}
trap finish EXIT
trap 'exit 130' INT TERM

export ROOMSERVER_KEY=try
ROOMSERVER_SECRET=$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')
export ROOMSERVER_SECRET

# A port of 127.0.0.1 that nobody listens at, below those that the kernel gives to others.
declare -A taken=()
free_port() {
  local candidate
  while :; do
    candidate=$((20000 + RANDOM % 12000))
    [[ ${taken[$candidate]:-} ]] && continue
    if ! (: >"/dev/tcp/127.0.0.1/$candidate") 2>/dev/null; then
      taken[$candidate]=1
      port=$candidate
      return
    fi
  done
}

# wait_for SECONDS WHAT COMMAND...: repeats the command until it succeeds.
wait_for() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    if ((SECONDS >= end)); then
      echo "not within time: $what" >&2
      tail -n 5 "$out"/*.log >&2
      exit 1
    fi
    sleep 0.05
  done
}

milliseconds() { date +%s%3N; }

free_port && redis=$port
redis-server --port "$redis" --bind 127.0.0.1 --save '' --appendonly yes --dir "$out" >"$out/redis.log" &
redis_pid=$!
running[$redis_pid]=1
wait_for 10 "Redis" redis-cli -p "$redis" ping

ports=()
pids=()
urls=()
# start NODE: starts a node in the background, with its own data directory.
start() {
  "$build/roomserver" serve --port "${ports[$1]}" --rtmp-port 0 --media-port 0 --workers 1 --announce 127.0.0.1 \
    --data "$out/node$1" --cluster "redis://127.0.0.1:$redis" --node-id "node$1" --drain "$drain" \
    --auto-create --relay-target 127.0.0.1 --joins-per-second 10000 --http-per-address 0 ${handover:+--edge} >>"$out/node$1.log" 2>&1 &
  pids[$1]=$!
  running[${pids[$1]}]=1
}
is_ready() { curl -fsS "http://127.0.0.1:${ports[$1]}/readyz"; }
for ((node = 0; node < nodes; node++)); do
  free_port
  ports[node]=$port
  urls[node]=ws://127.0.0.1:$port/v1/signal
  start "$node"
done
for ((node = 0; node < nodes; node++)); do wait_for 30 "node $node is ready" is_ready "$node"; done
api_token=$("$build/roomserver" token --api --ttl 2h)
others=(--node "${urls[1]}" --node "${urls[2]}")
load() { cut -d' ' -f1 /proc/loadavg; }
# field NAME FILE: a value of the JSON object in a file's last line.
field() { tail -n 1 "$2" | sed -nE "s/.*\"$1\":(\"([^\"]*)\"|\[([^]]*)\]|([^,}]*)).*/\2\3\4/p"; }

if [[ $handover ]]; then
  "$build/loadtest" handover --url "${urls[0]}" --edge "${urls[1]}" --viewers "${VIEWERS:-50}" >"$out/report.json" 2>"$out/bots.log" &
  bots=$!
  running[$bots]=1
  is_measuring() { grep -q measuring "$out/report.json" || ! kill -0 "$bots" 2>/dev/null; }
  wait_for 120 "the viewers have pictures" is_measuring
  begin=$(milliseconds)
  curl -fsS -X POST -H "Authorization: Bearer $api_token" -H 'Content-Type: application/json' -d "{\"seconds\":$drain}" \
    "http://127.0.0.1:${ports[1]}/v1/server/drain" >"$out/drain.json"
  wait_for $((drain + 10)) "the edge has drained" eval "! kill -0 ${pids[1]}"
  took=$(($(milliseconds) - begin))
  sleep 1
  kill -INT "$bots"
  lost=
  wait "$bots" || lost=yes
  echo "$(field viewers "$out/report.json") viewers at an edge that drained in $took ms: pictures stood still for $(field p50Ms "$out/report.json") ms" \
    "(p50), $(field p95Ms "$out/report.json") ms (p95), $(field maxMs "$out/report.json") ms at most; lost $(field lost "$out/report.json"); load of the machine $(load)"
  [[ ! $lost ]]
  exit 0
fi

if [[ $joins ]]; then
  "$build/loadtest" joins --url "${urls[0]}" "${others[@]}" --make 2>"$out/bots.log"
  # Calls of each command, those within scripts included: "name calls".
  calls() { redis-cli -p "$redis" info commandstats | sed -nE 's/^cmdstat_([^:]+):calls=([0-9]+),.*/\1 \2/p' | sort; }
  cpu() { awk '{print $14 + $15}' "/proc/$redis_pid/stat"; }
  calls >"$out/before"
  before=$(cpu)
  held=yes
  "$build/loadtest" joins --url "${urls[0]}" "${others[@]}" --made --seconds "$seconds" >"$out/joins.json" 2>"$out/bots.log" || held=
  after=$(cpu)
  calls >"$out/after"
  count=$(field joins "$out/joins.json")
  took=$(field seconds "$out/joins.json")
  echo "| command of Redis, those within scripts included | a second | a join and its leave |"
  echo "| --- | --- | --- |"
  join -a 2 "$out/before" "$out/after" | awk -v count="$count" -v took="$took" '
    {calls = NF == 3 ? $3 - $2 : $2}
    calls > 0 && $1 !~ /^info/ {printf "| %s | %.1f | %.2f |\n", $1, calls / took, calls / count}' | sort -t'|' -k3 -rn
  awk -v ticks=$((after - before)) -v hertz="$(getconf CLK_TCK)" -v took="$took" -v count="$count" \
    'BEGIN {printf "Redis: %.1f %% of a core, %.0f µs a join, its leave and renewals included\n",
      100 * ticks / hertz / took, ticks / hertz / count * 1e6}'
  if [[ ! $held ]]; then
    grep -v room.client "$out/bots.log" >&2 || true
    echo "failed: $(field failures "$out/joins.json") joins of $((count + $(field failures "$out/joins.json")))"
    exit 1
  fi
  echo "$count joins in $seconds s through $nodes nodes: p50 $(field p50Ms "$out/joins.json") ms," \
    "p95 $(field p95Ms "$out/joins.json") ms, at most $(field maxMs "$out/joins.json") ms; load of the machine $(load)"
  exit 0
fi

"$build/loadtest" upgrade --url "${urls[0]}" "${others[@]}" >"$out/report.json" 2>"$out/bots.log" &
bots=$!
running[$bots]=1
is_measuring() { grep -q measuring "$out/report.json" || ! kill -0 "$bots" 2>/dev/null; }
wait_for 120 "the bots receive each other" is_measuring
kill -0 "$bots" 2>/dev/null || { cat "$out/bots.log" >&2; exit 1; }
echo "two rooms in a PK and a voice room are on; the nodes are upgraded one after the other"

failed=()
echo "| node | rooms that moved | drained in, ms | ready again after, ms |"
echo "| --- | --- | --- | --- |"
for ((node = 0; node < nodes; node++)); do
  sleep 2
  begin=$(milliseconds)
  pid=${pids[$node]}
  base=http://127.0.0.1:${ports[$node]}
  curl -fsS -X POST -H "Authorization: Bearer $api_token" -H 'Content-Type: application/json' -d "{\"seconds\":$drain}" \
    "$base/v1/server/drain" >"$out/drain.json"
  # A drain by REST ends the process; SIGTERM does the same, and changes nothing for a node that drains already.
  kill -TERM "$pid" 2>/dev/null || true
  wait_for $((drain + 10)) "node $node has drained" eval "! kill -0 $pid"
  wait "$pid" || failed+=("node $node exited with $?")
  unset "running[$pid]"
  drained=$(milliseconds)
  start "$node"
  wait_for 30 "node $node is ready again" is_ready "$node"
  moved=$(grep -c 'room moved' "$out/node$node.log" || true)
  echo "| $node | $moved | $((drained - begin)) | $(($(milliseconds) - begin)) |"
done
sleep 2

kill -INT "$bots"
unset "running[$bots]"
wait "$bots" || failed+=("the bots lost something")
report=$out/report.json
silence=$(field silenceMs "$report")
cat <<EOF

| what | value |
| --- | --- |
| longest silence of a listener | $silence ms ($(field quietest "$report")) |
| longest time without a picture | $(field freezeMs "$report") ms |
| joins of $(field listeners "$report") listeners, at first and again | $(field joins "$report") |
| lost listeners | $(field lostListeners "$report") |
| lost rooms | $(field lostRooms "$report") |
| the PK continues | $(field pk "$report") |
| lives on the air | $(field onAir "$report") of $(field lives "$report"), connected $(field connections "$report") times |
| longest step of their timestamps | $(field longestStepMs "$report") ms; $(field backward "$report") do not grow |

EOF
((${silence:-999999} <= longest_silence)) || failed+=("a listener was without sound for $silence ms")
if ((${#failed[@]})); then
  tail -n 3 "$out"/node*.log "$out/bots.log" >&2
  printf 'failed: %s; load of the machine %s\n' "$(IFS=';' && echo "${failed[*]}")" "$(load)"
  exit 1
fi
echo "all nodes upgraded, nothing lost, at most $silence ms of silence; load of the machine $(load)"
