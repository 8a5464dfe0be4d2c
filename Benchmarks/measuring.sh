# What the scripts in this folder share. Each sources it first:  . "$(dirname "$0")/measuring.sh"
#
# BIN=FOLDER uses the executables in a folder instead of building them.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$script")/.."

# A folder for temporary files, and the processes that run, which finish stops.
out=$(mktemp -d)
declare -A running=()
finish() {
  for pid in "${!running[@]}"; do kill "$pid" 2> /dev/null || true; done
  wait 2> /dev/null || true
  rm -rf "$out"
}
trap finish EXIT

# Prints the comment at the top of the script, and ends it.
usage() {
  sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$script" >&2
  exit 2
}

# Sets each of these variables to whether --NAME is an argument:  flags more profile -- "$@"
flags() {
  local argument names=' '
  while [ $# -gt 0 ]; do
    argument=$1
    shift
    [ "$argument" != -- ] || break
    names+="--$argument "
    printf -v "$argument" false
  done
  for argument; do
    [[ $names == *" $argument "* ]] || usage
    printf -v "${argument#--}" true
  done
}

# Builds these products, or the server and the bots:  $bin is the folder of the executables.
build() {
  bin=${BIN:-}
  [ -z "$bin" ] || return 0
  [ $# -gt 0 ] || set -- roomserver loadtest
  for product; do swift build -c release --product "$product" >&2; done
  bin=$(swift build -c release --show-bin-path)
}

# Prints a measurement of loadtest with its command:  measure TITLE ARGUMENT…
# The command runs in $network, if that is set. A server that lost or skipped something makes it fail; the table lists that.
network=()
measure() {
  local title=$1
  shift
  [ -z "$title" ] || printf '\n### %s\n\n' "$title"
  printf '```\nloadtest'
  printf ' %s' "$@"
  printf '\n```\n\n'
  # Without a terminal, all output except the table is progress.
  "${network[@]}" "$bin/loadtest" "$@" > "$out/text" || true
  sed -nE '/^\| (run|CPU per program) /,$p' "$out/text"
}

# Prints the version of a Debian package.
version() { dpkg-query -W -f='${Version}' "$1" 2> /dev/null || echo absent; }

# Prints the machine, the build and the load, and the versions of packages:  machine NAME=PACKAGE…
machine() {
  local pair versions='' build='release build of'
  [ -z "${BIN:-}" ] || build="executables in $BIN, at"
  for pair; do versions+="${versions:+, }${pair%%=*} $(version "${pair#*=}")"; done
  printf '### Machine\n\n'
  printf -- '- %s\n' \
    "$(lscpu | sed -n 's/^Model name: *//p;s/^CPU family: */family /p' | paste -sd' ') × $(nproc), $(awk '/MemTotal/ {printf "%.0f GB", $2 / 1e6}' /proc/meminfo)" \
    "Linux $(uname -r), $(. /etc/os-release && echo "$PRETTY_NAME")" \
    "$(swift --version 2> /dev/null | grep -o 'Swift version [^ ]*' | head -1), $build $(git rev-parse --short HEAD)" \
    "$versions" \
    "load before: $(cut -d' ' -f1-3 /proc/loadavg)"
}

# Starts a server at 127.0.0.1:PORT, and waits until it answers:  serve PORT ARGUMENT…  Its process is $server.
serve() {
  local port=$1
  shift
  export ROOMSERVER_KEY=benchmark ROOMSERVER_SECRET=a-secret-for-the-length-of-one-measurement
  "${program:-$bin/roomserver}" serve --bind 127.0.0.1 --port "$port" --media-port 0 --data "$out/data" --log-level error \
    "$@" 2> "$out/log" &
  server=$!
  running[$server]=1
  until curl -sf "http://127.0.0.1:$port/healthz" > "$out/answer"; do
    kill -0 "$server" || { cat "$out/log" >&2; exit 1; }
    sleep 0.1
  done
}

# Stops the server that serve started.
stop() {
  kill "$server" 2> /dev/null || true
  wait "$server" 2> /dev/null || true
  unset "running[$server]"
}

# Starts bots, whose process is $bots:  load ARGUMENT…
load() {
  "$bin/loadtest" "$@" --server-pid "$server" --json > "$out/json" &
  bots=$!
  running[$bots]=1
}

# Waits until one of the server's metrics has a value:  reaches PORT NAME VALUE
reaches() {
  while [ "$(curl -s "http://127.0.0.1:$1/metrics" | awk -v name="$2" '$1 == name {print $2}')" != "$3" ]; do
    kill -0 "$bots" || exit 1
    sleep 0.2
  done
}

# Samples the server's stacks for some seconds, and waits for the bots.
sample() {
  perf record -q -e cpu-clock -F 1999 -g -p "$server" -o "$out/perf" -- sleep "$1" > /dev/null 2>&1
  wait "$bots" || true
  unset "running[$bots]"
}

# Prints where the sampled time was spent:  hottest KEY PERCENT, without entries below that share.
hottest() {
  perf report -i "$out/perf" --stdio --no-children -g none --percent-limit "$2" --sort "$1" 2> /dev/null |
    sed -E '/^#|^ *$/d; s/( +-)* *$//'
}
