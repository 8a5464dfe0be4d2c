#!/usr/bin/env bash
# Measures what the commands of a cluster cost Redis, and prints the table of docs/performance/scale.md. Takes half a minute.
# Requires a quiet machine and `apt-get install redis-server`.
#
#   Benchmarks/redis.sh              1000 members
#   MEMBERS=100 Benchmarks/redis.sh
#
# Fifty clients on one machine send the commands, so each command includes the clients' part of two cores.
. "$(dirname "$0")/measuring.sh"

[ $# -eq 0 ] || usage
members=${MEMBERS:-1000}
port=${PORT:-7399}
redis-server --port "$port" --bind 127.0.0.1 --save '' --appendonly yes --dir "$out" --daemonize no > "$out/log" &
server=$!
running[$server]=1
until redis-cli -p "$port" ping > "$out/answer" 2>&1; do
  kill -0 "$server" || { cat "$out/log" >&2; exit 1; }
  sleep 0.1
done

# Bytes of a member's record.
record=$(head -c 150 /dev/zero | tr '\0' x)
state=$(head -c 300 /dev/zero | tr '\0' x)
fenced="local f = redis.call('HGET', KEYS[1], 'fence')
if f and tonumber(f) > tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'fence', ARGV[1], 'state', ARGV[2]) return 1"
# A renewal of docs/cluster.md, without the kicks: it reads all records, or the changes of the members and nine records.
renew="if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return {} end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
local version, list = redis.call('GET', KEYS[3]) or '0', nil
if ARGV[3] ~= '' then
  list = redis.call('ZRANGEBYSCORE', KEYS[4], '(' .. ARGV[3], '+inf')
  for index = 4, #ARGV do
    list[#list + 1] = ARGV[index]
    list[#list + 1] = redis.call('HGET', KEYS[1], ARGV[index])
  end
end
return {redis.call('GET', KEYS[5]) or '0', list or redis.call('HGETALL', KEYS[1]), redis.call('SMEMBERS', KEYS[2]), version}"
event="local last = tonumber(redis.call('HGET', KEYS[1], 'last') or '0') + 1
local events = KEYS[1] .. ':events'
redis.call('XADD', events, 'MAXLEN', '~', '50000', string.format('%.0f-0', last), 't', '1', 'b', ARGV[1])
redis.call('XADD', KEYS[2], 'MAXLEN', '~', '1000', '*', 'b', ARGV[1])
redis.call('HSET', KEYS[1], 'last', string.format('%.0f', last))
redis.call('PEXPIRE', KEYS[1], '86400000') redis.call('PEXPIRE', events, '86400000') return {1, 0}"
script() { redis-cli -p "$port" script load "$1"; }
fill() {
  redis-cli -p "$port" eval "for i = 1, ARGV[1] do
    redis.call('HSET', KEYS[1], 'node-' .. i, ARGV[2]) redis.call('ZADD', KEYS[2], i, 'node-' .. i)
  end redis.call('SET', KEYS[3], ARGV[1])" 3 "$1" "$1-changes" "$1-version" "$2" "$record" > "$out/answer"
}

# row NAME COUNT COMMAND…: measures a command, by the user and system time of Redis and by the clock.
row() {
  local name=$1 count=$2 before after rate
  shift 2
  before=$(awk '{print $14 + $15}' "/proc/$server/stat")
  rate=$(redis-benchmark -h 127.0.0.1 -p "$port" -c 50 -n "$count" -r 100000 --csv "$@" | awk -F'"' 'END {print $4}')
  after=$(awk '{print $14 + $15}' "/proc/$server/stat")
  awk -v name="$name" -v rate="$rate" -v ticks=$((after - before)) -v hertz="$(getconf CLK_TCK)" -v count="$count" \
    'BEGIN {cost = ticks / hertz / count * 1e6; printf "| %s | %.0f | %.1f | %.0f |\n", name, rate, cost, 1e6 / cost}'
}

machine Redis=redis-server
printf '\n| command | measured a second | CPU of Redis, µs | at a whole core |\n| --- | --- | --- | --- |\n'
row "GET of 150 bytes" 200000 get key:__rand_int__
row "SET of 150 bytes" 200000 set key:__rand_int__ "$record"
row "a room's state, 300 bytes, written by a script that compares the fence" 100000 \
  evalsha "$(script "$fenced")" 1 room:__rand_int__ 7 "$state"
row "an event of a room, 300 bytes, added to two streams by a script" 100000 \
  evalsha "$(script "$event")" 2 delivery:__rand_int__ newest "$state"
renew=$(script "$renew")
for count in "$members" $((members / 8)); do
  fill "$count" "$count"
  keys=("$count" ended "$count-version" "$count-changes" epoch)
  row "a renewal that reads all of $count members" 4000 evalsha "$renew" 5 "${keys[@]}" node-7 "$record" ''
  row "a renewal of $count members that reads the changes and nine records" 50000 \
    evalsha "$renew" 5 "${keys[@]}" node-7 "$record" "$count" node-{1..9}
done
row "a renewal alone" 100000 hset beats node-7 "$record"
stop
