/* tracks.h of roomclient: tracks out and in, encoded or as pictures and PCM. Include roomclient.h. */
#ifndef ROOMCLIENT_TRACKS_H
#define ROOMCLIENT_TRACKS_H

#include "room.h"

RC_BEGIN

/* == Tracks out: encoded by the app, or pictures and PCM =========================================================== */

typedef enum rc_video_codec { RC_VIDEO_H264 = 0, RC_VIDEO_VP8 = 1, RC_VIDEO_VP9 = 2, RC_VIDEO_AV1 = 3 } rc_video_codec;
typedef enum rc_h264_profile { RC_PROFILE_BASELINE = 0, RC_PROFILE_MAIN = 1, RC_PROFILE_HIGH = 2 } rc_h264_profile;

/* width, height: in pixels.
 * fps:           frames per second.
 * bitrate:       the highest rate in bit/s; 0 for 0.1 bit per pixel.
 * tag:           free text for the other participants, at most 64 bytes; NULL for "camera".
 * is_secondary:  whether this is not the main video track, such as a shared screen.
 * profile:       of H.264. */
typedef struct rc_video_options {
  size_t size;
  rc_video_codec codec;
  int32_t width;
  int32_t height;
  int32_t fps;
  int32_t bitrate;
  const char *RC_NULLABLE tag;
  bool is_secondary;
  rc_h264_profile profile;
} rc_video_options;
#define RC_VIDEO_OPTIONS_INIT \
  {sizeof(rc_video_options), RC_VIDEO_H264, 640, 360, 24, 0, NULL, false, RC_PROFILE_BASELINE}

/* channels: of the encoded audio, 1 or 2.
 * bitrate:  in bit/s, 6000 to 510000; 0 for 32000. */
typedef struct rc_audio_options {
  size_t size;
  int32_t channels;
  int32_t bitrate;
  const char *RC_NULLABLE tag; /* NULL for "microphone". */
  bool is_secondary;
} rc_audio_options;
#define RC_AUDIO_OPTIONS_INIT {sizeof(rc_audio_options), 1, 0, NULL, false}

/* A track that is released stops, also while it is published. */

/* Creates a track that encodes the app's pictures. It encodes no more than the path to the server carries. */
rc_status rc_track_create_video(const rc_video_options *RC_NULLABLE options, rc_track *RC_NULLABLE *RC_NULLABLE track);
/* Creates a track that encodes the app's PCM to Opus. */
rc_status rc_track_create_audio(const rc_audio_options *RC_NULLABLE options, rc_track *RC_NULLABLE *RC_NULLABLE track);
/* Creates a track that encodes the app's pictures in several sizes, so that each receiver gets the one that it shows and that
 * its network carries (simulcast).
 * options:     of the largest size.
 * layers:      2: the small one has at most 176x144 pixels; 3: another one has half the width and height.
 * min_bitrate: the rate in bit/s of the path below which the largest one is off; 0 for 40 % of its own rate. */
rc_status rc_track_create_simulcast(const rc_video_options *RC_NULLABLE options, int32_t layers, int32_t min_bitrate,
                                    rc_track *RC_NULLABLE *RC_NULLABLE track);
/* Creates a track of a moving picture that shows the time of day. */
rc_status rc_track_create_test_picture(const rc_video_options *RC_NULLABLE options,
                                       rc_track *RC_NULLABLE *RC_NULLABLE track);
/* Creates a track of a sine tone.
 * frequency: in Hz. */
rc_status rc_track_create_tone(double frequency, const rc_audio_options *RC_NULLABLE options,
                               rc_track *RC_NULLABLE *RC_NULLABLE track);
/* Creates a track for frames that the app encoded: H.264 in Annex B form (Constrained Baseline is announced), or VP8. */
rc_status rc_track_create_encoded_video(const rc_video_options *RC_NULLABLE options,
                                        rc_track *RC_NULLABLE *RC_NULLABLE track);
/* Creates a track for Opus packets that the app encoded. */
rc_status rc_track_create_encoded_audio(const rc_audio_options *RC_NULLABLE options,
                                        rc_track *RC_NULLABLE *RC_NULLABLE track);

/* A picture of 8 bit, BT.601 limited range. The size may differ from that of the track: it is scaled.
 * stride_...: the distance between rows in bytes.
 * time_us:    the capture time in microseconds from any start, larger than that of the picture before. */
typedef struct rc_i420 {
  int32_t width;
  int32_t height;
  const uint8_t *RC_NULLABLE y;
  const uint8_t *RC_NULLABLE u;
  const uint8_t *RC_NULLABLE v;
  int32_t stride_y;
  int32_t stride_uv;
  int64_t time_us;
} rc_i420;

/* A picture as rc_i420, with U and V interleaved in one plane. */
typedef struct rc_nv12 {
  int32_t width;
  int32_t height;
  const uint8_t *RC_NULLABLE y;
  const uint8_t *RC_NULLABLE uv;
  int32_t stride_y;
  int32_t stride_uv;
  int64_t time_us;
} rc_nv12;

typedef enum rc_rgb_format { RC_RGB = 0, RC_RGBA = 1, RC_BGRA = 2 } rc_rgb_format;

/* A picture of 3 or 4 bytes for each pixel; alpha is ignored. It is converted to I420.
 * stride: the distance between rows in bytes. */
typedef struct rc_rgb {
  int32_t width;
  int32_t height;
  rc_rgb_format format;
  const uint8_t *RC_NULLABLE pixels;
  int32_t stride;
  int64_t time_us;
} rc_rgb;

/* Samples of 16 bit, channels interleaved.
 * frame_count: the number of samples of each channel.
 * sample_rate: in Hz, 8000 to 192000.
 * time_us:     the time of the first sample in microseconds from any start. */
typedef struct rc_pcm {
  const int16_t *RC_NULLABLE samples;
  size_t frame_count;
  int32_t sample_rate;
  int32_t channels;
  int64_t time_us;
} rc_pcm;

/* An encoded picture or packet.
 * timestamp: in 1/90000 s for video and 1/48000 s for Opus; starts anywhere and wraps around. */
typedef struct rc_encoded {
  const uint8_t *RC_NULLABLE data;
  size_t size;
  uint32_t timestamp;
  bool is_key_frame;
} rc_encoded;

/* Adds the next picture or samples. Copies them and returns at once; what the encoder cannot do in time is dropped. */
rc_status rc_track_push_i420(rc_track *RC_NULLABLE track, const rc_i420 *RC_NULLABLE picture);
rc_status rc_track_push_nv12(rc_track *RC_NULLABLE track, const rc_nv12 *RC_NULLABLE picture);
rc_status rc_track_push_rgb(rc_track *RC_NULLABLE track, const rc_rgb *RC_NULLABLE picture);
rc_status rc_track_push_pcm(rc_track *RC_NULLABLE track, const rc_pcm *RC_NULLABLE pcm);
/* Changes size, rates and profile of a track of rc_track_create_video from the next picture on, also while it is published.
 * The codec cannot change; tag and is_secondary are ignored. */
rc_status rc_track_reconfigure(rc_track *RC_NULLABLE track, const rc_video_options *RC_NULLABLE options);
/* Sends the next encoded frame. Returns RC_DROPPED if it is not sent.
 * level: for audio, the loudness in dBov, -127 to 0. Ignored for video. */
rc_status rc_track_send(rc_track *RC_NULLABLE track, const rc_encoded *RC_NULLABLE frame, int32_t level);

typedef enum rc_signal_type {
  RC_SIGNAL_KEY_FRAME = 0, /* A receiver needs a key frame. The encoders of the library make it themselves. */
  RC_SIGNAL_BITRATE = 1    /* The path to the server has `value` bit/s for this track. */
} rc_signal_type;
typedef void (*rc_on_signal)(void *RC_NULLABLE context, rc_track *track, rc_signal_type type, int64_t value);

/* Delivers what the app's encoder of a video track needs to know, until the track is released. */
rc_status rc_track_listen(rc_track *RC_NULLABLE track, rc_queue *RC_NULLABLE queue, rc_on_signal RC_NULLABLE on_signal,
                          void *RC_NULLABLE context);
/* The id that the server chose; NULL in `id` while the track is not published. */
rc_status rc_track_id(rc_track *RC_NULLABLE track, char *RC_NULLABLE *RC_NULLABLE id);

/* Publishes tracks, all or none. */
rc_status rc_room_publish(rc_room *RC_NULLABLE room, rc_track *RC_NULLABLE const *RC_NULLABLE tracks, size_t count,
                          rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* Unpublishes tracks, which may be published again. NULL and 0 unpublish all. */
rc_status rc_room_unpublish(rc_room *RC_NULLABLE room, rc_track *RC_NULLABLE const *RC_NULLABLE tracks, size_t count,
                            rc_done RC_NULLABLE done, void *RC_NULLABLE context);
typedef enum rc_kind { RC_AUDIO = 0, RC_VIDEO = 1 } rc_kind;

/* Unpublishes this client's tracks of a kind. */
rc_status rc_room_unpublish_kind(rc_room *RC_NULLABLE room, rc_kind kind, rc_done RC_NULLABLE done,
                                 void *RC_NULLABLE context);
/* Mutes or unmutes this client's tracks of a kind. */
rc_status rc_room_mute_kind(rc_room *RC_NULLABLE room, rc_kind kind, bool muted, rc_done RC_NULLABLE done,
                            void *RC_NULLABLE context);
/* Mutes or unmutes a track of this client, which stays published. */
rc_status rc_room_mute(rc_room *RC_NULLABLE room, rc_track *RC_NULLABLE track, bool muted, rc_done RC_NULLABLE done,
                       void *RC_NULLABLE context);
/* Mutes or unmutes any track by its id; needs the grant `admin` for one of another participant. */
rc_status rc_room_mute_id(rc_room *RC_NULLABLE room, const char *RC_NULLABLE track_id, bool muted,
                          rc_done RC_NULLABLE done, void *RC_NULLABLE context);

/* == Tracks in: encoded, pictures, PCM ============================================================================= */

/* {"userId": ..., "track": {"trackId", "kind", "tag", "codec", "muted", "width", ...}}. */
rc_status rc_remote_info(rc_remote *RC_NULLABLE remote, char *RC_NULLABLE *RC_NULLABLE json);
/* Asks the publisher for a key frame. */
rc_status rc_remote_request_key_frame(rc_remote *RC_NULLABLE remote);
/* Limits what the server sends of a track; 0 for no limit, priority -1 for the default. See `setReception`. */
rc_status rc_remote_set_reception(rc_room *RC_NULLABLE room, rc_remote *RC_NULLABLE remote, int32_t max_width,
                                  int32_t max_height, int32_t max_fps, int32_t priority, bool paused,
                                  rc_done RC_NULLABLE done, void *RC_NULLABLE context);

/* Frames are valid until the callback returns. NULL means that the track has ended. */
typedef void (*rc_on_encoded)(void *RC_NULLABLE context, rc_reader *reader, const rc_encoded *RC_NULLABLE frame);
typedef void (*rc_on_picture)(void *RC_NULLABLE context, rc_reader *reader, const rc_i420 *RC_NULLABLE picture);
typedef void (*rc_on_pcm)(void *RC_NULLABLE context, rc_reader *reader, const rc_pcm *RC_NULLABLE pcm);

/* Delivers the frames of a track until the reader is released. A track may have several readers. A reader that is too slow
 * loses its oldest frames; of encoded video it then continues at a key frame, which it requests. */
rc_status rc_remote_read_encoded(rc_remote *RC_NULLABLE remote, rc_queue *RC_NULLABLE queue,
                                 rc_on_encoded RC_NULLABLE on_frame, void *RC_NULLABLE context,
                                 rc_reader *RC_NULLABLE *RC_NULLABLE reader);
/* Decodes H.264, VP8, VP9 and AV1. */
rc_status rc_remote_read_video(rc_remote *RC_NULLABLE remote, rc_queue *RC_NULLABLE queue,
                               rc_on_picture RC_NULLABLE on_picture, void *RC_NULLABLE context,
                               rc_reader *RC_NULLABLE *RC_NULLABLE reader);
/* Decodes Opus to 48 kHz, usually 20 ms at a time.
 * channels: of the output, 1 or 2. */
rc_status rc_remote_read_audio(rc_remote *RC_NULLABLE remote, int32_t channels, rc_queue *RC_NULLABLE queue,
                               rc_on_pcm RC_NULLABLE on_pcm, void *RC_NULLABLE context,
                               rc_reader *RC_NULLABLE *RC_NULLABLE reader);
/* The number of decoded frames that were dropped because the app did not dispatch in time. */
uint64_t rc_reader_dropped(rc_reader *RC_NULLABLE reader);

RC_END

#endif
