/* studio.h of roomclient: pictures before the encoder. Include roomclient.h. */
#ifndef ROOMCLIENT_STUDIO_H
#define ROOMCLIENT_STUDIO_H

#include "tracks.h"

RC_BEGIN

/* == Studio: pictures before the encoder =========================================================================== */
/* docs/client-media.md shows each effect. A studio changes the pictures of tracks and streaming sessions in this order: range, size,
 * beauty, filter, the app's own callback, mirror, stickers, texts, watermark. A setting applies from the next picture on.
 * A studio that is released still changes the pictures of the tracks that use it, without the app's callback. */

/* How a picture of another aspect ratio gets a size. */
typedef enum rc_fill {
  RC_FILL_CROP = 0,   /* Fills the size and cuts the excess. */
  RC_FILL_BARS = 1,   /* Shows all of the picture between black bars. */
  RC_FILL_STRETCH = 2 /* Distorts. */
} rc_fill;

/* Creates a studio that changes nothing. */
rc_status rc_studio_create(rc_studio *RC_NULLABLE *RC_NULLABLE studio);
/* Lets a studio change the pictures of a track that encodes; NULL for none. The track uses it until it is released. */
rc_status rc_track_set_studio(rc_track *RC_NULLABLE track, rc_studio *RC_NULLABLE studio);
/* Sets the size of the pictures in pixels; 0 and 0 keep the size as pushed. */
rc_status rc_studio_set_size(rc_studio *RC_NULLABLE studio, int32_t width, int32_t height, rc_fill fill);
/* Sets whether the pushed values are 0...255, as those of some cameras, and not 16...235. */
rc_status rc_studio_set_full_range(rc_studio *RC_NULLABLE studio, bool full);
/* Mirrors the stream, and the preview. */
rc_status rc_studio_set_mirror(rc_studio *RC_NULLABLE studio, bool stream, bool preview);
/* Makes skin smoother, lighter and redder; each 0...1, all 0 for off. */
rc_status rc_studio_set_beauty(rc_studio *RC_NULLABLE studio, double smooth, double whiten, double redden);
/* Applies a lookup table: the bytes of a .cube file, or of a PNG of 512x512 squares or HALD. NULL and 0 for none. It is
 * converted here, in some milliseconds.
 * strength: 0...1. */
rc_status rc_studio_set_filter(rc_studio *RC_NULLABLE studio, const uint8_t *RC_NULLABLE file, size_t size,
                               double strength);
/* Changes the strength of the filter; without a filter RC_INVALID_ARGUMENT. */
rc_status rc_studio_set_filter_strength(rc_studio *RC_NULLABLE studio, double strength);

/* Creates an overlay of the bytes of a PNG or JPEG file, at most 4 MiB.
 * x, y:          the left and top edge in pixels of the result; it may extend beyond the picture.
 * width, height: in pixels; 0 keeps the aspect ratio, or the file's own size.
 * opacity:       0...1. */
rc_status rc_overlay_create_picture(const uint8_t *RC_NULLABLE file, size_t size, int32_t x, int32_t y, int32_t width,
                                    int32_t height, double opacity, rc_overlay *RC_NULLABLE *RC_NULLABLE overlay);

/* font_size:       in pixels, 6 to 256.
 * colour, outline: 0xRRGGBB.
 * outline_width:   in pixels, 0 to 8.
 * max_width:       in pixels; a wider text ends in "...". 0 for 4096.
 * font:            the path of a font file; NULL for DejaVu Sans, and a Chinese font if installed. */
typedef struct rc_text_options {
  size_t size;
  int32_t font_size;
  uint32_t colour;
  uint32_t outline;
  int32_t outline_width;
  int32_t max_width;
  const char *RC_NULLABLE font;
} rc_text_options;
#define RC_TEXT_OPTIONS_INIT {sizeof(rc_text_options), 32, 0xffffff, 0x000000, 2, 0, NULL}

/* Creates an overlay of a text, one line of at most 64 characters. RC_INVALID_ARGUMENT if nothing of it is visible. */
rc_status rc_overlay_create_text(const char *RC_NULLABLE text, int32_t x, int32_t y,
                                 const rc_text_options *RC_NULLABLE options,
                                 rc_overlay *RC_NULLABLE *RC_NULLABLE overlay);
/* Changes the place of an overlay, for the studios that get it next. */
rc_status rc_overlay_move(rc_overlay *RC_NULLABLE overlay, int32_t x, int32_t y);
/* Each replaces what was set before, by at most 32 overlays; NULL and 0 for none. The overlays may be released then. */
rc_status rc_studio_set_stickers(rc_studio *RC_NULLABLE studio, rc_overlay *RC_NULLABLE const *RC_NULLABLE overlays,
                                 size_t count);
rc_status rc_studio_set_texts(rc_studio *RC_NULLABLE studio, rc_overlay *RC_NULLABLE const *RC_NULLABLE overlays,
                              size_t count);
/* Sets the topmost overlay; NULL clears it. */
rc_status rc_studio_set_watermark(rc_studio *RC_NULLABLE studio, rc_overlay *RC_NULLABLE overlay);

/* A picture as rc_i420 whose samples may be changed. */
typedef struct rc_frame {
  int32_t width;
  int32_t height;
  uint8_t *y;
  uint8_t *u;
  uint8_t *v;
  int32_t stride_y;
  int32_t stride_uv;
  int64_t time_us;
} rc_frame;
typedef void (*rc_on_frame)(void *RC_NULLABLE context, const rc_frame *frame);

/* Lets the app change each picture in place, such as by effects of its own.
 *
 * Unlike all others, this callback runs on the thread that encodes, which waits for it. After this function or the release of
 * the studio has returned, the callback before does not run: so do not hold a lock during them that the callback takes. NULL
 * for none. */
rc_status rc_studio_set_on_frame(rc_studio *RC_NULLABLE studio, rc_on_frame RC_NULLABLE on_frame,
                                 void *RC_NULLABLE context);
/* Delivers the pictures for the anchor's own screen until the reader is released. A slow app loses the oldest; they are not
 * counted by rc_reader_dropped. */
rc_status rc_studio_read_preview(rc_studio *RC_NULLABLE studio, rc_queue *RC_NULLABLE queue,
                                 rc_on_picture RC_NULLABLE on_picture, void *RC_NULLABLE context,
                                 rc_reader *RC_NULLABLE *RC_NULLABLE reader);

typedef enum rc_image_format { RC_PNG = 0, RC_JPEG = 1 } rc_image_format;
/* Writes the last picture of the stream, or of the preview, as a file. RC_DROPPED before the first picture.
 * bytes, size: the file, which is freed with rc_bytes_free. */
rc_status rc_studio_snapshot(rc_studio *RC_NULLABLE studio, bool of_preview, rc_image_format format,
                             uint8_t *RC_NULLABLE *RC_NULLABLE bytes, size_t *RC_NULLABLE size);

RC_END

#endif
