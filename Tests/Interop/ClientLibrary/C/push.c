/* A streaming session with a picture studio and a sound studio, its camera shared with a room, and a player of the stream:
 *
 *   push RTMP-URL OTHER-RTMP-URL FLV-URL SIGNALLING-URL TOKEN TOKEN-OF-A-VIEWER
 */
#include "session.h"

enum { WIDTH = 160, HEIGHT = 120, RATE = 48000 };

static rc_streaming *session;
static rc_reader *watching;
static int64_t calls;
static int states[7], last_state, last_failure, reports, viewed;
static rc_streaming_status status;
static int played_width, played_left, played_sounds, player_state;

static void feed(void) {
  if (!session) return;
  if (calls % 4 == 0) {
    static uint8_t y[WIDTH * HEIGHT], chroma[WIDTH * HEIGHT / 2];
    for (int i = 0; i < WIDTH * HEIGHT; i++) y[i] = i % WIDTH < WIDTH / 2 ? 60 : 200;
    memset(chroma, 128, sizeof chroma);
    rc_nv12 picture = {WIDTH, HEIGHT, y, chroma, WIDTH, WIDTH, calls * 20000};
    check("push", rc_streaming_push_nv12(session, &picture));
  }
  calls++;
}

static void on_streaming(void *context, rc_streaming *of, const rc_streaming_event *event) {
  (void)context, (void)of;
  if (event->status) {
    status = *event->status;
    reports++;
    return;
  }
  states[event->state]++;
  last_state = (int)event->state;
  last_failure = event->failure;
}

static void on_player(void *context, rc_player *player, rc_player_state state, rc_status failure, const char *message) {
  (void)context, (void)player, (void)failure, (void)message;
  player_state = (int)state;
}

static void on_played(void *context, rc_reader *reader, const rc_i420 *picture) {
  (void)context, (void)reader;
  if (!picture) return;
  played_width = picture->width;
  played_left = picture->y[picture->stride_y * (picture->height / 2) + picture->width / 4];
}

static void on_played_sound(void *context, rc_reader *reader, const rc_pcm *pcm) {
  (void)context, (void)reader;
  played_sounds += pcm != NULL;
}

static void on_viewed(void *context, rc_reader *reader, const rc_i420 *picture) {
  (void)context, (void)reader;
  if (picture) viewed = picture->y[picture->stride_y * (picture->height / 2) + picture->width / 4];
}

static void on_event(void *context, rc_room *room, const rc_event *event) {
  (void)context, (void)room;
  if (event->type == RC_EVENT_TRACK_SUBSCRIBED && strstr(event->json, "\"kind\":\"video\"") && !watching)
    check("read", rc_remote_read_video(event->track, queue, on_viewed, NULL, &watching));
}

/* Knows one host. */
static void on_resolve(void *context, const char *host, rc_addresses *addresses) {
  int *asked = context;
  (*asked)++;
  if (strcmp(host, "live.example") == 0) check("address", rc_addresses_add(addresses, "127.0.0.1"));
}

static bool on_network(void *context, const char *from, const char *to) {
  (void)context, (void)from, (void)to;
  return true;
}

int main(int argc, char **argv) {
  if (argc != 7) return 2;
  int asked = 0;
  rc_studio *studio;
  rc_sound *sound;
  check("queue", rc_queue_create(&queue));
  check("studio", rc_studio_create(&studio));
  check("mirror", rc_studio_set_mirror(studio, true, false));
  check("sound", rc_sound_create(&sound));

  rc_video_options video = RC_VIDEO_OPTIONS_INIT;
  video.width = WIDTH;
  video.height = HEIGHT;
  video.fps = 12;
  video.bitrate = 200000;
  video.profile = RC_PROFILE_MAIN;
  rc_streaming_setup setup = RC_STREAMING_SETUP_INIT;
  setup.video = &video;
  setup.on_resolve = on_resolve;
  setup.on_network = on_network;
  setup.hook_context = &asked;
  rc_streaming_options options = RC_STREAMING_OPTIONS_INIT;
  options.status_ms = 300;
  options.min_bitrate = 100000;
  check("session", rc_streaming_create(queue, &setup, &options, on_streaming, NULL, &session));
  check("set studio", rc_streaming_set_studio(session, studio));
  check("set sound", rc_streaming_set_sound(session, sound));
  if (rc_streaming_get_state(session) != RC_STREAMING_UNKNOWN) return 1;

  FAILS("no URL", RC_INVALID_URL, rc_streaming_start(session, "gopher://a/b", NULL, on_answer, &answer));
  FAILS("no server", RC_CONNECT_FAILED, rc_streaming_start(session, "rtmp://127.0.0.1:1/live/x", NULL, on_answer, &answer));
  AWAIT("the state is an error", last_state == RC_STREAMING_ERROR && last_failure == RC_CONNECT_FAILED);

  FAILS("no such host", RC_NAME_NOT_FOUND, rc_streaming_start(session, "rtmp://other.example/live/x", NULL, on_answer, &answer));
  if (asked == 0) return 1;

  CALL("started", rc_streaming_start(session, argv[1], NULL, on_answer, &answer));
  AWAIT("connected", last_state == RC_STREAMING_CONNECTED && rc_streaming_get_state(session) == RC_STREAMING_CONNECTED);
  FAILS("started twice", RC_ALREADY_RUNNING, rc_streaming_start(session, argv[1], NULL, on_answer, &answer));
  AWAIT("status", status.video_fps > 6 && status.audio_fps > 30 && status.connections == 1 && status.target_fps == 12);

  rc_player *player;
  rc_reader *pictures, *sounds, *second;
  check("player", rc_player_create(queue, argv[3], NULL, on_player, NULL, &player));
  check("read", rc_player_read_video(player, on_played, NULL, &pictures));
  check("read", rc_player_read_audio(player, on_played_sound, NULL, &sounds));
  if (rc_player_read_audio(player, on_played_sound, NULL, &second) != RC_BUSY) return 1;
  AWAIT("the mirrored stream", played_width == WIDTH && abs(played_left - 200) < 20 && played_sounds > 20 && player_state == RC_PLAYER_PLAYING);

  video.width = 128;
  video.height = 96;
  CALL("reconfigured", rc_streaming_reconfigure(session, &video, on_answer, &answer));
  AWAIT("a smaller stream", played_width == 128);
  char *json;
  check("statistics", rc_player_statistics(player, &json));
  if (!strstr(json, "\"videoCodec\":\"H.264\"")) return printf("%s\n", json), 1;
  rc_string_free(json);

  rc_room *viewer = join(argv[4], argv[6], on_event), *anchor = join(argv[4], argv[5], NULL);
  rc_track *camera;
  check("camera", rc_track_create_video(&video, &camera));
  check("share", rc_streaming_share(session, camera, NULL));
  CALL("published", rc_room_publish(anchor, &camera, 1, on_answer, &answer));
  AWAIT("the room has the mirrored camera", abs(viewed - 200) < 20);

  options.reconnect_tries = 3;
  CALL("options", rc_streaming_set_options(session, &options, on_answer, &answer));
  FAILS("another protocol", RC_INVALID_URL, rc_streaming_restart(session, "https://127.0.0.1/whip", on_answer, &answer));
  CALL("restarted at another URL", rc_streaming_restart(session, argv[2], on_answer, &answer));
  AWAIT("a second connection", status.connections == 2 && status.video_fps > 3);
  check("stop player", rc_player_stop(player));
  AWAIT("the player ended", player_state == RC_PLAYER_ENDED);

  CALL("stopped", rc_streaming_stop(session, on_answer, &answer));
  AWAIT("disconnected", last_state == RC_STREAMING_DISCONNECTED && states[RC_STREAMING_DISCONNECTING] == 1);
  CALL("stopped again", rc_streaming_stop(session, on_answer, &answer));
  FAILS("not running", RC_CANCELLED, rc_streaming_restart(session, NULL, on_answer, &answer));

  /* A push that runs when it is released ends in the background. */
  CALL("started again", rc_streaming_start(session, argv[1], NULL, on_answer, &answer));
  rc_streaming *last = session;
  session = NULL;
  check("release", rc_release(last));
  leave(anchor);
  leave(viewer);
  rc_release(watching), rc_release(camera), rc_release(player), rc_release(pictures), rc_release(sounds);
  rc_release(sound), rc_release(studio);
  check("close", rc_queue_close(queue));
  check("release", rc_release(queue));
  printf("handles=%zu\n", rc_handle_count());
  return 0;
}
