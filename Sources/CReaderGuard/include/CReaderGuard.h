#pragma once
// Decides about each address that the libraries of this process connect or send to. The program defines the C library's functions
// `connect`, `sendto`, `sendmsg`, `bind` and `listen`, which the shared libraries then call instead. Without a rule they do what the C
// library's do.
#include <stdint.h>

/// Sets the rule for the rest of the process. `permits` receives an IPv6 address of 16 bytes, with IPv4 addresses mapped into it
/// (RFC 4291 §2.5.5.2), and returns 0 for one that is refused: the call then fails with EACCES. Ports can no longer be bound, nor listened
/// on.
void reader_guard_enable(int (*permits)(const uint8_t *address));
