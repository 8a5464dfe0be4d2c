#!/usr/bin/env bash
# Measures another build of the server alternately with this one, by loadtest's fanout (also with feedback), viewers, mix and voice, and
# prints every run as Markdown. Each pair starts with the other executable than the previous pair. Requires a quiet machine, ffmpeg for mix,
# and python3.
#
#   Benchmarks/against.sh /tmp/before/roomserver        five pairs of each, 10 s a run (about 15 minutes)
#   PAIRS=2 SECONDS_EACH=5 ONLY="fanout voice" Benchmarks/against.sh /tmp/before/roomserver
. "$(dirname "$0")/measuring.sh"

before=${1:-}
[ $# -eq 1 ] && [ -x "$before" ] || usage
build
python3 - "$bin/loadtest" "$before" "$bin/roomserver" "${PAIRS:-5}" "${SECONDS_EACH:-10}" ${ONLY:-fanout viewers mix voice} <<'P'
import json, statistics, subprocess, sys

loadtest, before, after, pairs, seconds = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5]
# The arguments of each measurement, and the figure that is compared: the server's CPU per unit of work.
measurements = {
    "fanout": (["--target", "roomserver", "--subscribers", "200"], "cpu_us_per_packet", "µs a packet"),
    "feedback": (["--target", "roomserver", "--subscribers", "200", "--feedback", "100"], "cpu_us_per_packet", "µs a packet"),
    "viewers": (["--target", "roomserver", "--count", "1000"], "cpu_us_per_message", "µs a message"),
    "mix": (["--programs", "2", "--sources", "2"], "server_cores_per_program", "cores a program"),
    "voice": (["--target", "roomserver", "--speakers", "8", "--listeners", "100"], "cpu_percent", "% of a core"),
}
# The command of loadtest, where it is not the measurement's name.
commands = {"feedback": "fanout"}


def found(value, key):
    """The first value of a key, wherever it is in a JSON value."""
    if isinstance(value, dict):
        if isinstance(value.get(key), (int, float)):
            return value[key]
        value = list(value.values())
    for part in value if isinstance(value, list) else []:
        figure = found(part, key)
        if figure is not None:
            return figure
    return None


def measure(name, program):
    arguments, key, _ = measurements[name]
    run = subprocess.run(
        [loadtest, commands.get(name, name), "--start", "--roomserver", program, "--seconds", seconds, "--json", *arguments],
        capture_output=True, text=True)
    try:
        result = json.loads(run.stdout)
    except json.JSONDecodeError:
        sys.exit(f"loadtest {name}: {run.stderr}")
    return found(result, key), found(result, "others_cpu_percent") or 0


print("| | run | before | after | after : before | others' CPU % |\n| --- | --- | --- | --- | --- | --- |")
for name in sys.argv[6:]:
    ratios, unit = [], measurements[name][2]
    for pair in range(1, pairs + 1):
        order = [("before", before), ("after", after)]
        figures, others = {}, 0.0
        for label, program in order if pair % 2 else reversed(order):
            figures[label], other = measure(name, program)
            others = max(others, other)
        ratios.append(figures["after"] / figures["before"])
        print(f"| {name}, {unit} | {pair} | {figures['before']:.3f} | {figures['after']:.3f} | {ratios[-1]:.3f} | {others:.0f} |", flush=True)
    print(f"| **{name}** | median | | | **{statistics.median(ratios):.3f}** | |", flush=True)
P
