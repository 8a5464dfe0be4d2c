/* Calls the library with wrong arguments: each call returns an error, and none traps. Needs no server. */
#include <math.h>
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
  EXPECT(rc_studio_create(NULL) == RC_INVALID_ARGUMENT);
  EXPECT(rc_studio_set_mirror(NULL, true, true) == RC_INVALID_HANDLE);
  EXPECT(rc_track_set_studio(NULL, NULL) == RC_INVALID_HANDLE);
  EXPECT(rc_overlay_move(NULL, 0, 0) == RC_INVALID_HANDLE);
  EXPECT(rc_sound_create(NULL) == RC_INVALID_ARGUMENT);
  EXPECT(rc_sound_push(NULL, NULL, NULL) == RC_INVALID_HANDLE);
  EXPECT(rc_sound_level(NULL, NULL, NULL) == RC_INVALID_HANDLE);
  EXPECT(rc_streaming_create(NULL, NULL, NULL, NULL, NULL, NULL) == RC_INVALID_HANDLE);
  EXPECT(rc_streaming_push_i420(NULL, NULL) == RC_INVALID_HANDLE);
  EXPECT(rc_streaming_get_state(NULL) == RC_STREAMING_UNKNOWN);
  EXPECT(rc_player_create(NULL, NULL, NULL, NULL, NULL, NULL) == RC_INVALID_HANDLE);
  EXPECT(rc_player_statistics(NULL, NULL) == RC_INVALID_HANDLE);
  EXPECT(rc_room_report(NULL, NULL, NULL, NULL) == RC_INVALID_HANDLE);
  EXPECT(rc_room_limits(NULL, NULL) == RC_INVALID_HANDLE);
  EXPECT(rc_check_network(NULL, NULL, NULL, NULL, NULL) == RC_INVALID_HANDLE);
  EXPECT(rc_stage_edit(NULL, 0, NULL, NULL, NULL, NULL) == RC_INVALID_HANDLE);
  EXPECT(rc_addresses_add(NULL, "127.0.0.1") == RC_INVALID_HANDLE);
  EXPECT(rc_composition_set(NULL, "{}") == RC_INVALID_HANDLE);
  EXPECT(rc_messages_send(NULL, NULL, NULL, NULL, NULL) == RC_INVALID_HANDLE);
  EXPECT(strlen(rc_last_error()) > 0);
  rc_string_free(NULL);
  rc_bytes_free(NULL);
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
  EXPECT(rc_track_create_simulcast(&video, 4, 0, &encoded) == RC_INVALID_ARGUMENT);
  EXPECT(rc_track_reconfigure(encoded, &video) == RC_INVALID_ARGUMENT);
  video.codec = RC_VIDEO_VP8;
  EXPECT(rc_track_reconfigure(camera, &video) == RC_CODEC_FAILED);
  EXPECT(rc_track_set_studio(microphone, NULL) == RC_INVALID_ARGUMENT);
  EXPECT(rc_track_set_sound(camera, NULL) == RC_INVALID_ARGUMENT);

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

static void studios(void) {
  rc_studio *studio = NULL;
  rc_overlay *overlay = NULL, *many[33];
  rc_reader *reader = NULL;
  rc_queue *queue = NULL;
  EXPECT(rc_queue_create(&queue) == RC_OK);
  EXPECT(rc_studio_create(&studio) == RC_OK);
  EXPECT(rc_studio_set_size(studio, -1, 100, RC_FILL_CROP) != RC_OK);
  EXPECT(rc_studio_set_size(studio, INT32_MAX, INT32_MAX, RC_FILL_CROP) != RC_OK);
  EXPECT(rc_studio_set_size(studio, 64, 64, (rc_fill)9) == RC_INVALID_ARGUMENT);
  EXPECT(rc_studio_set_beauty(studio, NAN, 0, 0) == RC_INVALID_ARGUMENT);
  EXPECT(rc_studio_set_beauty(studio, 0, INFINITY, 0) == RC_INVALID_ARGUMENT);
  EXPECT(rc_studio_set_filter(studio, (const uint8_t *)"no table", 8, 1) != RC_OK);
  EXPECT(rc_studio_set_filter(studio, NULL, 8, 1) == RC_INVALID_ARGUMENT);
  EXPECT(rc_studio_set_filter(studio, (const uint8_t *)"x", SIZE_MAX, 1) == RC_INVALID_ARGUMENT);
  EXPECT(rc_studio_set_filter_strength(studio, 1) == RC_INVALID_ARGUMENT);
  EXPECT(rc_overlay_create_picture((const uint8_t *)"no picture", 10, 0, 0, 0, 0, 1, &overlay) != RC_OK);
  EXPECT(rc_overlay_create_text("x", 0, 0, NULL, &overlay) == RC_INVALID_ARGUMENT);
  rc_text_options text = RC_TEXT_OPTIONS_INIT;
  text.font_size = 0;
  EXPECT(rc_overlay_create_text("x", 0, 0, &text, &overlay) == RC_INVALID_ARGUMENT);
  text.font_size = 20;
  text.font = "/no/such/font";
  EXPECT(rc_overlay_create_text("x", 0, 0, &text, &overlay) != RC_OK);
  text.font = NULL;
  EXPECT(rc_overlay_create_text("", 0, 0, &text, &overlay) == RC_INVALID_ARGUMENT);
  EXPECT(rc_overlay_create_text("x", INT32_MIN, INT32_MAX, &text, &overlay) == RC_OK);
  for (int i = 0; i < 33; i++) many[i] = overlay;
  EXPECT(rc_studio_set_texts(studio, many, 33) == RC_INVALID_ARGUMENT);
  EXPECT(rc_studio_set_texts(studio, many, 32) == RC_OK);
  EXPECT(rc_studio_set_stickers(studio, NULL, 1) == RC_INVALID_ARGUMENT);
  EXPECT(rc_studio_set_watermark(studio, (rc_overlay *)studio) == RC_INVALID_HANDLE);
  EXPECT(rc_studio_read_preview(studio, queue, NULL, NULL, &reader) == RC_INVALID_ARGUMENT);
  EXPECT(rc_studio_read_preview(studio, queue, on_picture, NULL, NULL) == RC_INVALID_ARGUMENT);
  uint8_t *bytes = NULL;
  EXPECT(rc_studio_snapshot(studio, false, RC_PNG, &bytes, NULL) == RC_INVALID_ARGUMENT);
  EXPECT(rc_release(overlay) == RC_OK && rc_release(studio) == RC_OK);
  EXPECT(rc_release(studio) == RC_INVALID_HANDLE);
  EXPECT(rc_release(queue) == RC_OK);
}

static void on_pcm(void *context, rc_reader *reader, const rc_pcm *pcm) { (void)context, (void)reader, (void)pcm; }

static void sounds(void) {
  rc_sound *sound = NULL;
  rc_queue *queue = NULL;
  rc_reader *reader = NULL;
  EXPECT(rc_queue_create(&queue) == RC_OK);
  EXPECT(rc_sound_create(&sound) == RC_OK);
  static const int16_t samples[960];
  rc_pcm pcm = {samples, 480, 48000, 2, INT64_MIN};
  EXPECT(rc_sound_push(sound, "", &pcm) == RC_INVALID_ARGUMENT);
  EXPECT(rc_sound_push(sound, NULL, &pcm) == RC_INVALID_ARGUMENT);
  EXPECT(rc_sound_push(sound, "a", NULL) == RC_INVALID_ARGUMENT);
  char name[3] = "a";
  for (int i = 0; i < 16; i++, name[0]++) EXPECT(rc_sound_push(sound, name, &pcm) == RC_OK);
  EXPECT(rc_sound_push(sound, name, &pcm) == RC_DROPPED);
  EXPECT(rc_sound_set_channel(sound, "a", NAN, false, true) == RC_INVALID_ARGUMENT);
  EXPECT(rc_sound_set_gain(sound, 1000) == RC_INVALID_ARGUMENT);
  rc_effect effects[9] = {{.type = (rc_effect_type)7}};
  EXPECT(rc_sound_set_effects(sound, effects, 1) == RC_INVALID_ARGUMENT);
  EXPECT(rc_sound_set_effects(sound, effects, 9) == RC_INVALID_ARGUMENT);
  EXPECT(rc_sound_set_effects(sound, NULL, SIZE_MAX) == RC_INVALID_ARGUMENT);
  rc_effect wild[] = {{RC_EFFECT_REVERB, NAN, INFINITY, -1e300, NAN, 1e300, 0, 0, 0}, {RC_EFFECT_ECHO, 0, NAN, 0, 0, 0, NAN, INFINITY, 0}};
  EXPECT(rc_sound_set_effects(sound, wild, 2) == RC_OK);
  effects[0] = (rc_effect){.type = RC_EFFECT_PITCH, .semitones = NAN};
  EXPECT(rc_sound_set_effects(sound, effects, 1) == RC_INVALID_ARGUMENT);
  rc_voice_options voice = RC_VOICE_OPTIONS_INIT;
  voice.noise = (rc_noise)99;
  EXPECT(rc_sound_set_voice(sound, &voice) == RC_INVALID_ARGUMENT);
  EXPECT(rc_sound_play(sound, "a", NULL, false, NULL, NULL, NULL) == RC_INVALID_ARGUMENT);
  EXPECT(rc_sound_play(sound, "a", "/no/such/file", false, NULL, NULL, NULL) == RC_FILE_FAILED);
  EXPECT(rc_sound_play_next(sound, "a", "/no/such/file") == RC_INVALID_ARGUMENT);
  EXPECT(rc_sound_set_file(sound, "a", NAN, false) == RC_INVALID_ARGUMENT);
  EXPECT(rc_sound_set_ear(sound, (rc_ear)5, 0) == RC_INVALID_ARGUMENT);
  pcm.channels = 1;
  EXPECT(rc_sound_played(sound, &pcm) == RC_INVALID_ARGUMENT);
  EXPECT(rc_sound_level(sound, "none", NULL) == RC_INVALID_ARGUMENT);
  EXPECT(rc_sound_read(sound, false, queue, on_pcm, NULL, NULL) == RC_INVALID_ARGUMENT);
  EXPECT(rc_sound_read(sound, false, queue, on_pcm, NULL, &reader) == RC_OK);
  EXPECT(rc_release(sound) == RC_OK);
  EXPECT(rc_sound_push(sound, "a", &pcm) == RC_INVALID_HANDLE);
  EXPECT(rc_release(reader) == RC_OK && rc_release(queue) == RC_OK);
}

static void pushes(void) {
  rc_queue *queue = NULL;
  rc_streaming *session = NULL;
  rc_player *player = NULL;
  rc_video_options video = RC_VIDEO_OPTIONS_INIT;
  rc_streaming_setup setup = RC_STREAMING_SETUP_INIT;
  rc_streaming_options options = RC_STREAMING_OPTIONS_INIT;
  EXPECT(rc_queue_create(&queue) == RC_OK);
  EXPECT(rc_streaming_create(queue, NULL, NULL, NULL, NULL, &session) == RC_INVALID_ARGUMENT);
  setup.video = &video;
  video.codec = RC_VIDEO_VP8;
  EXPECT(rc_streaming_create(queue, &setup, NULL, NULL, NULL, &session) == RC_CODEC_FAILED);
  video.codec = RC_VIDEO_H264;
  setup.audio_rate = -1;
  EXPECT(rc_streaming_create(queue, &setup, NULL, NULL, NULL, &session) == RC_INVALID_ARGUMENT);
  setup.audio_rate = 44100;
  options.status_ms = 1;
  EXPECT(rc_streaming_create(queue, &setup, &options, NULL, NULL, &session) == RC_INVALID_ARGUMENT);
  EXPECT(rc_streaming_create(queue, &setup, NULL, NULL, NULL, NULL) == RC_INVALID_ARGUMENT);
  EXPECT(rc_streaming_create(queue, &setup, NULL, NULL, NULL, &session) == RC_OK);
  EXPECT(rc_streaming_start(session, NULL, NULL, NULL, NULL) == RC_INVALID_ARGUMENT);
  EXPECT(rc_streaming_share(session, (rc_track *)queue, NULL) == RC_INVALID_HANDLE);
  rc_mix mix = RC_MIX_INIT;
  EXPECT(rc_streaming_set_mix(session, &mix) == RC_INVALID_ARGUMENT);
  rc_placement camera = {NULL, INT32_MIN, INT32_MAX, -1, INT32_MAX, 0};
  mix.width = mix.height = 64;
  mix.camera = &camera;
  mix.picture_count = 17;
  mix.pictures = &camera;
  EXPECT(rc_streaming_set_mix(session, &mix) == RC_INVALID_ARGUMENT);
  mix.picture_count = 0;
  EXPECT(rc_streaming_set_mix(session, &mix) == RC_INVALID_ARGUMENT);
  camera = (rc_placement){NULL, -10, -10, 64, 64, 0};
  mix.picture_count = 1;
  EXPECT(rc_streaming_set_mix(session, &mix) == RC_INVALID_HANDLE);
  mix.picture_count = 0;
  mix.camera = NULL;
  EXPECT(rc_streaming_set_mix(session, &mix) == RC_OK);
  static const uint8_t plane[64 * 64];
  rc_i420 picture = {64, 64, plane, plane, plane, 64, 32, INT64_MAX};
  EXPECT(rc_streaming_push_i420(session, &picture) == RC_OK);
  picture.time_us = INT64_MIN;
  EXPECT(rc_streaming_push_i420(session, &picture) == RC_OK);
  EXPECT(rc_release(session) == RC_OK);
  EXPECT(rc_player_create(queue, "not a url", NULL, NULL, NULL, NULL) == RC_INVALID_ARGUMENT);
  EXPECT(rc_player_create(queue, "not a url", NULL, NULL, NULL, &player) == RC_OK);
  EXPECT(rc_player_read_video(player, NULL, NULL, NULL) == RC_INVALID_ARGUMENT);
  EXPECT(rc_player_read_video(player, on_picture, NULL, NULL) == RC_INVALID_ARGUMENT);
  EXPECT(rc_release(player) == RC_OK);
  EXPECT(rc_queue_close(queue) == RC_OK && rc_release(queue) == RC_OK);
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
  studios();
  sounds();
  pushes();
  joins();
  releases();
  EXPECT(rc_handle_count() == 0);
  printf(failures ? "failed\n" : "every call returned an error\n");
  return failures ? 1 : 0;
}
