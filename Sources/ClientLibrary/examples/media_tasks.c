/* One function for each task of docs/client-tasks.md. The program pushes a grey picture and music, and plays the stream:
 *
 *   cc media_tasks.c -o media_tasks $(pkg-config --cflags --libs roomclient)
 *   ./media_tasks rtmp://127.0.0.1:1935/live/demo http://127.0.0.1:8080/live/demo.flv music.wav
 */
#include <stdio.h>
#include <string.h>

#include "roomclient.h"

typedef struct App {
  rc_queue *queue;
  rc_studio *studio;
  rc_sound *sound;
  rc_streaming *session;
  rc_player *player;
  rc_reader *preview, *pictures;
  int is_live, previews, played, failed;
} App;

/* For calls that return a status: their arguments were wrong. */
static void check(App *app, rc_status status) {
  if (status != RC_OK) printf("%s: %s\n", rc_status_name(status), rc_last_error());
  app->failed += status != RC_OK;
}

/* == Pictures ====================================================================================================== */

static void improve(App *app, const char *title) {
  rc_text_options style = RC_TEXT_OPTIONS_INIT;
  style.font_size = 28;
  rc_overlay *text = NULL;
  check(app, rc_studio_create(&app->studio));
  check(app, rc_studio_set_beauty(app->studio, 0.6, 0.3, 0.2));
  check(app, rc_studio_set_mirror(app->studio, false, true));
  check(app, rc_overlay_create_text(title, 16, 16, &style, &text));
  check(app, rc_studio_set_texts(app->studio, &text, 1));
  check(app, rc_release(text));
  check(app, rc_streaming_set_studio(app->session, app->studio)); /* Of a room's camera: rc_track_set_studio. */
}

static void on_preview(void *context, rc_reader *reader, const rc_i420 *picture) {
  App *app = context;
  (void)reader;
  if (picture) app->previews++;
}

static void show_preview(App *app) {
  check(app, rc_studio_read_preview(app->studio, app->queue, on_preview, app, &app->preview));
}

/* == Sound ========================================================================================================= */

static void play_music(App *app, const char *path) {
  rc_effect reverb = RC_REVERB_MEDIUM;
  check(app, rc_sound_create(&app->sound));
  check(app, rc_sound_set_effects(app->sound, &reverb, 1));
  check(app, rc_sound_set_channel(app->sound, "music", -12, false, false));
  check(app, rc_sound_play(app->sound, "music", path, true, NULL, NULL, NULL));
  check(app, rc_streaming_set_sound(app->session, app->sound)); /* Of a room's microphone: rc_track_set_sound. */
}

/* == Live streams ================================================================================================== */

static void on_live(void *context, rc_status status, const char *message, const char *json) {
  App *app = context;
  (void)json;
  if (status != RC_OK) printf("%s\n", message);
  app->is_live = status == RC_OK;
  app->failed += status != RC_OK;
}

static void push_live(App *app, const char *url) {
  rc_streaming_options options = RC_STREAMING_OPTIONS_INIT;
  options.reconnect_tries = 3;
  options.min_bitrate = 200000;
  check(app, rc_streaming_set_options(app->session, &options, NULL, NULL));
  check(app, rc_streaming_start(app->session, url, NULL, on_live, app));
}

static void on_played(void *context, rc_reader *reader, const rc_i420 *picture) {
  App *app = context;
  (void)reader;
  if (picture && app->played++ == 0) printf("picture of %dx%d\n", picture->width, picture->height);
}

static void play(App *app, const char *url) {
  check(app, rc_player_create(app->queue, url, NULL, NULL, NULL, &app->player));
  check(app, rc_player_read_video(app->player, on_played, app, &app->pictures));
}

/* ================================================================================================================== */

enum { WIDTH = 320, HEIGHT = 180 };

static void push_picture(App *app, int number) {
  static uint8_t y[WIDTH * HEIGHT], chroma[WIDTH * HEIGHT / 4];
  memset(y, 100, sizeof y);
  memset(chroma, 128, sizeof chroma);
  rc_i420 picture = {WIDTH, HEIGHT, y, chroma, chroma, WIDTH, WIDTH / 2, number * 66667};
  check(app, rc_streaming_push_i420(app->session, &picture));
}

int main(int argc, char **argv) {
  App app = {0};
  if (argc < 4 || rc_queue_create(&app.queue) != RC_OK) return 2;
  rc_video_options video = RC_VIDEO_OPTIONS_INIT;
  video.width = WIDTH;
  video.height = HEIGHT;
  video.fps = 15;
  rc_streaming_setup setup = RC_STREAMING_SETUP_INIT;
  setup.video = &video;
  check(&app, rc_streaming_create(app.queue, &setup, NULL, NULL, NULL, &app.session));
  if (app.failed) return 1;
  improve(&app, "Friday evening");
  show_preview(&app);
  play_music(&app, argv[3]);
  push_live(&app, argv[1]);
  /* Until the stream was played, for at most 20 s. */
  for (int number = 0; app.played < 5 && !app.failed && number < 300; number++) {
    push_picture(&app, number);
    if (app.is_live && !app.player) play(&app, argv[2]);
    for (int turn = 0; turn < 6; turn++) rc_queue_dispatch(app.queue, 11);
  }
  printf("%d previews, %d pictures played\n", app.previews, app.played);
  app.is_live = 0;
  check(&app, rc_streaming_stop(app.session, on_live, &app));
  while (!app.is_live && !app.failed) rc_queue_dispatch(app.queue, -1);
  rc_release(app.preview), rc_release(app.pictures), rc_release(app.player);
  rc_release(app.session), rc_release(app.sound), rc_release(app.studio);
  rc_queue_close(app.queue);
  rc_release(app.queue);
  return app.failed || app.previews == 0 || app.played < 5;
}
