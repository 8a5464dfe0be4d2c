#define _GNU_SOURCE
#include "CNetwork.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/// Closes a descriptor and keeps errno.
static int close_failed(int descriptor) {
  int cause = errno;
  close(descriptor);
  errno = cause;
  return -1;
}

static void set_name(struct ifreq *request, const char *name) {
  memset(request, 0, sizeof *request);
  strncpy(request->ifr_name, name, IFNAMSIZ - 1);
}

static void set_address(struct ifreq *request, uint32_t address) {
  struct sockaddr_in *in = (struct sockaddr_in *)&request->ifr_addr;
  memset(in, 0, sizeof *in);
  in->sin_family = AF_INET;
  in->sin_addr.s_addr = htonl(address);
}

static int bring_up(int control, const char *name) {
  struct ifreq request;
  set_name(&request, name);
  if (ioctl(control, SIOCGIFFLAGS, &request) != 0) return -1;
  request.ifr_flags |= IFF_UP | IFF_RUNNING;
  return ioctl(control, SIOCSIFFLAGS, &request);
}

int network_loopback_up(void) {
  int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (control < 0) return -1;
  int result = bring_up(control, "lo");
  if (result != 0) return close_failed(control);
  return close(control);
}

int network_current(void) { return open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC); }

int network_enter(int descriptor) { return setns(descriptor, CLONE_NEWNET); }

int network_new(void) {
  int before = network_current();
  if (before < 0) return -1;
  if (unshare(CLONE_NEWNET) != 0) return close_failed(before);
  int made = network_loopback_up() == 0 ? network_current() : -1;
  int cause = errno;
  int back = network_enter(before);
  if (made >= 0 && back != 0) {
    close_failed(made);
    return close_failed(before);
  }
  close(before);
  errno = cause;
  return made;
}

int network_tun(const char *name, uint32_t address, int prefix, int mtu) {
  int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device < 0) return -1;
  struct ifreq request;
  set_name(&request, name);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (ioctl(device, TUNSETIFF, &request) != 0) return close_failed(device);
  int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (control < 0) return close_failed(device);
  int failed = 0;
  set_name(&request, name);
  set_address(&request, address);
  failed |= ioctl(control, SIOCSIFADDR, &request);
  set_name(&request, name);
  set_address(&request, prefix == 0 ? 0 : UINT32_MAX << (32 - prefix));
  failed |= ioctl(control, SIOCSIFNETMASK, &request);
  set_name(&request, name);
  request.ifr_mtu = mtu;
  failed |= ioctl(control, SIOCSIFMTU, &request);
  // The link's own queue drops packets; the device's must not.
  set_name(&request, name);
  request.ifr_qlen = 10000;
  failed |= ioctl(control, SIOCSIFTXQLEN, &request);
  failed |= bring_up(control, name);
  if (failed) {
    close_failed(control);
    return close_failed(device);
  }
  close(control);
  return device;
}

int network_thread_first(void) {
  struct sched_param priority = {.sched_priority = 20};
  int cause = pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
  if (cause == 0) return 0;
  errno = cause;
  return -1;
}
