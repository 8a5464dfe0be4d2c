"""Divides the time of a server's process by what its stacks show: reads `perf script -F comm,ip,sym,dso`, prints Markdown.

packet_time.py MICROSECONDS_A_PACKET < stacks
"""
import re
import sys

# The first rule that matches a stack counts: (step, pattern of a frame anywhere in the stack, or None for the rest).
RULES = [
    ("other threads: signalling, timers", "NOT A WORKER"),
    ("kernel: the receivers' half, which a loopback adds", r"process_backlog|net_rx_action|__netif_receive_skb"),
    ("kernel: cutting messages into packets (GSO)", r"__udp_gso_segment|skb_segment|skb_mac_gso_segment|udp4_ufo_fragment"),
    ("kernel: route and sending", r"__sendmmsg|linux_send"),
    ("kernel: receiving datagrams", r"__recvmmsg|recvmmsg|linux_receive"),
    ("kernel: waiting for datagrams", r"epoll"),
    ("sealing: AES-GCM", r"aes_gcm|gcm_seal|libIPSec|libcrypto|__strcmp|GCMCipher"),
    ("sealing: numbers and copies around it", r"SRTPSealer"),
    ("publishers' packets: opened, parsed, stored", r"receiveMedia|receiveRTP|7receive_4from|storeRedundant|5store"),
    ("forwarding: gates, headers, batches", r"9ForwarderC7forward_|forwardPending|SendBatch|9ForwarderC4send|9ForwarderC4pass"),
    ("clocks, reports, allocation of bitrates", None),
]


def step_of(thread, frames):
    if not thread.startswith("media"):
        return RULES[0][0]
    for step, pattern in RULES[1:-1]:
        if re.search(pattern, frames):
            return step
    return RULES[-1][0]


def main():
    whole = float(sys.argv[1])
    counts = {step: 0 for step, _ in RULES}
    for stack in sys.stdin.read().split("\n\n"):
        lines = stack.strip("\n").split("\n")
        if len(lines) > 1:
            counts[step_of(lines[0].strip(), "\n".join(lines[1:]))] += 1
    total = sum(counts.values())
    print("| step | share | ns a packet |\n|---|---|---|")
    for step, count in sorted(counts.items(), key=lambda item: -item[1]):
        print(f"| {step} | {100 * count / total:.1f} % | {1000 * whole * count / total:.0f} |")
    print(f"| **all** ({total} samples) | 100 % | {1000 * whole:.0f} |")


if __name__ == "__main__":
    main()
