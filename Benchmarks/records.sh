#!/usr/bin/env bash
# Makes the whole table of records of the media path in one run, beside Janus, nginx-rtmp, nginx, ffmpeg and the floor, and prints it as
# Markdown: the first table of docs/performance.md. Requires a quiet machine, python3, and
# `apt-get install curl jq ffmpeg janus nginx libnginx-mod-rtmp wrk`. A row that can't be measured says why.
#
#   Benchmarks/records.sh              three runs of 8 s of everything (about half an hour)
#   RUNS=5 SECONDS_EACH=20 Benchmarks/records.sh
#   Benchmarks/records.sh --quick      some rows, in 3 minutes; the exit status is 1 if a ratio is worse than its bar
#   Benchmarks/records.sh --row NAME   one of forwarding feedback subscribers mix viewers hls joins idle
. "$(dirname "$0")/measuring.sh"

# The bars of --quick: half of the gain may be lost to noise before --quick fails.
declare -A bars=([floor]=2.2 [janus]=0.25 [mix]=1.8 [rtmp]=0.8 [flv]=2.2)
# A debug build optimises the path of media, and not NIO, which sends to RTMP viewers.
[[ ${BIN:-} != */debug ]] || bars[rtmp]=2.5

all=(forwarding feedback subscribers mix viewers hls joins idle)
rows=("${all[@]}") quick=false runs=${RUNS:-3} seconds=${SECONDS_EACH:-8} subscribers=200 viewers=1000
# The server has two descriptors for a signalling socket.
most=$((($(ulimit -Hn) - 200) / 2)) sockets=10000
case ${1:-} in
  '') ;;
  --quick)
    quick=true rows=(forwarding feedback mix viewers idle)
    runs=${RUNS:-1} seconds=${SECONDS_EACH:-4} subscribers=100 viewers=300 sockets=2000
    ;;
  --row) [[ " ${all[*]} " == *" ${2:-none} "* ]] || usage; rows=("$2") ;;
  *) usage ;;
esac
build
ulimit -n "$(ulimit -Hn)"
# Descriptor 3 is for progress, because the error output of a row goes into a file.
exec 3>&2
touch "$out"/{rows,broken,notes,others}

# Prints a row of the table from its runs, one a line, and keeps it:  figure BAR WHAT RELATION LIMIT UNIT < RUNS
figure() {
  python3 Benchmarks/records/figure.py "${bars[$1]:-inf}" "$out/broken" "${@:2}" | tee -a "$out/rows" >&3
}

# Adds a row that says why there is no figure:  absent WHAT WHY
absent() { printf '| %s | not measured: %s | | | |\n' "$1" "${2//|/}" | tee -a "$out/rows" >&3; }

# Measures some rows in a shell of its own, so that a failure ends only these:  try FUNCTION
try() {
  printf '%s …\n' "$1" >&3
  rm -f "$out"/{runs,figures*}
  (running=(); trap 'kill "${!running[@]}" 2> /dev/null || true; wait' EXIT; "$1") 2> "$out/error" &
  local group=$!
  running[$group]=1
  wait "$group" || absent "$1" "$(grep -v '^ *$' "$out/error" | tail -1)"
  unset "running[$group]"
}

# Adds loadtest's results to $out/runs, one JSON object a line, under a name or the target's:  trial NAME ARGUMENT…
trial() {
  local pid
  # In the background, so that an end of this script ends loadtest, which then ends its servers.
  "${network[@]}" "$bin/loadtest" "${@:2}" --json > "$out/json" &
  pid=$!
  running[$pid]=1
  if ! wait "$pid"; then
    [ -s "$out/json" ] || return 1
    # A server that lost or skipped something makes loadtest fail, after its report.
    [ "$1" = search ] || printf -- '- lost or skipped something: `loadtest %s`\n' "${*:2}" >> "$out/notes"
  fi
  unset "running[$pid]"
  jq -r '(.runs // [.])[].others_cpu_percent' "$out/json" >> "$out/others"
  jq -c --arg name "$1" '(.runs // [.])[] | if $name == "" then . else .target = $name end' "$out/json" >> "$out/runs"
}

# Prints a figure of all runs of a target:  pick TARGET PATH
pick() { jq -r --arg target "$1" "select(.target == \$target) | .$2" "$out/runs"; }

# Prints the ratios of a figure of two targets, run by run, and both figures:  ratios TARGET TO PATH
ratios() { paste -d ' ' <(pick "$1" "$3") <(pick "$2" "$3") | awk 'NF == 2 {print $1 / $2, $1, $2}'; }

# Prints a free TCP port.
free() { python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# Prints the CPU time of processes in µs, which /proc has in ticks of 10 ms: their clocks, numbered as by clock_getcpuclockid(3).
cpu() { python3 -c 'import sys, time; print(sum(time.clock_gettime_ns(~int(p) << 3 | 2) for p in sys.argv[1:]) // 1000)' "$@"; }

# Prints the resident memory of the server in kB.
rss() { awk '/^VmRSS/ {print $2 * 1.024}' "/proc/$server/status"; }

# Prints the value of an expression.
value() { awk "BEGIN {print $1}"; }

forwarding() {
  local name targets=(roomserver)
  network=(loadtest/own-network.sh)
  [[ $("$bin/loadtest" fanout --help) != *floor* ]] || targets+=(floor)
  [ ! -x /usr/bin/janus ] || targets+=(janus)
  trial '' fanout --start "${targets[@]/#/--target=}" --pairs "$runs" --subscribers "$subscribers" --seconds "$seconds"
  local -A limits=([floor]=1.4 [janus]=0.08) peers=([floor]='the floor' [janus]=Janus)
  for name in floor janus; do
    if [[ " ${targets[*]} " == *" $name "* ]]; then
      ratios roomserver $name cpu_us_per_packet |
        figure $name "a forwarded packet against ${peers[$name]} (µs of CPU)" '≤' "${limits[$name]}" ''
    else
      absent "a forwarded packet against ${peers[$name]}" "no $name"
    fi
  done
}

feedback() {
  local run interval order=(0 100)
  for ((run = 0; run < runs; run++)); do
    for interval in "${order[@]}"; do
      trial "$interval" fanout --start --subscribers "$subscribers" --seconds "$seconds" --feedback "$interval"
    done
    # Each pair starts with the other one than the previous pair.
    order=("${order[1]}" "${order[0]}")
  done
  ratios 100 0 cpu_us_per_packet | awk '{print 100 * ($1 - 1), $2, $3}' |
    figure none 'what transport-wide feedback adds to a packet (µs with and without)' '≤' 3 ' %'
  pick 0 kb_per_subscriber | figure none "memory of each of $subscribers subscribers" '≤' 80 ' kB'
  pick 100 kb_per_subscriber | figure none 'the same with feedback' '≤' 80 ' kB'
}

# Measures a room with many subscribers, with a thread of bots for each core:  crew NAME COUNT [ARGUMENT…]
crew() {
  trial "$1" fanout --start --subscribers "$2" --threads 2 --joins-at-once 8 --seconds "$seconds" "${@:3}" \
    --roomserver-argument=--{room-participants,track-subscriptions}=$(($2 + 100))
}

# Whether a room carries so many subscribers.
carries() {
  crew search "$1" || return 1
  tail -1 "$out/runs" | jq -r --arg count "$1" '"server \(.cpu_percent | round) %, bots \(.bots_cpu_percent | round) % of a core" as $cpu
    | "  \($count): lost \(.lost_packets), p99 \(.delay_ms_p99) ms, \($cpu)\n\($cpu)"' > "$out/tried"
  head -1 "$out/tried" >&3
  tail -1 "$out/runs" | jq -e '.lost_packets == 0 and .silent_streams == 0 and .delay_ms_p99 <= 10' > "$out/answer" || return 1
  tail -1 "$out/tried" > "$out/shares"
}

subscribers() {
  local run low high most count=500
  most=$("$bin/loadtest" fanout --help | sed -n 's/.*Number of subscribers, 1 to \([0-9]*\)\..*/\1/p')
  for ((run = 0; run < runs; run++)); do
    # Doubles until a number is too large, then halves the interval, to a tenth of what was carried.
    low=0 high=$((most + 1))
    while ((high - low > low / 10 + 8)); do
      if carries "$count"; then low=$count; else high=$count; fi
      if ((high > most)); then count=$((2 * low < most ? 2 * low : most)); else count=$(((low + high) / 2)); fi
    done
    if ((low == 0)); then echo "not even $high subscribers without loss and with a p99 of 10 ms" >&2; return 1; fi
    echo "$low" >> "$out/figures"
    count=$low
  done
  figure none "subscribers of a room, 1 Mbit/s, no loss, p99 ≤ 10 ms ($(< "$out/shares"); at most $most)" '≥' 2500 '' < "$out/figures"
  count=$(($(sort -n "$out/figures" | head -1) / 2))
  crew half $count --pairs "$runs"
  pick half delay_ms_p50 | figure none "delay of $count subscribers, beyond the fastest packet's, p50" '≤' 0.5 ' ms'
  pick half delay_ms_p99 | figure none 'the same, p99' '≤' 2 ' ms'
}

mix() {
  local run
  for ((run = 0; run < runs; run++)); do
    trial two mix --start --programs 2 --sources 2 --size 720x1280 --fps 24 --seconds "$seconds"
    $quick || trial four mix --start --programs 1 --sources 4 --size 1280x720 --source-size 640x360 --fps 24 --seconds "$seconds"
  done
  pick two ratio_to_bare_real_time | figure mix 'a mix of two against bare ffmpeg in real time (two programs)' '≤' 1 ''
  $quick || pick four ratio_to_bare_real_time | figure none 'a mix of four against bare ffmpeg in real time' '≤' 1 ''
}

viewers() {
  local run module=/usr/lib/nginx/modules/ngx_rtmp_module.so
  for ((run = 0; run < runs; run++)); do
    trial rtmp viewers --protocol rtmp --start --count "$viewers" --seconds "$seconds"
    [ ! -e $module ] || trial nginx viewers --protocol rtmp --start --target nginx --count "$viewers" --seconds "$seconds"
    trial flv viewers --protocol flv --start --count "$viewers" --seconds "$seconds"
  done
  [ -e $module ] || absent 'an RTMP viewer against nginx-rtmp' 'no nginx-rtmp'
  [ ! -e $module ] || ratios rtmp nginx cpu_percent_per_viewer |
    figure rtmp 'an RTMP viewer against nginx-rtmp (% of a core)' '≤' 0.3 ''
  ratios flv rtmp cpu_percent_per_viewer | figure flv 'an HTTP-FLV viewer against our RTMP viewer (% of a core)' '≤' 1.2 ''
  if $quick; then return; fi
  trial hls viewers --protocol ll-hls --start --count "$viewers" --seconds "$seconds" --pairs "$runs"
  pick hls cpu_percent_per_viewer | awk '{print 80 / $1}' | figure none 'LL-HLS viewers of a core at 80 %' '≥' 8000 ''
}

# Prints the µs of CPU that processes use for an answer:  answer PORT "PATH PATH" PID…
answer() {
  local before
  before=$(cpu "${@:3}")
  # Unquoted: the paths are several arguments.
  wrk -t 1 -c 50 -d "${seconds%.*}" -s Benchmarks/records/in-turn.lua "http://127.0.0.1:$1" -- $2 > "$out/wrk"
  ! grep -E 'Non-2xx|Socket errors' "$out/wrk" >&2 || return 1
  awk -v used="$(($(cpu "${@:3}") - before))" '/ requests in / {printf "%.2f", used / $1}' "$out/wrk"
}

hls() {
  local tool port rtmp peer encoder nginx workers run file files kind part paths ours its
  for tool in wrk nginx ffmpeg; do command -v $tool > "$out/answer" || { echo "no $tool" >&2; return 1; }; done
  port=$(free) rtmp=$(free) peer=$(free)
  # The stream stays as its encoder left it, so that all answers have the bytes of the files.
  serve "$port" --rtmp-port "$rtmp" --open-publish --http-per-address 0 --stream-linger 3600 --hls-idle-time 3600
  ffmpeg -v error -re -f lavfi -i testsrc2=s=1280x720:r=25 -f lavfi -i sine=r=44100 -t 21.5 -c:v libx264 -preset ultrafast \
    -b:v 1000k -maxrate 1000k -bufsize 500k -g 50 -c:a aac -f flv "rtmp://127.0.0.1:$rtmp/live/a" < /dev/null & encoder=$!
  running[$encoder]=1
  sleep 5
  # The server cuts segments from the first request on.
  curl -sf "http://127.0.0.1:$port/live/a.m3u8" > "$out/answer"
  wait "$encoder"
  unset "running[$encoder]"
  curl -sf --create-dirs -o "$out/live/a.m3u8" "http://127.0.0.1:$port/live/a.m3u8"
  files=("$(grep '^a/seg-' "$out/live/a.m3u8" | tail -1)" "$(sed -n '/^#EXT-X-PART:/s/.*URI="\([^"]*\).*/\1/p' "$out/live/a.m3u8" | tail -1)")
  for file in "${files[@]}"; do curl -sf --create-dirs -o "$out/live/$file" "http://127.0.0.1:$port/live/$file"; done
  sed "s|OUT|$out|; s|PORT|$peer|; s|USER|$(id -un)|" Benchmarks/records/nginx.conf > "$out/nginx.conf"
  nginx -p "$out" -c "$out/nginx.conf" -e "$out/nginx.log" & nginx=$!
  running[$nginx]=1
  until curl -sf "http://127.0.0.1:$peer/live/a.m3u8" > "$out/answer"; do kill -0 "$nginx"; sleep 0.1; done
  mapfile -t workers < <(ps -o pid= --ppid "$nginx" | tr -d ' ')
  IFS='-.' read -ra part <<< "${files[1]}"
  local -A kinds=([segment]="/live/a.m3u8 /live/${files[0]}"
    [part]="/live/a.m3u8?_HLS_msn=${part[1]}&_HLS_part=${part[2]} /live/${files[1]}")
  for ((run = 0; run < runs; run++)); do
    for kind in segment part; do
      ours=$(answer "$port" "${kinds[$kind]}" "$server")
      its=$(answer "$peer" "${kinds[$kind]}" "${workers[@]}")
      value "$ours / $its, $ours, $its" >> "$out/figures-$kind"
    done
  done
  figure none 'an HLS answer, playlist and segment in turn, against nginx (µs of CPU)' '≤' 1.5 '' < "$out/figures-segment"
  figure none 'an LL-HLS answer, playlist and part in turn, against nginx (µs of CPU)' '≤' 2 '' < "$out/figures-part"
}

joins() {
  local port run before count=$((${seconds%.*} * 50))
  trial joins first-picture --start --rate 50 --seconds "$seconds" --pairs "$runs"
  pick joins joined_ms.p50 | figure none 'a join at 50 joins a second, p50' '≤' 5 ' ms'
  pick joins joined_ms.p99 | figure none 'the same, p99' '≤' 20 ' ms'
  port=$(free)
  serve "$port" --no-rtmp --http-per-address 0 --joins-per-second 1000
  # Enough rooms that most people are alone. The first joins are not counted.
  local joins=("$bin/loadtest" joins --url "ws://127.0.0.1:$port/v1/signal" --rooms 900)
  "${joins[@]}" --rate 50 --seconds 2 --stay 0 > "$out/answer"
  for ((run = 0; run < runs; run++)); do
    before=$(cpu "$server")
    # Nobody leaves before the CPU is read.
    "${joins[@]}" --made --rate 50 --seconds "${seconds%.*}" --stay $((${seconds%.*} + 5)) > "$out/answer" & bots=$!
    running[$bots]=1
    reaches "$port" roomserver_participants "$count"
    sleep 1
    value "($(cpu "$server") - $before) / 1000 / $count" >> "$out/figures"
    wait "$bots"
    unset "running[$bots]"
    sleep 1
  done
  figure none 'CPU of a join alone' '≤' 2 ' ms' < "$out/figures"
  stop
  trial crowd crowd --start --people 1000 --pairs "$runs"
  pick crowd join_cpu_ms | figure none 'CPU of a join among 1,000 participants' '≤' 2 ' ms'
}

idle() {
  local run before port ready opener count=$((sockets < most ? sockets : most))
  for ((run = 0; run < runs; run++)); do
    port=$(free)
    # Without the rooms of the rows before.
    rm -rf "$out/data"
    # With its defaults the server closes sockets that have not joined a room after 10 s.
    serve "$port" --rtmp-port 0 --http-per-address 0 --http-connections $((count + 100)) --join-time 600 --silence-time 3600
    sleep 3
    before=$(cpu "$server")
    sleep "$seconds"
    value "($(cpu "$server") - $before) / $seconds / 1e4" >> "$out/figures-cpu"
    before=$(rss)
    value "$before / 1000" >> "$out/figures-memory"
    exec {ready}< <(exec python3 Benchmarks/records/sockets.py "$port" "$count")
    opener=$!
    running[$opener]=1
    # The line comes when all are open.
    read -r _ <&"$ready"
    sleep 2
    value "($(rss) - $before) / $count" >> "$out/figures"
    kill "$opener"
    exec {ready}<&-
    unset "running[$opener]"
    stop
  done
  figure none 'an idle server, resident' '≤' 40 ' MB' < "$out/figures-memory"
  figure none 'an idle server, CPU' '≤' 0.1 ' % of a core' < "$out/figures-cpu"
  figure none "each of $count idle signalling sockets, resident" '≤' 8 ' kB' < "$out/figures"
}

machine OpenSSL=libssl3 Janus=janus nginx=nginx libnginx-mod-rtmp=libnginx-mod-rtmp ffmpeg=ffmpeg x264=libx264-164 wrk=wrk
for row in "${rows[@]}"; do try "$row"; done
printf -- '- runs: %s, of %s s\n' "$runs" "$seconds"
sort -g "$out/others" | awk 'END {if (NR) printf "- CPU of other programs: %d %% of a core at most\n", $1}'
cat "$out/notes"
printf '\n| what | all runs | median | target | met |\n| --- | --- | --- | --- | --- |\n'
cat "$out/rows"
if $quick && [ -s "$out/broken" ]; then
  cat "$out/broken" >&2
  exit 1
fi
