#pragma once
// Calls about network namespaces and TUN devices that Swift's Glibc module lacks.
#include <stdint.h>

/// Returns a descriptor of the calling thread's network namespace; −1 and sets errno on failure.
int network_current(void);
/// Brings up the loopback of the calling thread's network namespace. Returns 0; −1 and sets errno on failure.
int network_loopback_up(void);
/// Returns a descriptor of a new network namespace whose loopback is up; −1 and sets errno on failure. The calling thread stays
/// in its namespace.
int network_new(void);
/// Moves the calling thread to a network namespace. Returns 0; −1 and sets errno on failure.
int network_enter(int descriptor);
/// Opens a TUN device in the calling thread's network namespace, gives it an IPv4 address in host byte order with a prefix of
/// `prefix` bits, and brings it up. Reads do not block. The device is removed when its descriptor is closed. Returns −1 and
/// sets errno on failure.
int network_tun(const char *name, uint32_t address, int prefix, int mtu);
/// Schedules the calling thread before all ordinary threads (SCHED_FIFO). Returns 0; −1 and sets errno if that is not allowed.
int network_thread_first(void);
