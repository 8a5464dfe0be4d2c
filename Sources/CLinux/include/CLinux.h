#pragma once
// Linux calls missing in Swift's Glibc module. Only CLinux.c defines _GNU_SOURCE: in a public header it breaks the module merge.
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/// One datagram of a receive or send batch.
typedef struct {
  uint8_t *data;
  /// Receive: the capacity of `data` in bytes. Send: the number of bytes to send.
  uint32_t capacity;
  /// Receive: the number of bytes received.
  uint32_t length;
  /// Send: bytes per segment, except the last, if the kernel segments the message (UDP GSO); 0 sends one datagram.
  uint16_t segment;
  struct sockaddr_storage address;
  uint32_t address_length;
} linux_datagram;

/// Creates an epoll instance; returns −1 and sets errno on failure.
int linux_epoll_create(void);
/// Watches `fd` for input, level-triggered; linux_epoll_wait returns `tag`.
int linux_epoll_add(int epoll, int fd, uint64_t tag);
/// If `output` is not 0, watches for writability too; returns 0 on success.
int linux_epoll_modify(int epoll, int fd, uint64_t tag, int output);
int linux_epoll_remove(int epoll, int fd);
/// Waits up to `microseconds` (−1: without a limit); fills `tags` with the ready ones and returns their number.
int linux_epoll_wait(int epoll, uint64_t *tags, int capacity, int64_t microseconds);
int linux_eventfd(void);
void linux_eventfd_signal(int fd);
void linux_eventfd_drain(int fd);
/// Creates a non-blocking UDP socket bound to `address`, with socket buffers of `buffer_bytes`; returns −1 and sets errno on
/// failure.
int linux_udp_socket(const struct sockaddr *address, uint32_t length, int buffer_bytes);
/// Creates a non-blocking TCP socket that listens on `address`; returns −1 and sets errno on failure.
int linux_tcp_listen(const struct sockaddr *address, uint32_t length, int backlog);
/// accept4: returns a non-blocking connection, or −1 and sets errno if there is none. The connection sends without delay, keeps
/// at most 32 KiB unsent in the kernel, and fails if the peer acknowledges nothing for 30 s.
int linux_tcp_accept(int fd, struct sockaddr_storage *address);
/// recvmmsg: returns the number of datagrams received; 0 if none is waiting; −1 and sets errno on failure. At most 64 per call.
int linux_receive(int fd, linux_datagram *batch, int count);
/// sendmmsg, with a UDP_SEGMENT control message if `segment` is set: returns the number of messages sent; −1 and sets errno on
/// failure. At most 64 per call.
int linux_send(int fd, const linux_datagram *batch, int count);
/// sendto of one datagram, without segments: returns 0; −1 and sets errno on failure.
int linux_send_one(int fd, const linux_datagram *datagram);
/// Creates a netlink socket that becomes readable when addresses or routes of this network namespace change; returns −1 and sets
/// errno on failure.
int linux_network_watch(void);
/// Waits until the watch's socket is readable and discards what it received; returns −1 and sets errno on failure.
int linux_network_wait(int fd);
/// Writes the local address that the kernel would send from to reach `remote`; sends nothing. Returns 0; −1 and sets errno if
/// there is no route.
int linux_source_address(const struct sockaddr *remote, uint32_t length, struct sockaddr_storage *source);
/// Returns the time of the monotonic clock in microseconds.
int64_t linux_now_us(void);
/// Returns the CPU time that the calling thread has used, in microseconds.
int64_t linux_thread_cpu_us(void);
void linux_thread_name(const char *name);
/// Pins the calling thread to a core; returns 0 on success.
int linux_thread_pin(int cpu);
int linux_cpu_count(void);
/// Returns the number of open descriptors of this process; −1 if /proc is missing.
int linux_open_descriptors(void);
/// Returns the resident memory of this process in bytes; −1 if /proc is missing.
int64_t linux_resident_bytes(void);
/// Returns freed memory that the allocator caches to the system.
void linux_release_freed_memory(void);
/// Unmaps the code and constants of this process. What is used again is read from the page cache, one fault for 64 kB.
void linux_release_code(void);
/// Ends this process by SIGKILL when its parent ends, and lets none of its programs gain privileges.
void linux_confine(void);
/// Starts a program with one argument, and nothing else of this process than its error output. Sets `input` and `output` to pipes to
/// its standard input and from its standard output. Returns its process id, or −1 and sets errno on failure.
int linux_spawn(const char *program, const char *argument, int *input, int *output);
