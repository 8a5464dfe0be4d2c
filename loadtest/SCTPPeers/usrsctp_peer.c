// A peer on usrsctp: raw SCTP packets over UDP on 127.0.0.1, and as much of the channel protocol as an echo needs (RFC 8832).
//
//   usrsctp_peer LOCAL_PORT REMOTE_PORT echo              returns every message on its stream; resets a stream that was reset;
//                                                         reads nothing for the seconds in a text message "pause N"
//   usrsctp_peer LOCAL_PORT REMOTE_PORT sink BYTES        prints what it took to receive so many bytes, and says "done"
//   usrsctp_peer LOCAL_PORT REMOTE_PORT source BYTES SIZE sends so many bytes in messages of SIZE, until the other side says "done"
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <usrsctp.h>

enum { BUFFER = 1 << 20, MESSAGE = 1 << 18, CONTROL = 50, TEXT = 51, BINARY = 53 };

static int udp;
static int self;

static void check(bool is_ok, const char *what) {
  if (is_ok) return;
  perror(what);
  exit(1);
}

static int output(void *address, void *packet, size_t length, uint8_t tos, uint8_t df) {
  (void)address, (void)tos, (void)df;
  return send(udp, packet, length, 0) < 0 && errno != EAGAIN && errno != ECONNREFUSED ? errno : 0;
}

static void *receive(void *unused) {
  static char packet[65536];
  for (;;) {
    ssize_t length = recv(udp, packet, sizeof packet, 0);
    if (length > 0) usrsctp_conninput(&self, packet, length, 0);
  }
  return unused;
}

static struct sockaddr_in loopback(int port) {
  return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static double cpu(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void set(struct socket *sock, int level, int option, const void *value, socklen_t length) {
  check(usrsctp_setsockopt(sock, level, option, value, length) == 0, "setsockopt");
}

static struct socket *associate(int local, int remote) {
  udp = socket(AF_INET, SOCK_DGRAM, 0);
  int size = 4 << 20;
  setsockopt(udp, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  struct sockaddr_in from = loopback(local), to = loopback(remote);
  check(bind(udp, (struct sockaddr *)&from, sizeof from) == 0, "bind");
  check(connect(udp, (struct sockaddr *)&to, sizeof to) == 0, "connect");

  usrsctp_init(0, output, NULL);
  usrsctp_sysctl_set_sctp_ecn_enable(0);
  usrsctp_register_address(&self);
  struct socket *sock = usrsctp_socket(AF_CONN, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
  check(sock != NULL, "usrsctp_socket");
  uint32_t on = 1;
  set(sock, IPPROTO_SCTP, SCTP_NODELAY, &on, sizeof on);
  set(sock, IPPROTO_SCTP, SCTP_RECVRCVINFO, &on, sizeof on);
  int buffer = BUFFER;
  set(sock, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
  set(sock, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
  struct sctp_assoc_value reset = {.assoc_id = SCTP_ALL_ASSOC, .assoc_value = SCTP_ENABLE_RESET_STREAM_REQ};
  set(sock, IPPROTO_SCTP, SCTP_ENABLE_STREAM_RESET, &reset, sizeof reset);
  uint16_t kinds[] = {SCTP_STREAM_RESET_EVENT, SCTP_ASSOC_CHANGE};
  for (size_t i = 0; i < 2; i++) {
    struct sctp_event event = {.se_assoc_id = SCTP_ALL_ASSOC, .se_type = kinds[i], .se_on = 1};
    set(sock, IPPROTO_SCTP, SCTP_EVENT, &event, sizeof event);
  }
  struct sctp_initmsg init = {.sinit_num_ostreams = 1024, .sinit_max_instreams = 1024};
  set(sock, IPPROTO_SCTP, SCTP_INITMSG, &init, sizeof init);
  struct sockaddr_conn address = {.sconn_family = AF_CONN, .sconn_port = htons(5000), .sconn_addr = &self};
  check(usrsctp_bind(sock, (struct sockaddr *)&address, sizeof address) == 0, "usrsctp_bind");
  pthread_t thread;
  pthread_create(&thread, NULL, receive, NULL);
  check(usrsctp_connect(sock, (struct sockaddr *)&address, sizeof address) == 0, "usrsctp_connect");
  struct sctp_paddrparams path = {.spp_flags = SPP_PMTUD_DISABLE, .spp_pathmtu = 1160};
  memcpy(&path.spp_address, &address, sizeof address);
  set(sock, IPPROTO_SCTP, SCTP_PEER_ADDR_PARAMS, &path, sizeof path);
  return sock;
}

static void transmit(struct socket *sock, const void *message, size_t length, uint16_t stream, uint32_t protocol) {
  struct sctp_sndinfo info = {.snd_sid = stream, .snd_ppid = htonl(protocol), .snd_flags = SCTP_EOR};
  check(
      usrsctp_sendv(sock, message, length, NULL, 0, &info, sizeof info, SCTP_SENDV_SNDINFO, 0) == (ssize_t)length,
      "usrsctp_sendv");
}

// Reads a whole message, or a notification. Returns its length; 0 at the end.
static size_t next_message(struct socket *sock, char *message, struct sctp_rcvinfo *info, int *flags) {
  size_t length = 0;
  for (;;) {
    socklen_t size = sizeof *info;
    unsigned int type = 0;
    *flags = 0;
    ssize_t count = usrsctp_recvv(sock, message + length, MESSAGE - length, NULL, NULL, info, &size, &type, flags);
    if (count <= 0) return 0;
    length += count;
    if (*flags & MSG_EOR) return length;
  }
}

static void notified(struct socket *sock, char *message) {
  struct sctp_stream_reset_event *event = (void *)message;
  if (event->strreset_type != SCTP_STREAM_RESET_EVENT || !(event->strreset_flags & SCTP_STREAM_RESET_INCOMING_SSN)) return;
  size_t count = (event->strreset_length - sizeof *event) / 2;
  struct sctp_reset_streams *reset = calloc(1, sizeof *reset + count * 2);
  reset->srs_flags = SCTP_STREAM_RESET_OUTGOING;
  reset->srs_number_streams = count;
  memcpy(reset->srs_stream_list, event->strreset_stream_list, count * 2);
  if (usrsctp_setsockopt(sock, IPPROTO_SCTP, SCTP_RESET_STREAMS, reset, sizeof *reset + count * 2)) perror("reset");
  free(reset);
}

static void print_costs(size_t bytes, double begun, double used) {
  printf("{\"bytes\": %zu, \"seconds\": %.3f, \"cpu\": %.3f}\n", bytes, now() - begun, cpu() - used);
  fflush(stdout);
}

int main(int count, char **arguments) {
  check(count >= 4, "usage: usrsctp_peer LOCAL_PORT REMOTE_PORT echo|sink|source [BYTES [SIZE]]");
  const char *mode = arguments[3];
  size_t total = count > 4 ? strtoul(arguments[4], NULL, 10) : 0;
  struct socket *sock = associate(atoi(arguments[1]), atoi(arguments[2]));
  char *message = calloc(1, MESSAGE);
  double begun = 0, used = 0;
  size_t received = 0;
  if (strcmp(mode, "source") == 0) {
    size_t size = count > 5 ? strtoul(arguments[5], NULL, 10) : 16384;
    begun = now();
    used = cpu();
    for (size_t sent = 0; sent < total; sent += size) transmit(sock, message, size, 0, BINARY);
  }
  for (;;) {
    struct sctp_rcvinfo info = {0};
    int flags = 0;
    size_t length = next_message(sock, message, &info, &flags);
    if (length == 0) return 0;
    if (flags & MSG_NOTIFICATION) {
      notified(sock, message);
      continue;
    }
    uint32_t protocol = ntohl(info.rcv_ppid);
    if (protocol == CONTROL) {
      if (message[0] == 3) transmit(sock, "\2", 1, info.rcv_sid, CONTROL);
    } else if (strcmp(mode, "echo") == 0) {
      int pause = 0;
      if (protocol == TEXT && length < 32 && sscanf(message, "pause %d", &pause) == 1) sleep(pause);
      transmit(sock, message, length, info.rcv_sid, protocol);
    } else if (strcmp(mode, "sink") == 0) {
      if (received == 0) begun = now(), used = cpu();
      received += length;
      if (received >= total) {
        transmit(sock, "done", 4, 0, TEXT);
        print_costs(received, begun, used);
        total = SIZE_MAX;
      }
    } else if (protocol == TEXT) {
      print_costs(total, begun, used);
      return 0;
    }
  }
}
