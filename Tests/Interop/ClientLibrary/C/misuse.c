/* Calls the library with wrong arguments: each call returns an error, and none traps. Needs no server. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "roomclient.h"

#define EXPECT(condition)                                        \
  do {                                                           \
    if (!(condition)) {                                          \
      printf("%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, rc_last_error()); \
      failures++;                                                \
    }                                                            \
  } while (0)

static int failures, answers;
static rc_status last_answer;

static void on_done(void *context, rc_status status, const char *message, const char *json) {
  (void)context, (void)json;
  EXPECT(strlen(message) > 0);
  last_answer = status;
  answers++;
}

static void on_picture(void *context, rc_reader *reader, const rc_i420 *picture) { (void)context, (void)reader, (void)picture; }

static void nulls(void) {
  EXPECT(rc_queue_create(NULL) == RC_INVALID_ARGUMENT);
  EXPECT(rc_queue_fd(NULL) == -1);
  EXPECT(rc_queue_dispatch(NULL, 0) == -RC_INVALID_HANDLE);
  EXPECT(rc_queue_close(NULL) == RC_INVALID_HANDLE);
  EXPECT(rc_retain(NULL) == RC_INVALID_HANDLE);
  EXPECT(rc_release(NULL) == RC_OK);
  EXPECT(rc_room_connect(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == RC_INVALID_ARGUMENT);
  EXPECT(rc_room_leave(NULL, NULL, NULL) == RC_INVALID_HANDLE);
  EXPECT(rc_room_state(NULL, NULL) == RC_INVALID_HANDLE);
  EXPECT(rc_room_events_dropped(NULL) == 0);
  EXPECT(rc_track_create_video(NULL, NULL) == RC_INVALID_ARGUMENT);
  EXPECT(rc_track_push_i420(NULL, NULL) != RC_OK);
  EXPECT(rc_remote_read_video(NULL, NULL, NULL, NULL, NULL) == RC_INVALID_HANDLE);
  EXPECT(rc_seats_take(NULL, -1, NULL, 0, NULL, NULL) == RC_INVALID_HANDLE);
  EXPECT(rc_pk_invite(NULL, NULL, NULL, RC_PK_BRIDGE, 0, NULL, NULL) == RC_INVALID_HANDLE);
  EXPECT(rc_messages_send(NULL, NULL, NULL, NULL, NULL) == RC_INVALID_HANDLE);
  EXPECT(strlen(rc_last_error()) > 0);
  rc_string_free(NULL);
}

static void handles(void) {
  rc_queue *queue = NULL;
  EXPECT(rc_queue_create(&queue) == RC_OK);
  EXPECT(rc_room_leave((rc_room *)queue, NULL, NULL) == RC_INVALID_HANDLE);
  EXPECT(rc_room_leave((rc_room *)(uintptr_t)12345678, NULL, NULL) == RC_INVALID_HANDLE);
  EXPECT(rc_retain(queue) == RC_OK);
  EXPECT(rc_release(queue) == RC_OK);
  EXPECT(rc_queue_dispatch(queue, 0) == 0);
  EXPECT(rc_queue_close(queue) == RC_OK);
  EXPECT(rc_queue_dispatch(queue, -1) == -RC_CLOSED);
  EXPECT(rc_release(queue) == RC_OK);
  EXPECT(rc_release(queue) == RC_INVALID_HANDLE);
  EXPECT(rc_queue_dispatch(queue, 0) == -RC_INVALID_HANDLE);
}

static void tracks(void) {
  rc_video_options video = RC_VIDEO_OPTIONS_INIT;
  rc_audio_options audio = RC_AUDIO_OPTIONS_INIT;
  rc_track *camera = NULL, *microphone = NULL, *encoded = NULL;
  video.width = 0;
  EXPECT(rc_track_create_video(&video, &camera) == RC_INVALID_ARGUMENT);
  video.width = 64;
  video.height = 64;
  video.size = 3;
  EXPECT(rc_track_create_video(&video, &camera) == RC_INVALID_ARGUMENT);
  video.size = sizeof video;
  EXPECT(rc_track_create_video(&video, &camera) == RC_OK);
  audio.channels = 3;
  EXPECT(rc_track_create_audio(&audio, &microphone) == RC_INVALID_ARGUMENT);
  EXPECT(rc_track_create_audio(NULL, &microphone) == RC_OK);
  EXPECT(rc_track_create_encoded_video(&video, &encoded) == RC_OK);

  static const uint8_t plane[64 * 64];
  rc_i420 picture = {64, 64, plane, plane, NULL, 64, 32, 0};
  EXPECT(rc_track_push_i420(camera, &picture) == RC_INVALID_ARGUMENT);
  picture.v = plane;
  picture.stride_y = 10;
  EXPECT(rc_track_push_i420(camera, &picture) == RC_INVALID_ARGUMENT);
  picture.stride_y = 64;
  EXPECT(rc_track_push_i420(microphone, &picture) == RC_INVALID_ARGUMENT);
  EXPECT(rc_track_push_i420(camera, &picture) == RC_OK);
  picture.height = -64;
  EXPECT(rc_track_push_i420(camera, &picture) == RC_CODEC_FAILED);
  static const int16_t samples[480];
  rc_pcm pcm = {samples, 480, 1, 1, 0};
  EXPECT(rc_track_push_pcm(microphone, &pcm) == RC_INVALID_ARGUMENT);
  pcm.sample_rate = 16000;
  pcm.frame_count = SIZE_MAX;
  EXPECT(rc_track_push_pcm(microphone, &pcm) == RC_INVALID_ARGUMENT);
  pcm.frame_count = 480;
  EXPECT(rc_track_push_pcm(microphone, &pcm) == RC_OK);
  rc_encoded frame = {plane, 16, 0, true};
  EXPECT(rc_track_send(camera, &frame, 0) == RC_INVALID_ARGUMENT);
  EXPECT(rc_track_send(encoded, &frame, 0) == RC_DROPPED);
  frame.size = SIZE_MAX;
  EXPECT(rc_track_send(encoded, &frame, 0) == RC_INVALID_ARGUMENT);
  char *id = (char *)1;
  EXPECT(rc_track_id(camera, &id) == RC_OK && id == NULL);
  EXPECT(rc_remote_read_video((rc_remote *)camera, NULL, on_picture, NULL, NULL) == RC_INVALID_HANDLE);
  rc_release(camera);
  rc_release(microphone);
  rc_release(encoded);
}

static void joins(void) {
  rc_queue *queue = NULL;
  rc_room *room = NULL;
  rc_queue_create(&queue);
  EXPECT(rc_room_connect(queue, "ws://127.0.0.1", "\xff", NULL, NULL, on_done, NULL, &room) == RC_INVALID_ARGUMENT);
  /* A refused join is answered once, and the room stays a valid handle. */
  EXPECT(rc_room_connect(queue, "not a url", "token", NULL, NULL, on_done, NULL, &room) == RC_OK);
  EXPECT(rc_seats_leave(room, on_done, NULL) == RC_NOT_CONNECTED);
  while (answers == 0) rc_queue_dispatch(queue, 1000);
  EXPECT(last_answer == RC_INVALID_URL);
  rc_release(room);
  /* A call that is unanswered at the end of the queue is answered by it. */
  EXPECT(rc_room_connect(queue, "ws://127.0.0.1:9/v1/signal", "token", NULL, NULL, on_done, NULL, &room) == RC_OK);
  EXPECT(rc_queue_close(queue) == RC_OK);
  EXPECT(answers == 2 && last_answer == RC_CLOSED);
  rc_release(room);
  rc_release(queue);
}

/* Rooms are released while their joins run, with callbacks on the queue's own thread. */
static void releases(void) {
  enum { COUNT = 50 };
  rc_queue *queue = NULL;
  rc_queue_create(&queue);
  EXPECT(rc_queue_start_thread(queue) == RC_OK);
  EXPECT(rc_queue_start_thread(queue) == RC_INVALID_ARGUMENT);
  answers = 0;
  for (int i = 0; i < COUNT; i++) {
    rc_room *room = NULL;
    EXPECT(rc_room_connect(queue, "ws://127.0.0.1:9/v1/signal", "token", NULL, NULL, on_done, NULL, &room) == RC_OK);
    EXPECT(rc_release(room) == RC_OK);
  }
  EXPECT(rc_queue_close(queue) == RC_OK);
  EXPECT(answers == COUNT);
  rc_release(queue);
}

int main(void) {
  EXPECT(rc_version() == RC_VERSION_MAJOR * 10000 + RC_VERSION_MINOR * 100 + RC_VERSION_PATCH);
  EXPECT(strcmp(rc_status_name(10003), "noPermission") == 0 && strcmp(rc_status_name(-5), "unknown") == 0);
  nulls();
  handles();
  tracks();
  joins();
  releases();
  EXPECT(rc_handle_count() == 0);
  printf(failures ? "failed\n" : "every call returned an error\n");
  return failures ? 1 : 0;
}
