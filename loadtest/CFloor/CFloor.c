#define _GNU_SOURCE
#include "CFloor.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <openssl/evp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef SOL_UDP
#define SOL_UDP 17
#endif

enum { subscriber_limit = 4096, batch = 64, slot = 1664, message_packets = 8, tag = 16 };

typedef struct {
  EVP_CIPHER_CTX *cipher;
  uint8_t salt[12];
  struct sockaddr_storage address;
  uint32_t length;
} subscriber;

struct floor_loop {
  int fd;
  size_t count;
  subscriber subscribers[subscriber_limit];
  uint8_t slab[batch * slot];
  struct mmsghdr messages[batch];
  struct iovec vectors[batch];
  union {
    char bytes[CMSG_SPACE(sizeof(uint16_t))];
    struct cmsghdr align;
  } control[batch];
  uint16_t segments[batch];
  int packets[batch];
  int message_count, packet_count;
  size_t used, joinable, sent;
};

floor_loop *floor_make(int fd) {
  floor_loop *loop = calloc(1, sizeof *loop);
  if (loop) loop->fd = fd;
  return loop;
}

/// RFC 3711 §4.3: the session key or salt of a label, by AES in counter mode.
static int derive(const uint8_t *master, uint8_t label, uint8_t *key, int length) {
  uint8_t iv[16] = {0}, zeros[16] = {0};
  memcpy(iv, master + 16, 12);
  iv[7] ^= label;
  EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
  int written = 0;
  int made = cipher && EVP_EncryptInit_ex(cipher, EVP_aes_128_ctr(), NULL, master, iv) == 1 &&
             EVP_EncryptUpdate(cipher, key, &written, zeros, length) == 1;
  EVP_CIPHER_CTX_free(cipher);
  return made;
}

int floor_add(floor_loop *loop, const uint8_t *master, const struct sockaddr *address, uint32_t length) {
  if (loop->count == subscriber_limit || length > sizeof(struct sockaddr_storage)) return -1;
  subscriber *new = &loop->subscribers[loop->count];
  uint8_t key[16];
  new->cipher = EVP_CIPHER_CTX_new();
  if (!new->cipher || !derive(master, 0, key, 16) || !derive(master, 2, new->salt, 12) ||
      EVP_EncryptInit_ex(new->cipher, EVP_aes_128_gcm(), NULL, key, NULL) != 1) {
    return -1;
  }
  memcpy(&new->address, address, length);
  new->length = length;
  loop->count++;
  return 0;
}

static void flush(floor_loop *loop) {
  for (int i = 0; i < loop->message_count; i++) {
    struct msghdr *header = &loop->messages[i].msg_hdr;
    if (loop->packets[i] < 2) continue;
    header->msg_control = loop->control[i].bytes;
    header->msg_controllen = sizeof loop->control[i].bytes;
    struct cmsghdr *control = CMSG_FIRSTHDR(header);
    control->cmsg_level = SOL_UDP;
    control->cmsg_type = UDP_SEGMENT;
    control->cmsg_len = CMSG_LEN(sizeof(uint16_t));
    memcpy(CMSG_DATA(control), &loop->segments[i], sizeof(uint16_t));
  }
  for (int first = 0; first < loop->message_count;) {
    int taken = sendmmsg(loop->fd, loop->messages + first, loop->message_count - first, MSG_NOSIGNAL);
    if (taken < 0 && errno == EAGAIN) {
      struct pollfd writable = {.fd = loop->fd, .events = POLLOUT};
      poll(&writable, 1, 100);
    } else if (taken < 0) {
      first++;
    } else {
      for (int i = first; i < first + taken; i++) loop->sent += loop->packets[i];
      first += taken;
    }
  }
  loop->message_count = loop->packet_count = 0;
  loop->used = loop->joinable = 0;
}

static void commit(floor_loop *loop, subscriber *to, size_t length, int joins) {
  uint8_t *place = loop->slab + loop->used;
  loop->used += length;
  loop->packet_count++;
  if (joins && length <= loop->joinable) {
    int last = loop->message_count - 1;
    loop->segments[last] = loop->joinable;
    loop->vectors[last].iov_len += length;
    if (++loop->packets[last] == message_packets || length < loop->joinable) loop->joinable = 0;
    return;
  }
  int new = loop->message_count++;
  loop->vectors[new] = (struct iovec){.iov_base = place, .iov_len = length};
  loop->messages[new] = (struct mmsghdr){
      .msg_hdr = {.msg_name = &to->address, .msg_namelen = to->length, .msg_iov = &loop->vectors[new], .msg_iovlen = 1}};
  loop->packets[new] = 1;
  loop->joinable = joins ? length : 0;
}

size_t floor_send(floor_loop *loop, const floor_packet *packets, size_t count) {
  loop->sent = 0;
  for (size_t i = 0; i < loop->count; i++) {
    subscriber *to = &loop->subscribers[i];
    loop->joinable = 0;
    for (size_t p = 0; p < count; p++) {
      const floor_packet *packet = &packets[p];
      if (12 + packet->length + tag > slot) continue;
      if (loop->packet_count == batch) flush(loop);
      uint8_t *place = loop->slab + loop->used, iv[12];
      memcpy(place, packet->header, 12);
      // RFC 7714 §8.1: 16 zero bits, SSRC, ROC, sequence number, XORed with the salt.
      memcpy(iv, to->salt, 12);
      for (int b = 0; b < 4; b++) iv[2 + b] ^= packet->ssrc >> (24 - 8 * b);
      for (int b = 0; b < 6; b++) iv[6 + b] ^= packet->index >> (40 - 8 * b);
      int written = 0;
      uint8_t *body = place + 12, *end = body + packet->length;
      if (EVP_EncryptInit_ex(to->cipher, NULL, NULL, NULL, iv) != 1 ||
          EVP_EncryptUpdate(to->cipher, NULL, &written, place, 12) != 1 ||
          EVP_EncryptUpdate(to->cipher, body, &written, packet->payload, (int)packet->length) != 1 ||
          EVP_EncryptFinal_ex(to->cipher, end, &written) != 1 ||
          EVP_CIPHER_CTX_ctrl(to->cipher, EVP_CTRL_AEAD_GET_TAG, tag, end) != 1) {
        continue;
      }
      commit(loop, to, 12 + packet->length + tag, packet->joins);
    }
  }
  flush(loop);
  return loop->sent;
}
