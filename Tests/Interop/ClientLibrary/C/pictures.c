/* A picture studio on a published camera, as a second participant sees it:
 *
 *   pictures URL TOKEN TOKEN-OF-A-VIEWER
 *
 * The camera is dark on its left and bright on its right. Each step changes the studio and waits until the viewer sees it.
 */
#include "session.h"

enum { WIDTH = 240, HEIGHT = 120, SIDE = 120, DARK = 60, BRIGHT = 200 };

static rc_track *camera;
static int64_t pictures_pushed;
static rc_reader *watching;
/* The mean luma of the quarters of the last picture: top left, top right, bottom left, bottom right. */
static int seen[4], previewed[4];
static int seen_width, seen_height, previews, hooked;

static void feed(void) {
  /* Ten pictures a second: every fifth call. */
  static int calls;
  if (!camera || calls++ % 5) return;
  static uint8_t y[WIDTH * HEIGHT], chroma[WIDTH * HEIGHT / 4];
  for (int i = 0; i < WIDTH * HEIGHT; i++) y[i] = i % WIDTH < WIDTH / 2 ? DARK : BRIGHT;
  memset(chroma, 128, sizeof chroma);
  rc_i420 picture = {WIDTH, HEIGHT, y, chroma, chroma, WIDTH, WIDTH / 2, pictures_pushed++ * 100000};
  check("push", rc_track_push_i420(camera, &picture));
}

static void measure(const rc_i420 *picture, int quarters[4]) {
  for (int quarter = 0; quarter < 4; quarter++) {
    int width = picture->width / 2, height = picture->height / 2;
    long sum = 0;
    for (int row = 0; row < height; row++) {
      const uint8_t *line = picture->y + (quarter / 2 * height + row) * picture->stride_y + quarter % 2 * width;
      for (int column = 0; column < width; column++) sum += line[column];
    }
    quarters[quarter] = (int)(sum / (width * height));
  }
}

static void on_seen(void *context, rc_reader *reader, const rc_i420 *picture) {
  (void)context, (void)reader;
  if (!picture) return;
  measure(picture, seen);
  seen_width = picture->width;
  seen_height = picture->height;
}

static void on_preview(void *context, rc_reader *reader, const rc_i420 *picture) {
  (void)context, (void)reader;
  if (picture) measure(picture, previewed), previews++;
}

static void on_frame(void *context, const rc_frame *frame) {
  (void)context;
  hooked++;
  for (int row = frame->height / 2; row < frame->height; row++) memset(frame->y + row * frame->stride_y, 120, (size_t)frame->width);
}

static void on_event(void *context, rc_room *room, const rc_event *event) {
  (void)context, (void)room;
  if (event->type == RC_EVENT_TRACK_SUBSCRIBED && strstr(event->json, "\"kind\":\"video\"") && !watching)
    check("read", rc_remote_read_video(event->track, queue, on_seen, NULL, &watching));
}

static int near(int value, int expected) { return abs(value - expected) < 16; }
static int sees(int top_left, int top_right, int bottom_left, int bottom_right) {
  return near(seen[0], top_left) && near(seen[1], top_right) && near(seen[2], bottom_left) && near(seen[3], bottom_right);
}

/* Inverts all colours. */
static const char inverted[] =
    "LUT_3D_SIZE 2\n1 1 1\n0 1 1\n1 0 1\n0 0 1\n1 1 0\n0 1 0\n1 0 0\n0 0 0\n";

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  rc_studio *studio;
  rc_video_options options = RC_VIDEO_OPTIONS_INIT;
  options.width = options.height = SIDE;
  options.fps = 10;
  options.bitrate = 400000;
  check("queue", rc_queue_create(&queue));
  check("studio", rc_studio_create(&studio));
  check("camera", rc_track_create_video(&options, &camera));
  check("set studio", rc_track_set_studio(camera, studio));
  check("size", rc_studio_set_size(studio, SIDE, SIDE, RC_FILL_CROP));
  uint8_t *file = NULL;
  size_t size = 0;
  if (rc_studio_snapshot(studio, false, RC_PNG, &file, &size) != RC_DROPPED) return 1;

  rc_room *viewer = join(argv[1], argv[3], on_event), *anchor = join(argv[1], argv[2], NULL);
  CALL("published", rc_room_publish(anchor, &camera, 1, on_answer, &answer));
  AWAIT("the camera as it is", sees(DARK, BRIGHT, DARK, BRIGHT) && seen_width == SIDE && seen_height == SIDE);

  rc_reader *preview;
  check("preview", rc_studio_read_preview(studio, queue, on_preview, NULL, &preview));
  check("mirror", rc_studio_set_mirror(studio, true, false));
  AWAIT("a mirrored stream", sees(BRIGHT, DARK, BRIGHT, DARK));
  AWAIT("a preview that is not", previews > 2 && near(previewed[0], DARK) && near(previewed[1], BRIGHT));
  check("mirror", rc_studio_set_mirror(studio, false, false));

  check("filter", rc_studio_set_filter(studio, (const uint8_t *)inverted, sizeof inverted - 1, 1));
  AWAIT("inverted colours", sees(235 + 16 - DARK, 235 + 16 - BRIGHT, 235 + 16 - DARK, 235 + 16 - BRIGHT));
  check("strength", rc_studio_set_filter_strength(studio, 0));
  AWAIT("a filter without strength", sees(DARK, BRIGHT, DARK, BRIGHT));
  check("no filter", rc_studio_set_filter(studio, NULL, 0, 0));

  check("beauty", rc_studio_set_beauty(studio, 0.5, 1, 0));
  AWAIT("a lighter picture", seen[0] > DARK + 15 && seen[1] > BRIGHT);
  check("no beauty", rc_studio_set_beauty(studio, 0, 0, 0));

  check("size", rc_studio_set_size(studio, SIDE, SIDE, RC_FILL_BARS));
  AWAIT("black bars", sees((DARK + 16) / 2, (BRIGHT + 16) / 2, (DARK + 16) / 2, (BRIGHT + 16) / 2));
  check("size", rc_studio_set_size(studio, SIDE, SIDE, RC_FILL_CROP));
  AWAIT("no bars", sees(DARK, BRIGHT, DARK, BRIGHT));

  check("hook", rc_studio_set_on_frame(studio, on_frame, NULL));
  AWAIT("what the app draws", sees(DARK, BRIGHT, 120, 120) && hooked > 0);
  check("no hook", rc_studio_set_on_frame(studio, NULL, NULL));
  AWAIT("the picture without it", sees(DARK, BRIGHT, DARK, BRIGHT));

  /* The dark half of the studio's own picture covers the bright one. */
  check("snapshot", rc_studio_snapshot(studio, false, RC_PNG, &file, &size));
  rc_overlay *logo, *title;
  check("overlay", rc_overlay_create_picture(file, size, SIDE / 2, SIDE / 2, SIDE, SIDE, 1, &logo));
  rc_bytes_free(file);
  check("watermark", rc_studio_set_watermark(studio, logo));
  AWAIT("a watermark", sees(DARK, BRIGHT, DARK, DARK));
  check("move", rc_overlay_move(logo, SIDE / 2, 0));
  check("sticker", rc_studio_set_stickers(studio, &logo, 1));
  check("no watermark", rc_studio_set_watermark(studio, NULL));
  AWAIT("a sticker elsewhere", sees(DARK, DARK, DARK, DARK));
  check("no sticker", rc_studio_set_stickers(studio, NULL, 0));
  check("release", rc_release(logo));

  rc_text_options text = RC_TEXT_OPTIONS_INIT;
  text.font_size = 60;
  text.outline_width = 0;
  check("text", rc_overlay_create_text("MMMM", 0, 30, &text, &title));
  check("texts", rc_studio_set_texts(studio, &title, 1));
  AWAIT("a text", seen[0] > DARK + 16);
  check("snapshot", rc_studio_snapshot(studio, true, RC_JPEG, &file, &size));
  if (size < 4 || file[0] != 0xff || file[1] != 0xd8) return 1;
  rc_bytes_free(file);
  check("release", rc_release(title));
  check("no text", rc_studio_set_texts(studio, NULL, 0));

  options.width = options.height = SIDE / 2;
  check("reconfigure", rc_track_reconfigure(camera, &options));
  AWAIT("a smaller picture", seen_width == SIDE / 2 && sees(DARK, BRIGHT, DARK, BRIGHT));

  check("release", rc_release(preview));
  check("release", rc_release(studio)); /* The track keeps it. */
  leave(anchor);
  leave(viewer);
  check("release", rc_release(watching));
  check("release", rc_release(camera));
  camera = NULL;
  check("close", rc_queue_close(queue));
  check("release", rc_release(queue));
  printf("handles=%zu\n", rc_handle_count());
  return 0;
}
