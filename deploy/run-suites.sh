#!/usr/bin/env bash
# run-suites.sh [--spare] WORKERS: runs test suites of the debug build in several processes, one process per line of standard input.
# A line is a regular expression for test names, as for `swift test --filter`, or `$ ` and a command. Within a process tests run
# serially, because tests with real media need the CPU time that parallel tests would take. Each process has a network of its own, if
# the machine permits that: neither its ports nor its devices are seen by the others.
#
# With --spare, a third and further process starts only while a quarter of the machine's CPU time is idle, or used by processes with a
# lower priority than normal: many run while they wait, and two on a busy machine. A run that itself has a lower priority counts only
# idle time.
#
# A process that fails runs once more, alone: that tells a defect from a machine that stood still. If it passes then, its first output is
# printed as unstable and is appended to the file $UNSTABLE; a test that is unstable has to be corrected. With $STRICT, or if more than
# three processes fail, none runs again.
#
# Prints one line per process with wall-clock and CPU time, the output of those that fail, the slowest ones, and the total; exits with 1
# if a test failed. Appends the output of those that fail to the file $FAILURES, if it is set. The CPU time does not contain programs
# that outlive the process, such as browsers.
set -uo pipefail
cd "$(dirname "$0")/.."
spare=
if [[ ${1:-} == --spare ]]; then spare=yes; shift; fi
workers=$1

# SwiftPM is not asked for the path: it may be busy.
tests=$PWD/.build/debug/roomserverPackageTests.xctest
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export NO_COLOR=1

# With a default route, which leads nowhere: Firefox takes its own address from the route.
network=(loadtest/own-network.sh sh -c 'ip route add default via 10.90.0.254; exec "$@"' suite)
"${network[@]}" true 2>/dev/null || network=()

# run NUMBER LINE: runs a process.
run() {
  local number=$1 line=$2 log=$logs/$1 result start=$SECONDS command
  if [[ $line == '$ '* ]]; then
    read -ra command <<<"${line#'$ '}"
  else
    command=("${network[@]}" "$tests" --testing-library swift-testing --no-parallel --filter "$line")
  fi
  # A process that prints nothing for 300 s is stuck.
  local TIMEFORMAT='%0U %0S' cpu
  { time {
    if deploy/watched.sh 300 "${command[@]}" >"$log" 2>&1; then
      result=passed
    else
      result=FAILED
      touch "$log.failed"
    fi
  }; } 2>"$log.cpu"
  cpu=$(awk '{ print $1 + $2 }' "$log.cpu")
  printf '%-6s %4d s, CPU %4d s  %s\n' "$result" $((SECONDS - start)) "$cpu" "$(cut -c 1-110 <<<"$line")" | tee "$log.line"
}

# Prints the CPU time of the machine so far, in ticks: all of it, and what was idle, waited for a disk, or had a lower priority.
ticks() {
  awk -v niceness="$(nice)" '/^cpu / { print $2 + $3 + $4 + $5 + $6 + $7 + $8 + $9, (niceness > 0 ? 0 : $3) + $5 + $6 }' /proc/stat
}

running() { jobs -rp | wc -l; }

# Waits until a quarter of the CPU time of two seconds was spare, or fewer than two processes run. A process that has just begun needs
# more than later.
wait_for_spare() {
  local all free before_all before_free
  read -r before_all before_free < <(ticks)
  while (($(running) >= 2)) && sleep 2; do
    read -r all free < <(ticks)
    (((free - before_free) * 4 >= all - before_all)) && return
    before_all=$all before_free=$free
  done
}

number=0
line_of=()
while IFS= read -r line; do
  while (($(running) >= workers)); do wait -n; done
  if [[ $spare ]]; then wait_for_spare; fi
  number=$((number + 1))
  line_of[number]=$line
  run "$number" "$line" </dev/null &
done
wait

marks=("$logs"/*.failed)
if [[ -e ${marks[0]} && ! ${STRICT:-} ]] && ((${#marks[@]} <= 3)); then
  for mark in "${marks[@]}"; do
    log=${mark%.failed}
    rm "$mark"
    mv "$log" "$log.first"
    printf 'Once more, alone: '
    run "${log##*/}" "${line_of[${log##*/}]}" </dev/null
    [[ -e $mark ]] || mv "$log.first" "$log.unstable"
  done
fi

# report LOG TITLE: prints what failed in a process.
report() {
  printf '\n== %s: %s\n' "$2" "$(cut -c 26- "${1%.unstable}.line")"
  # A cross, and the lines of its comment: those of a program that failed are many, and the reason is near their end.
  # A process that crashed or is stuck has no test with a cross.
  if ! awk -v limit=150 '
    /^(✘|◇|✔|➜)/ { shown = 0 }
    /^✘ Test .*(recorded|Caught)/ || /^error: / { shown = limit; found = 1 }
    shown > 0 { print; shown-- }
    END { exit !found }' "$1"; then
    # The reason comes first, and the backtrace of the crashed thread; what follows are registers.
    grep -A 60 -m 1 -E 'Fatal error|Crash:|crashed' "$1" || tail -40 "$1"
    grep -E '^◇ Test ("|[A-Za-z0-9_]+\()' "$1" | tail -1 | sed 's/^/The last test that began: /'
  fi
}

passed=$(find "$logs" -type f -name '*[0-9]' -exec cat {} +  | grep -cE '^✔ Test ("|[A-Za-z0-9_]+\()')
failed=0
for mark in "$logs"/*.failed; do
  [[ -e $mark ]] || continue
  log=${mark%.failed}
  report "$log" 'What failed' | tee -a "${FAILURES:-/dev/null}"
  count=$(grep -cE '^✘ Test ("|[A-Za-z0-9_]+\().* failed after' "$log")
  failed=$((failed + (count > 0 ? count : 1)))
done
for log in "$logs"/*.unstable; do
  [[ -e $log ]] && report "$log" 'Unstable, passed alone' | tee -a "${UNSTABLE:-/dev/null}"
done
printf 'The slowest:\n'
cat "$logs"/*.line | sort -k 2 -rn | head -10
printf '%d passed, %d failed; CPU %d s\n' "$passed" "$failed" "$(awk '{ sum += $1 + $2 } END { print sum }' "$logs"/*.cpu)"
# Without a test, the list of suites could not be read.
((failed == 0 && passed > 0))
