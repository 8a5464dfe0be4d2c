/* One function for each task of docs/client-tasks.md. The program joins, sends messages, forwards to a CDN and takes a seat:
 *
 *   cc tasks.c -o tasks $(pkg-config --cflags --libs roomclient)
 *   ./tasks ws://127.0.0.1:8080/v1/signal TOKEN rtmp://origin/live/demo
 */
#include <stdio.h>
#include <string.h>

#include "roomclient.h"

typedef struct App {
  rc_queue *queue;
  rc_room *room;
  rc_track *camera, *microphone;
  rc_reader *reader;
  int answers, failed;
} App;

static void on_answer(void *context, rc_status status, const char *message, const char *json) {
  App *app = context;
  app->answers++;
  app->failed += status != RC_OK;
  printf("%s %s\n", status == RC_OK ? "done" : message, json ? json : "");
}

/* For calls that return a status: their arguments were wrong. */
static void check(App *app, rc_status status) {
  if (status != RC_OK) printf("%s: %s\n", rc_status_name(status), rc_last_error());
  app->failed += status != RC_OK;
}

/* == Join and publish ============================================================================================== */

static void on_joined(void *context, rc_status status, const char *message, const char *json) {
  App *app = context;
  rc_track *tracks[] = {app->camera, app->microphone};
  if (status == RC_OK) check(app, rc_room_publish(app->room, tracks, 2, on_answer, app));
  else on_answer(context, status, message, json);
}

/* == Pictures and speakers ========================================================================================= */

static void on_picture(void *context, rc_reader *reader, const rc_i420 *picture) {
  (void)context, (void)reader;
  if (picture) printf("picture of %dx%d\n", picture->width, picture->height);
}

static void show_speaker(const rc_event *event) {
  const rc_level *loudest = event->levels;
  for (size_t i = 1; i < event->level_count; i++)
    if (event->levels[i].level > loudest->level) loudest = &event->levels[i];
  if (loudest) printf("loudest: %s\n", loudest->user_id);
}

static void on_event(void *context, rc_room *room, const rc_event *event) {
  App *app = context;
  (void)room;
  if (event->type == RC_EVENT_AUDIO_LEVELS) show_speaker(event);
  if (event->type == RC_EVENT_TRACK_SUBSCRIBED && strstr(event->json, "\"kind\":\"video\"") && !app->reader)
    check(app, rc_remote_read_video(event->track, app->queue, on_picture, app, &app->reader));
}

static void join_and_publish(App *app, const char *url, const char *token) {
  rc_room_options options = RC_ROOM_OPTIONS_INIT;
  options.audio_levels = true;
  rc_video_options video = RC_VIDEO_OPTIONS_INIT;
  check(app, rc_track_create_video(&video, &app->camera));
  rc_audio_options audio = RC_AUDIO_OPTIONS_INIT;
  check(app, rc_track_create_audio(&audio, &app->microphone));
  check(app, rc_room_connect(app->queue, url, token, &options, on_event, on_joined, app, &app->room));
}

/* == Seats, messages, PK, on air =================================================================================== */

static void speak_on_seat(App *app) {
  check(app, rc_seats_take(app->room, -1, &app->microphone, 1, on_answer, app));
  check(app, rc_seats_leave(app->room, on_answer, app));
}

static void talk(App *app) {
  check(app, rc_messages_send(app->room, "hello", NULL, on_answer, app));
  check(app, rc_messages_gift(app->room, "rose", 3, NULL, NULL, on_answer, app));
  check(app, rc_attributes_change(app->room, "{\"set\": {\"title\": \"Friday evening\"}}", on_answer, app));
}

static void invite(App *app, const char *other_room) {
  check(app, rc_pk_invite(app->room, other_room, NULL, RC_PK_BRIDGE, 300, on_answer, app));
}

static void go_on_air(App *app, const char *url) {
  char json[600];
  snprintf(json, sizeof json, "{\"jobId\": \"live\", \"publishUrl\": \"%s\"}", url);
  check(app, rc_jobs_start_forward(app->room, json, on_answer, app));
  check(app, rc_jobs_stop(app->room, "live", on_answer, app));
}

/* == Diagnostics =================================================================================================== */

static void report(App *app, const char *checked_url) {
  check(app, rc_room_report(app->room, checked_url, on_answer, app));
}

/* Dispatches until `count` calls in total are answered, for at most 20 s. */
static void wait_for(App *app, int count) {
  for (int turns = 0; app->answers < count && !app->failed && turns < 200; turns++) rc_queue_dispatch(app->queue, 100);
}

int main(int argc, char **argv) {
  App app = {0};
  if (argc < 4 || rc_queue_create(&app.queue) != RC_OK) return 2;
  join_and_publish(&app, argv[1], argv[2]);
  wait_for(&app, 1);
  talk(&app);
  wait_for(&app, 4);
  go_on_air(&app, argv[3]);
  wait_for(&app, 6);
  check(&app, rc_seats_leave(app.room, on_answer, &app)); /* The first admin who joins hosts on seat 0. */
  wait_for(&app, 7);
  speak_on_seat(&app);
  wait_for(&app, 9);
  report(&app, argv[1]);
  wait_for(&app, 10);
  int passed = app.answers == 10 && !app.failed;
  if (argc > 4) invite(&app, argv[4]), wait_for(&app, 11);
  check(&app, rc_room_leave(app.room, on_answer, &app));
  wait_for(&app, app.answers + 1);
  rc_release(app.reader), rc_release(app.camera), rc_release(app.microphone), rc_release(app.room);
  rc_queue_close(app.queue);
  rc_release(app.queue);
  return passed ? 0 : 1;
}
