#!/usr/bin/env bash
# run-suites.sh WORKERS: runs test suites of the debug build in several processes, one process per line of standard input.
# A line is a regular expression for test names, as for `swift test --filter`. Within a process tests run serially, because tests
# with real media need the CPU time that parallel tests would take. Prints one line per process with wall-clock and CPU time, the output
# of those that fail, the slowest ones, and the total; exits with 1 if a test failed. Appends the output of those that fail to the file
# $FAILURES, if it is set.
set -uo pipefail
cd "$(dirname "$0")/.."
workers=$1

tests=$(swift build --show-bin-path)/roomserverPackageTests.xctest
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# Suites that add network devices. A browser ends all its requests when a device appears, so these suites have a network of their
# own.
adds_devices='(Edge|KilledOwner|NodeFault|RedisFault)Tests/$'

run() {
  local number=$1 filter=$2 log result start=$SECONDS network=()
  log=$logs/$number
  [[ $filter =~ $adds_devices ]] && network=(loadtest/own-network.sh)
  # A process that prints nothing for 300 s is stuck.
  local TIMEFORMAT='%0U %0S' cpu
  { time {
    if deploy/watched.sh 300 "${network[@]}" "$tests" --testing-library swift-testing --no-parallel --filter "$filter" >"$log" 2>&1; then
      result=passed
    else
      result=FAILED
      touch "$log.failed"
    fi
  }; } 2>"$log.cpu"
  cpu=$(awk '{ print $1 + $2 }' "$log.cpu")
  printf '%-6s %4d s, CPU %4d s  %s\n' "$result" $((SECONDS - start)) "$cpu" "$(cut -c 1-110 <<<"$filter")" | tee "$log.line"
}
export -f run
export tests logs adds_devices NO_COLOR=1

nl -w 1 -s $'\t' | xargs -d '\n' -P "$workers" -I{} bash -c 'line=$1; run "${line%%	*}" "${line#*	}"' _ {}

# report LOG: prints what failed in a process.
report() {
  printf '\n== What failed in %s\n' "$(sed -n 's/.*Test run with/the run of/p' "$1" | tail -1)"
  # A cross, and the lines of its comment: those of a program that failed are many, and the reason is near their end.
  # A process that crashed or is stuck has no test with a cross.
  if ! awk -v limit=150 '
    /^(✘|◇|✔|➜)/ { shown = 0 }
    /^✘ Test .*(recorded|Caught)/ || /^error: / { shown = limit; found = 1 }
    shown > 0 { print; shown-- }
    END { exit !found }' "$1"; then
    # The reason comes first, and the backtrace of the crashed thread; what follows are registers.
    grep -A 60 -m 1 -E 'Fatal error|Crash:|crashed' "$1" || tail -40 "$1"
    printf 'The last test that began: %s\n' "$(grep -E '^◇ Test ("|[A-Za-z0-9_]+\()' "$1" | tail -1)"
  fi
}

passed=$(find "$logs" -type f -name '*[0-9]' -exec cat {} +  | grep -cE '^✔ Test ("|[A-Za-z0-9_]+\()')
failed=0
for mark in "$logs"/*.failed; do
  [[ -e $mark ]] || continue
  log=${mark%.failed}
  report "$log" | tee -a "${FAILURES:-/dev/null}"
  count=$(grep -cE '^✘ Test ("|[A-Za-z0-9_]+\().* failed after' "$log")
  failed=$((failed + (count > 0 ? count : 1)))
done
printf 'The slowest:\n'
cat "$logs"/*.line | sort -k 2 -rn | head -10
printf '%d passed, %d failed\n' "$passed" "$failed"
# Without a test, the list of suites could not be read.
((failed == 0 && passed > 0))
