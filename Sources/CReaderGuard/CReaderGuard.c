#define _GNU_SOURCE
#include "CReaderGuard.h"
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int (*rule)(const uint8_t *);

void reader_guard_enable(int (*permits)(const uint8_t *address)) { rule = permits; }

static int is_refused(const struct sockaddr *address, socklen_t length) {
  if (!rule || !address) return 0;
  uint8_t bytes[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (address->sa_family == AF_INET && length >= sizeof(struct sockaddr_in)) {
    memcpy(bytes + 12, &((const struct sockaddr_in *)address)->sin_addr, 4);
  } else if (address->sa_family == AF_INET6 && length >= sizeof(struct sockaddr_in6)) {
    memcpy(bytes, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
  } else {
    // A path of a local socket, such as that of the name service, is for the C library, whose own calls are not redirected.
    errno = EACCES;
    return 1;
  }
  if (rule(bytes)) return 0;
  errno = EACCES;
  return 1;
}

int connect(int fd, const struct sockaddr *address, socklen_t length) {
  if (is_refused(address, length)) return -1;
  return (int)syscall(SYS_connect, fd, address, length);
}

ssize_t sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *address, socklen_t length) {
  if (is_refused(address, length)) return -1;
  return syscall(SYS_sendto, fd, data, size, flags, address, length);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  if (message && is_refused(message->msg_name, message->msg_namelen)) return -1;
  return syscall(SYS_sendmsg, fd, message, flags);
}

int bind(int fd, const struct sockaddr *address, socklen_t length) {
  int has_port = 1;
  if (address && address->sa_family == AF_INET && length >= sizeof(struct sockaddr_in)) {
    has_port = ((const struct sockaddr_in *)address)->sin_port != 0;
  } else if (address && address->sa_family == AF_INET6 && length >= sizeof(struct sockaddr_in6)) {
    has_port = ((const struct sockaddr_in6 *)address)->sin6_port != 0;
  }
  if (rule && has_port) {
    errno = EACCES;
    return -1;
  }
  return (int)syscall(SYS_bind, fd, address, length);
}

int listen(int fd, int backlog) {
  if (rule) {
    errno = EACCES;
    return -1;
  }
  return (int)syscall(SYS_listen, fd, backlog);
}
