#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// What forwarding costs at least: packets are sealed by OpenSSL's AES-128-GCM (RFC 7714) and sent with GSO, and nothing else is done.

typedef struct floor_loop floor_loop;

/// A packet without its seal. The header has 12 bytes.
typedef struct {
  uint8_t header[12];
  uint32_t ssrc;
  uint64_t index;
  const uint8_t *payload;
  uint32_t length;
  /// Whether the packet may follow others in one message, and others may follow.
  int joins;
} floor_packet;

/// Makes a loop that sends from this UDP socket. Returns NULL if there is no memory.
floor_loop *floor_make(int fd);
/// Adds a subscriber. `master` is 16 bytes of key and 12 of salt. Returns 0; −1 if OpenSSL fails or there are too many.
int floor_add(floor_loop *, const uint8_t *master, const struct sockaddr *address, uint32_t length);
/// Sends the packets to all subscribers. Returns the number of packets that the kernel took.
size_t floor_send(floor_loop *, const floor_packet *packets, size_t count);
