#pragma once
// Linux calls that Swift's Glibc module lacks. _GNU_SOURCE stays inside CLinux.c: in a public header it breaks the module merge.
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/// One datagram of a receive or send batch.
typedef struct {
  uint8_t *data;
  /// Receive: the space at `data`. Send: the bytes to send.
  uint32_t capacity;
  /// Receive: the bytes that came.
  uint32_t length;
  /// Send: bytes of each segment but the last when the kernel is to cut it (UDP GSO); 0 sends one datagram.
  uint16_t segment;
  struct sockaddr_storage address;
  uint32_t address_length;
} linux_datagram;

/// Creates an epoll instance; −1 and errno on failure.
int linux_epoll_create(void);
/// Watches `fd` for input, level-triggered; `tag` comes back from linux_epoll_wait.
int linux_epoll_add(int epoll, int fd, uint64_t tag);
/// Watches also for room to write where `output` is not 0; 0 on success.
int linux_epoll_modify(int epoll, int fd, uint64_t tag, int output);
int linux_epoll_remove(int epoll, int fd);
/// Waits up to `microseconds` (−1: for ever); fills `tags` with those that are ready and gives their number.
int linux_epoll_wait(int epoll, uint64_t *tags, int capacity, int64_t microseconds);
int linux_eventfd(void);
void linux_eventfd_signal(int fd);
void linux_eventfd_drain(int fd);
/// A non-blocking UDP socket bound to `address`, with socket buffers of `buffer_bytes`; −1 and errno on failure.
int linux_udp_socket(const struct sockaddr *address, uint32_t length, int buffer_bytes);
/// A non-blocking TCP socket that listens on `address`; −1 and errno on failure.
int linux_tcp_listen(const struct sockaddr *address, uint32_t length, int backlog);
/// accept4: a non-blocking connection that sends at once, keeps little unsent in the kernel (32 KiB), and gives up a peer that
/// acknowledges nothing for 30 s; −1 and errno where there is none.
int linux_tcp_accept(int fd, struct sockaddr_storage *address);
/// recvmmsg: how many of `batch` were filled; 0 when nothing is there; −1 and errno on failure. At most 64 a call.
int linux_receive(int fd, linux_datagram *batch, int count);
/// sendmmsg with a UDP_SEGMENT control message where `segment` is set: how many were taken; −1 and errno. At most 64 a call.
int linux_send(int fd, const linux_datagram *batch, int count);
/// sendto of one datagram, without segments: 0, or −1 and errno.
int linux_send_one(int fd, const linux_datagram *datagram);
/// Monotonic clock, microseconds.
int64_t linux_now_us(void);
/// CPU that the calling thread has used, microseconds.
int64_t linux_thread_cpu_us(void);
void linux_thread_name(const char *name);
/// Pins the calling thread; 0 on success.
int linux_thread_pin(int cpu);
int linux_cpu_count(void);
/// Open descriptors of this process; −1 where /proc is missing.
int linux_open_descriptors(void);
/// Resident memory of this process, bytes; −1 where /proc is missing.
int64_t linux_resident_bytes(void);
/// Gives memory that was freed back to the system, where the allocator keeps it for later.
void linux_release_freed_memory(void);
