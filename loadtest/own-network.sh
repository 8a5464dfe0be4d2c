#!/usr/bin/env bash
# Runs a command in a network of its own, which has a loopback and the address 10.90.0.1 and no way out: load stays where it is
# made, and servers that take no loopback address (Janus) have another one. Wants root, or a kernel that lets users have namespaces.
#
#   loadtest/own-network.sh loadtest fanout --start --target roomserver --target janus
set -euo pipefail

user=()
[ "$(id -u)" -eq 0 ] || user=(--user --map-root-user)
exec unshare --net "${user[@]}" bash -ec '
  ip link set lo up
  ip link add name bench type veth peer name far
  ip address add 10.90.0.1/24 dev bench
  ip link set bench up
  ip link set far up
  exec "$@"' own-network "$@"
