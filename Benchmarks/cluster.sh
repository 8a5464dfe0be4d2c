#!/usr/bin/env bash
# Simulates placement and failure in a cluster in virtual time, and prints the tables of docs/performance/scale.md. Takes half a minute.
#
#   Benchmarks/cluster.sh                                   1000 nodes, 100,000 rooms, a million viewers
#   Benchmarks/cluster.sh --nodes 100 --rooms 10000 --viewers 100000 --seed 2
#
# Writes the chart to docs/images/cluster.svg; other options are those of `cluster-simulation --help`.
. "$(dirname "$0")/measuring.sh"

build cluster-simulation
"$bin/cluster-simulation" --chart docs/images/cluster.svg "$@"
