#!/usr/bin/env bash
# Runs a command in a network namespace with a loopback, the address 10.90.0.1 and no route out: the load stays on this
# machine, and servers that reject loopback addresses (Janus) have another one. Requires root, or a kernel with user namespaces.
#
#   loadtest/own-network.sh loadtest fanout --start --target roomserver --target janus
set -euo pipefail

user=()
[ "$(id -u)" -eq 0 ] || user=(--user --map-root-user)
exec unshare --net "${user[@]}" bash -ec '
  ip link set lo up
  ip link add name bench type veth peer name far
  # An IPv6 address that becomes usable a second later would end the requests of a browser: ERR_NETWORK_CHANGED.
  ip link set dev bench addrgenmode none
  ip link set dev far addrgenmode none
  ip address add 10.90.0.1/24 dev bench
  ip link set bench up
  ip link set far up
  exec "$@"' own-network "$@"
