#define _GNU_SOURCE
#include "CLinux.h"

#include <sys/prctl.h>
#include <signal.h>
#include <spawn.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef SOL_UDP
#define SOL_UDP 17
#endif

enum { batch_limit = 64 };

int linux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int linux_epoll_add(int epoll, int fd, uint64_t tag) {
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = tag};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

int linux_epoll_modify(int epoll, int fd, uint64_t tag, int output) {
  struct epoll_event event = {.events = EPOLLIN | (output ? EPOLLOUT : 0), .data.u64 = tag};
  return epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event);
}

int linux_epoll_remove(int epoll, int fd) { return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL); }

int linux_epoll_wait(int epoll, uint64_t *tags, int capacity, int64_t microseconds) {
  struct epoll_event events[16];
  if (capacity > 16) capacity = 16;
  struct timespec wait = {.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000};
  int count = epoll_pwait2(epoll, events, capacity, microseconds < 0 ? NULL : &wait, NULL);
  if (count < 0 && errno == ENOSYS) {  // kernels before 5.11
    count = epoll_wait(epoll, events, capacity, microseconds < 0 ? -1 : (int)((microseconds + 999) / 1000));
  }
  if (count < 0) return errno == EINTR ? 0 : -1;
  for (int i = 0; i < count; i++) tags[i] = events[i].data.u64;
  return count;
}

int linux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void linux_eventfd_signal(int fd) {
  uint64_t one = 1;
  ssize_t ignored = write(fd, &one, sizeof one);
  (void)ignored;
}

void linux_eventfd_drain(int fd) {
  uint64_t count;
  ssize_t ignored = read(fd, &count, sizeof count);
  (void)ignored;
}

int linux_udp_socket(const struct sockaddr *address, uint32_t length, int buffer_bytes) {
  int fd = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer_bytes, sizeof buffer_bytes);
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof buffer_bytes);
  if (bind(fd, address, length) != 0) {
    int cause = errno;
    close(fd);
    errno = cause;
    return -1;
  }
  return fd;
}

int linux_tcp_listen(const struct sockaddr *address, uint32_t length, int backlog) {
  int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  int yes = 1;
  // Allows binding a port that still has old connections in TIME_WAIT.
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(fd, address, length) != 0 || listen(fd, backlog) != 0) {
    int cause = errno;
    close(fd);
    errno = cause;
    return -1;
  }
  return fd;
}

int linux_tcp_accept(int fd, struct sockaddr_storage *address) {
  socklen_t length = sizeof *address;
  int connection = accept4(fd, (struct sockaddr *)address, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (connection < 0) return -1;
  int yes = 1, unsent = 32 << 10, silence_ms = 30000;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  setsockopt(connection, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
  setsockopt(connection, IPPROTO_TCP, TCP_USER_TIMEOUT, &silence_ms, sizeof silence_ms);
  return connection;
}

int linux_receive(int fd, linux_datagram *batch, int count) {
  struct mmsghdr messages[batch_limit];
  struct iovec vectors[batch_limit];
  if (count > batch_limit) count = batch_limit;
  for (int i = 0; i < count; i++) {
    vectors[i] = (struct iovec){.iov_base = batch[i].data, .iov_len = batch[i].capacity};
    messages[i].msg_hdr = (struct msghdr){
        .msg_name = &batch[i].address, .msg_namelen = sizeof batch[i].address, .msg_iov = &vectors[i], .msg_iovlen = 1};
  }
  int received = recvmmsg(fd, messages, count, MSG_DONTWAIT, NULL);
  if (received < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
  for (int i = 0; i < received; i++) {
    batch[i].length = messages[i].msg_len;
    batch[i].address_length = messages[i].msg_hdr.msg_namelen;
  }
  return received;
}

int linux_send(int fd, const linux_datagram *batch, int count) {
  struct mmsghdr messages[batch_limit];
  struct iovec vectors[batch_limit];
  union {
    char bytes[CMSG_SPACE(sizeof(uint16_t))];
    struct cmsghdr align;
  } control[batch_limit];
  if (count > batch_limit) count = batch_limit;
  for (int i = 0; i < count; i++) {
    vectors[i] = (struct iovec){.iov_base = batch[i].data, .iov_len = batch[i].capacity};
    messages[i].msg_len = 0;
    messages[i].msg_hdr = (struct msghdr){
        .msg_name = (void *)&batch[i].address, .msg_namelen = batch[i].address_length, .msg_iov = &vectors[i], .msg_iovlen = 1};
    if (batch[i].segment) {
      messages[i].msg_hdr.msg_control = control[i].bytes;
      messages[i].msg_hdr.msg_controllen = sizeof control[i].bytes;
      struct cmsghdr *header = CMSG_FIRSTHDR(&messages[i].msg_hdr);
      header->cmsg_level = SOL_UDP;
      header->cmsg_type = UDP_SEGMENT;
      header->cmsg_len = CMSG_LEN(sizeof(uint16_t));
      memcpy(CMSG_DATA(header), &batch[i].segment, sizeof(uint16_t));
    }
  }
  return sendmmsg(fd, messages, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int linux_send_one(int fd, const linux_datagram *datagram) {
  ssize_t sent = sendto(
      fd, datagram->data, datagram->capacity, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)&datagram->address,
      datagram->address_length);
  return sent < 0 ? -1 : 0;
}

int linux_network_watch(void) {
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (fd < 0) return -1;
  struct sockaddr_nl address = {
      .nl_family = AF_NETLINK,
      .nl_groups = RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE};
  if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) {
    int cause = errno;
    close(fd);
    errno = cause;
    return -1;
  }
  return fd;
}

int linux_network_wait(int fd) {
  char discarded[4096];
  ssize_t count = recv(fd, discarded, sizeof discarded, 0);
  // ENOBUFS: messages were lost, so something changed.
  return count > 0 || (count < 0 && (errno == EINTR || errno == ENOBUFS)) ? 0 : -1;
}

int linux_source_address(const struct sockaddr *remote, uint32_t length, struct sockaddr_storage *source) {
  int fd = socket(remote->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  socklen_t capacity = sizeof *source;
  int result = connect(fd, remote, length) == 0 ? getsockname(fd, (struct sockaddr *)source, &capacity) : -1;
  int cause = errno;
  close(fd);
  errno = cause;
  return result;
}

int64_t linux_now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t linux_thread_cpu_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void linux_thread_name(const char *name) { pthread_setname_np(pthread_self(), name); }

int linux_thread_pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

int linux_cpu_count(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
}

int linux_open_descriptors(void) {
  DIR *folder = opendir("/proc/self/fd");
  if (!folder) return -1;
  int count = 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    if (entry->d_name[0] != '.') count++;
  }
  closedir(folder);
  return count - 1;  // without the descriptor of the directory itself
}

int64_t linux_resident_bytes(void) {
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return -1;
  long size = 0, resident = 0;
  int fields = fscanf(file, "%ld %ld", &size, &resident);
  fclose(file);
  return fields == 2 ? (int64_t)resident * sysconf(_SC_PAGESIZE) : -1;
}

void linux_release_freed_memory(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

// Unmaps the pages of one executable file or library that the process has not changed.
static int release_pages(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  (void)context;
  for (int index = 0; index < object->dlpi_phnum; index++) {
    if (object->dlpi_phdr[index].p_type != PT_DYNAMIC) continue;
    const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[index].p_vaddr);
    for (; entry->d_tag != DT_NULL; entry++) {
      // The linker has changed the code itself.
      if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_TEXTREL)) return 0;
    }
  }
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int index = 0; index < object->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
    if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
    uintptr_t start = (object->dlpi_addr + segment->p_vaddr + page - 1) / page * page;
    uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_filesz) / page * page;
    // The kernel refuses the segment that is no file, the vDSO.
    if (end > start) madvise((void *)start, end - start, MADV_DONTNEED);
  }
  return 0;
}

void linux_release_code(void) { dl_iterate_phdr(release_pages, NULL); }

void linux_confine(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

int linux_spawn(const char *program, const char *argument, int *input, int *output) {
  int in[2] = {-1, -1}, out[2] = {-1, -1};
  pid_t process = -1;
  posix_spawn_file_actions_t actions;
  int result = posix_spawn_file_actions_init(&actions);
  if (result == 0 && (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)) result = errno;
  if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  if (result == 0) result = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  if (result == 0) {
    // The signals that event loops block or ignore are those of this process alone.
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    char *arguments[] = {(char *)program, (char *)argument, NULL};
    char *environment[] = {"LANG=C.UTF-8", NULL};
    result = posix_spawn(&process, program, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  if (result != 0) {
    close(in[1]);
    close(out[0]);
    errno = result;
    return -1;
  }
  *input = in[1];
  *output = out[0];
  return process;
}
