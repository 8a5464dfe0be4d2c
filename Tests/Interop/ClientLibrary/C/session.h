/* What the test programs share: one queue, calls that are awaited, and conditions with a deadline. */
#ifndef SESSION_H
#define SESSION_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "roomclient.h"

enum { DEADLINE_MS = 20000 };

static rc_queue *queue;

static inline int64_t now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static inline void check(const char *what, rc_status status) {
  if (status == RC_OK) return;
  printf("%s: %d %s: %s\n", what, status, rc_status_name(status), rc_last_error());
  exit(1);
}

/* Feeds the tracks, and is called every 20 ms while the program waits. */
static void feed(void);

/* Dispatches and feeds until the condition is true; ends the program after the deadline. */
#define AWAIT(what, condition)                                                          \
  do {                                                                                  \
    for (int64_t end_ = now_ms() + DEADLINE_MS, due_ = now_ms(); !(condition);) {       \
      if (now_ms() > end_) printf("in vain: %s\n", what), exit(1);                      \
      if (now_ms() >= due_) feed(), due_ += 20;                                         \
      check("dispatch", -(rc_queue_dispatch(queue, 5) < 0));                            \
    }                                                                                   \
    printf("%s\n", what);                                                               \
  } while (0)

/* The answer to a call. */
typedef struct Answer {
  int is_there;
  rc_status status;
  char json[512];
} Answer;

static inline void on_answer(void *context, rc_status status, const char *message, const char *json) {
  Answer *answer = context;
  answer->is_there = 1;
  answer->status = status;
  snprintf(answer->json, sizeof answer->json, "%s", json ? json : message);
}

/* Makes a call whose last arguments are on_answer and &answer, and awaits its success. */
#define CALL(what, call)                                                                                \
  do {                                                                                                  \
    Answer answer = {0};                                                                                \
    check(what, call);                                                                                  \
    AWAIT(what, answer.is_there);                                                                       \
    if (answer.status != RC_OK) printf("%s: %s\n", rc_status_name(answer.status), answer.json), exit(1); \
  } while (0)

/* Makes a call, and awaits this failure. */
#define FAILS(what, expected, call)                                                                       \
  do {                                                                                                    \
    Answer answer = {0};                                                                                  \
    check(what, call);                                                                                    \
    AWAIT(what, answer.is_there);                                                                         \
    if (answer.status != (expected)) printf("%d: %s\n", answer.status, answer.json), exit(1);             \
  } while (0)

static inline rc_room *join(const char *url, const char *token, rc_on_event on_event) {
  rc_room *room = NULL;
  Answer answer = {0};
  check("connect", rc_room_connect(queue, url, token, NULL, on_event, on_answer, &answer, &room));
  AWAIT("joined", answer.is_there);
  if (answer.status != RC_OK) printf("%s\n", answer.json), exit(1);
  return room;
}

static inline void leave(rc_room *room) {
  CALL("left", rc_room_leave(room, on_answer, &answer));
  check("release", rc_release(room));
}

#endif
