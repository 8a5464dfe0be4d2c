#!/usr/bin/env bash
# Runs the checks of this repository on a Debian 12 or Ubuntu 22.04+ machine that has only a Swift toolchain.
#
#   deploy/test.sh                    everything: format, a build without warnings, the console, REST, all Swift tests
#   deploy/test.sh --strict           the same, and a suite that fails does not run once more alone
#   deploy/test.sh --long             the same, with real-time tests at their full length
#   deploy/test.sh --unit             the Swift tests that need no other program and no long wait
#   deploy/test.sh --module RTPTests  compiles and runs one test module, and the modules that it needs
#   deploy/test.sh --again 20 SUITE   builds, and runs the suites whose names match a regular expression until one fails, 20 times at most
#
# A stage that fails does not hide the later ones. Exits with 0 only if all stages pass.
set -uo pipefail
cd "$(dirname "$0")/.."

say() { printf '\n== %s\n' "$*"; }
usage() { sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 64; }

failures=()
# What the failed tests printed, for the end of the output.
FAILURES=$(mktemp)
export FAILURES
# What failed once and passed alone.
UNSTABLE=$(mktemp)
export UNSTABLE
# The output of a stage that runs beside another one.
BESIDE=$(mktemp)
beside_process=
trap 'rm -f "$FAILURES" "$UNSTABLE" "$BESIDE"; kill $beside_process 2>/dev/null' EXIT
# stage NAME COMMAND...: runs a stage, prints its time, and remembers its failure.
stage() {
  local name=$1 start=$SECONDS
  shift
  say "$name"
  "$@" || failures+=("$name")
  printf -- '-- %s: %d s\n' "$name" $((SECONDS - start))
}

# beside NAME COMMAND...: starts a stage in the background, with the lowest priority. `finish` waits for the end of the stage and prints
# the output.
beside() {
  beside_name=$1 beside_start=$SECONDS
  shift
  { renice -n 19 "$BASHPID" >/dev/null; "$@"; } >"$BESIDE" 2>&1 &
  beside_process=$!
}
finish() {
  say "$beside_name"
  wait "$beside_process" || failures+=("$beside_name")
  beside_process=
  cat "$BESIDE"
  printf -- '-- %s: %d s, beside the stages before\n' "$beside_name" $((SECONDS - beside_start))
}

# The names of all suites, from the list of tests, which takes some seconds to make.
suites() { printf '%s\n' "$SUITES"; }
list_suites() { swift test list --skip-build 2>/dev/null | sed -nE 's#^(.+)/[^/]+$#\1#p' | sort -u; }
filter() { sed -E 's/[.]/\\./g; s#.*#^&/#'; }

peers='^(Interop|LoadtestTests)\.'
# modules WORKERS: each of sixteen processes takes every sixteenth suite, so that slow modules are spread.
modules() {
  suites | grep -vE "$peers" | sed -E 's/[.]/\\./g' \
    | awk '{ line[NR % 16] = line[NR % 16] (line[NR % 16] ? "|" : "") $0 } END { for (n in line) print "^(" line[n] ")/" }' \
    | deploy/run-suites.sh "$1"
}
# All that computes more than it waits.
computing() {
  local status=0
  modules 2 || status=1
  deploy/check-docs.sh || status=1
  return $status
}

# Tests that follow pictures and sound to the frame, and those with the most peers: one process at a time.
exact='/(Everybody|StageProgram|LiveKitLayers|LossySound|PK[A-Za-z]*|Merge|VoiceRoom[A-Za-z]*|HLSDelay|NarrowNodeLink|EdgeAudience|ForwardPeers)Tests$'
with_exact_media() { suites | grep -E "$peers" | grep -E "$exact" | filter | deploy/run-suites.sh 1; }

# The other tests with other programs, which mostly wait: as many as the CPU carries, the longest first.
with_peers() {
  local longest
  longest=$(printf '[./]%s$\n' {ClientLibrary,Streaming,WatchPage,WebClientExamples,WebClientFault,WebClientHeap,Firefox,ConsoleShow,Players,DocumentedCommands,ConsoleKeyboard,ConsoleList}Tests \
    {Edge,ForwardPeers,Console,ConsoleLive,ConsoleRecordings,ConsoleNetwork,WHIP,ViewersRun,Play,SRTIngest,Janus,HLSPlayback}Tests \
    {Ingest,ConsoleViews,Network,Forward,ConsoleAccess,ConsoleAlarms,KilledEgress,KilledHistory,Loss}Tests)
  {
    echo '$ Tests/Interop/REST/schemathesis.sh'
    { for name in $longest; do suites | grep "$name"; done; suites; } \
      | grep -E "$peers" | grep -vE "$exact|ClientGuideTextTests" | awk '!seen[$0]++' | filter
  } | deploy/run-suites.sh --spare 6
}

# The media path is optimised in a debug build, too. A ratio worse than its bar is measured once more: something else may have used the machine.
records() {
  local bin
  bin=$(swift build --show-bin-path) || return
  BIN=$bin Benchmarks/records.sh --quick || BIN=$bin Benchmarks/records.sh --quick
}

# again TIMES SUITE: repeats suites until one fails.
again() {
  local number
  for ((number = 1; number <= $1; number++)); do
    printf '%d of %d: ' "$number" "$1"
    echo "$2" | STRICT=yes deploy/run-suites.sh 1 >"$BESIDE" || { cat "$BESIDE"; return 1; }
    head -1 "$BESIDE"
  done
}

module=
long=
times=
units=
while (($#)); do
  case $1 in
    --module) module=${2:-}; [[ $module ]] || usage; shift ;;
    --unit) units=yes ;;
    --again) times=${2:-} suite=${3:-}; [[ $times =~ ^[0-9]+$ && $suite ]] || usage; shift 2 ;;
    --long) long=yes ;;
    --strict) export STRICT=yes ;;
    *) usage ;;
  esac
  shift
done

deploy/check-toolchain.sh || exit
if [[ $module ]]; then
  # The package then consists of this module and what it needs; its build is kept apart, so that neither build undoes the other.
  export ROOMSERVER_MODULE=$module
  exec swift test --scratch-path .build-module
fi
deploy/install-packages.sh --tests || exit
CHROMIUM=$(deploy/chromium.sh) || exit
export CHROMIUM
if [[ $long ]]; then export ROOMSERVER_LONG_TESTS=yes; fi

[[ $units ]] || stage "Format" swift format lint --strict --recursive --parallel Package.swift Sources Tests loadtest
[[ $units ]] || stage "Console: types and lint" deploy/check-console.sh
say "Build (the first one takes some minutes)"
# No later stage can run without it.
swift build --build-tests || exit
if [[ $times ]]; then again "$times" "$suite"; exit; fi
SUITES=$(list_suites)
if [[ $units ]]; then
  stage "Tests of the modules" modules 4
else
  beside "Tests of the modules, documentation of the libraries" computing
  stage "Tests of exact media" with_exact_media
  stage "REST API against api/openapi.yaml, tests with other programs" with_peers
  finish
  stage "Records of the media path, in short" records
  stage "An app that embeds RoomClient" Tests/Embedding/run.sh ${long:+--build}
  if [[ -s $UNSTABLE ]]; then
    say "Unstable: each failed once, and passed alone"
    cat "$UNSTABLE"
  fi
  # The output ends with that of `swift test` itself.
  say "Tests of the documentation's code, and of folders"
  swift test --skip-build --filter 'ClientGuideTextTests|ArchitectureTests' || failures+=("Tests of the documentation's code")
fi

if ((${#failures[@]})); then
  say "Failed"
  printf '%s\n' "${failures[@]}"
  cat "$FAILURES"
  exit 1
fi
