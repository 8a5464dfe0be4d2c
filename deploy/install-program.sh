#!/usr/bin/env bash
# Installs a program without its debug information, and the debug information beside it, for debuggers.
#
#   deploy/install-program.sh PROGRAM DESTINATION [SYMBOLS]
#
# DESTINATION is the path of the installed program. SYMBOLS is that of its symbols, DESTINATION.debug by default; `-` for none. The
# installed program keeps the names of its functions, so that backtraces have names without the symbols. Needs binutils.
set -euo pipefail

[[ $# -ge 2 && $# -le 3 ]] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 64; }
program=$1 destination=$2 symbols=${3:-$2.debug}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

objcopy --only-keep-debug "$program" "$work/symbols"
# Modules of the compiler, of which debuggers of Swift alone make use, stay in the symbols.
nm --format=posix --defined-only "$program" | awk '$2 ~ /^[tT]$/ { print $1 }' >"$work/functions"
objcopy --strip-all --keep-symbols="$work/functions" --remove-section=.swift_ast "$program" "$work/program"
if [[ $symbols != - ]]; then
  # The link has the name of the file, which debuggers look for beside the program and below /usr/lib/debug.
  cp "$work/symbols" "$work/$(basename "$symbols")"
  objcopy --add-gnu-debuglink="$work/$(basename "$symbols")" "$work/program"
  install -D -m 644 "$work/symbols" "$symbols"
fi
install -D -m 755 "$work/program" "$destination"
