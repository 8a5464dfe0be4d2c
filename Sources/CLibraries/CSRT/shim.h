#pragma once
#include <stdbool.h>
#include <srt/srt.h>
#include <srt/access_control.h>

// The library's own log would go to standard error; its errors are returned to the caller as well.
static void srt_discard_log(void *opaque, int level, const char *file, int line, const char *area, const char *message) {}
static inline void srt_start(void) {
  srt_startup();
  srt_setloghandler(NULL, srt_discard_log);
}
static inline int srt_set_int(SRTSOCKET socket, SRT_SOCKOPT option, int value) {
  return srt_setsockflag(socket, option, &value, sizeof value);
}
static inline int srt_set_int64(SRTSOCKET socket, SRT_SOCKOPT option, int64_t value) {
  return srt_setsockflag(socket, option, &value, sizeof value);
}
static inline int srt_set_bool(SRTSOCKET socket, SRT_SOCKOPT option, bool value) {
  return srt_setsockflag(socket, option, &value, sizeof value);
}
static inline int srt_is_rejected(int error) { return error == SRT_ECONNREJ; }
static inline int srt_must_wait(int error) { return error == SRT_EASYNCRCV || error == SRT_EASYNCSND; }
