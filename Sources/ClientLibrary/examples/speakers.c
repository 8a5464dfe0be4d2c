/* Joins a room, publishes a camera and a microphone, and prints who speaks. Holds a PK with --invite or --accept.
 *
 *   cc speakers.c -o speakers $(pkg-config --cflags --libs roomclient) -lm
 *   ./speakers --seconds 20 ws://127.0.0.1:8080/v1/signal TOKEN
 *   ./speakers --accept URL TOKEN-OF-ROOM-B &  ./speakers --invite ROOM-B URL TOKEN-OF-ROOM-A
 *
 * The camera is a moving bar and the microphone a tone, both made here: replace draw() and hum() by those of a device.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "roomclient.h"

enum { WIDTH = 160, HEIGHT = 120, FPS = 10, RATE = 48000, CHUNK = RATE / FPS };

typedef struct App {
  rc_queue *queue;
  rc_room *room;
  rc_track *camera, *microphone;
  const char *invite;    /* The room to invite to a PK; NULL for none. */
  int accepts;           /* Whether to accept a PK. */
  int64_t pk_ends_us;    /* When this side may end the PK; 0 for never. */
  char loudest[65];
  int any_spoke;         /* Whether anyone spoke so far. */
  rc_reader *reader;     /* The pictures of the first other participant. */
  unsigned long pictures;
  int failed, done;
} App;

static int64_t now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

/* Copies the first string with this key. Enough for ids; an app uses a JSON library. */
static int find_string(const char *json, const char *key, char *value, size_t capacity) {
  char pattern[80];
  snprintf(pattern, sizeof pattern, "\"%s\":\"", key);
  const char *start = strstr(json, pattern);
  if (!start) return 0;
  start += strlen(pattern);
  size_t length = strcspn(start, "\"");
  if (length >= capacity) return 0;
  memcpy(value, start, length);
  value[length] = 0;
  return 1;
}

/* == Answers ======================================================================================================= */

static void fail(App *app, const char *what, rc_status status, const char *message) {
  printf("%s failed: %d %s: %s\n", what, status, rc_status_name(status), message);
  app->failed = app->done = 1;
}

/* For calls that return a status: their arguments were wrong. */
static void check(App *app, const char *what, rc_status status) {
  if (status != RC_OK) fail(app, what, status, rc_last_error());
}

static void on_left(void *context, rc_status status, const char *message, const char *json) {
  (void)status, (void)message, (void)json;
  ((App *)context)->done = 1;
}

static void on_done(void *context, rc_status status, const char *message, const char *json) {
  (void)json;
  if (status != RC_OK) fail(context, "the call", status, message);
}

static void on_published(void *context, rc_status status, const char *message, const char *json) {
  App *app = context;
  (void)json;
  if (status != RC_OK) return fail(app, "publish", status, message);
  printf("published\n");
  if (app->invite) {
    check(app, "invite", rc_pk_invite(app->room, app->invite, NULL, RC_PK_BRIDGE, 0, on_done, app));
  }
}

static void on_joined(void *context, rc_status status, const char *message, const char *json) {
  App *app = context;
  (void)json;
  if (status != RC_OK) return fail(app, "join", status, message);
  printf("joined\n");
  rc_track *tracks[] = {app->camera, app->microphone};
  check(app, "publish", rc_room_publish(app->room, tracks, 2, on_published, app));
}

/* == Frames and events ============================================================================================= */

static void on_picture(void *context, rc_reader *reader, const rc_i420 *picture) {
  App *app = context;
  (void)reader;
  if (picture && app->pictures++ == 0) printf("first picture: %dx%d\n", picture->width, picture->height);
}

static void on_levels(App *app, const rc_event *event) {
  const rc_level *loudest = NULL;
  for (size_t i = 0; i < event->level_count; i++) {
    if (event->levels[i].level > -50 && (!loudest || event->levels[i].level > loudest->level)) loudest = &event->levels[i];
  }
  const char *user = loudest ? loudest->user_id : "";
  if (strcmp(user, app->loudest) != 0) {
    snprintf(app->loudest, sizeof app->loudest, "%s", user);
    app->any_spoke |= *user != 0;
    printf("speaking: %s\n", *user ? user : "nobody");
  }
}

/* Both rooms receive the event, which names the room and the user that invited. */
static void on_invitation(App *app, rc_room *room, const rc_event *event) {
  char user[80], inviting[80], id[80];
  const char *from = strstr(event->json, "\"from\":");
  if (from && find_string(from, "room", inviting, sizeof inviting) && find_string(event->json, "by", user, sizeof user)) {
    printf("%s of room %s invited\n", user, inviting);
  }
  if (app->accepts && find_string(event->json, "pkId", id, sizeof id)) {
    check(app, "accept", rc_pk_accept(room, id, on_done, app));
  }
}

static void on_event(void *context, rc_room *room, const rc_event *event) {
  App *app = context;
  char id[80];
  if (event->type == RC_EVENT_AUDIO_LEVELS) {
    on_levels(app, event);
  } else if (event->type == RC_EVENT_TRACK_SUBSCRIBED && !app->reader && strstr(event->json, "\"kind\":\"video\"")) {
    check(app, "read", rc_remote_read_video(event->track, app->queue, on_picture, app, &app->reader));
  } else if (strcmp(event->name, "pkInvited") == 0) {
    on_invitation(app, room, event);
  } else if (strcmp(event->name, "pkInvitationEnded") == 0 && app->invite && !strstr(event->json, "\"accepted\"")) {
    fail(app, "the PK", RC_OK, event->json);
  } else if (strcmp(event->name, "pkBegan") == 0 && find_string(event->json, "userId", id, sizeof id)) {
    printf("PK with %s\n", id);
    check(app, "score", rc_pk_set_score(room, 3, on_done, app));
    if (app->invite) app->pk_ends_us = now_us() + 4000000;
  } else if (strcmp(event->name, "pkEnded") == 0) {
    printf("PK ended: %s\n", event->json);
    check(app, "leave", rc_room_leave(room, on_left, app));
  } else if (event->type == RC_EVENT_STATE_CHANGED) {
    printf("state: %s\n", event->json);
  }
}

/* == Camera and microphone ========================================================================================= */

static void draw(App *app, unsigned long number, int64_t time_us) {
  static uint8_t y[WIDTH * HEIGHT], uv[WIDTH * HEIGHT / 2];
  for (int row = 0; row < HEIGHT; row++) {
    for (int column = 0; column < WIDTH; column++) {
      y[row * WIDTH + column] = (column + 4 * number) % WIDTH < 20 ? 220 : 60;
    }
  }
  memset(uv, 128, sizeof uv);
  rc_nv12 picture = {WIDTH, HEIGHT, y, uv, WIDTH, WIDTH, time_us};
  check(app, "picture", rc_track_push_nv12(app->camera, &picture));
}

static void hum(App *app, unsigned long number, int64_t time_us) {
  static int16_t samples[CHUNK];
  for (int i = 0; i < CHUNK; i++) {
    samples[i] = (int16_t)(6000 * sin(2 * 3.14159265358979 * 440 * (number * CHUNK + i) / RATE));
  }
  rc_pcm pcm = {samples, CHUNK, RATE, 1, time_us};
  check(app, "samples", rc_track_push_pcm(app->microphone, &pcm));
}

/* ================================================================================================================== */

static void run(App *app, double seconds) {
  int64_t start = now_us(), end = seconds > 0 ? start + (int64_t)(seconds * 1e6) : INT64_MAX;
  for (unsigned long number = 0; !app->done; number++) {
    int64_t due = start + (int64_t)number * 1000000 / FPS;
    /* Callbacks run here, on this thread, until the next picture is due. */
    for (int64_t left = due - now_us(); left > 0 && !app->done; left = due - now_us()) {
      if (rc_queue_dispatch(app->queue, (int32_t)(left / 1000) + 1) < 0) return fail(app, "dispatch", RC_INTERNAL, rc_last_error());
    }
    draw(app, number, due - start);
    hum(app, number, due - start);
    if (app->pk_ends_us && now_us() > app->pk_ends_us && app->pictures > 0 && app->any_spoke) {
      app->pk_ends_us = 0;
      check(app, "quit", rc_pk_quit(app->room, on_done, app));
    }
    if (now_us() > end) {
      end = INT64_MAX;
      check(app, "leave", rc_room_leave(app->room, on_left, app));
    }
  }
}

int main(int argc, char **argv) {
  App app = {0};
  double seconds = 0;
  int next = 1;
  for (; next < argc && strncmp(argv[next], "--", 2) == 0; next++) {
    if (strcmp(argv[next], "--accept") == 0) {
      app.accepts = 1;
    } else if (strcmp(argv[next], "--invite") == 0 && next + 1 < argc) {
      app.invite = argv[++next];
    } else if (strcmp(argv[next], "--seconds") == 0 && next + 1 < argc) {
      seconds = atof(argv[++next]);
    } else {
      break;
    }
  }
  if (argc - next != 2) {
    fprintf(stderr, "usage: speakers [--invite ROOM | --accept] [--seconds N] URL TOKEN\n");
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);

  rc_video_options video = RC_VIDEO_OPTIONS_INIT;
  video.width = WIDTH;
  video.height = HEIGHT;
  video.fps = FPS;
  rc_audio_options audio = RC_AUDIO_OPTIONS_INIT;
  rc_room_options options = RC_ROOM_OPTIONS_INIT;
  options.audio_levels = true;
  check(&app, "queue", rc_queue_create(&app.queue));
  check(&app, "camera", rc_track_create_video(&video, &app.camera));
  check(&app, "microphone", rc_track_create_audio(&audio, &app.microphone));
  check(&app, "connect",
        rc_room_connect(app.queue, argv[next], argv[next + 1], &options, on_event, on_joined, &app, &app.room));
  run(&app, seconds);

  printf("%lu pictures, %llu events dropped\n", app.pictures, (unsigned long long)rc_room_events_dropped(app.room));
  rc_release(app.reader);
  rc_release(app.room);
  rc_release(app.camera);
  rc_release(app.microphone);
  rc_release(app.queue);
  return app.failed;
}
