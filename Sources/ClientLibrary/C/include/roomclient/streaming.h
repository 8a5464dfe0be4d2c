/* streaming.h of roomclient: pushes to live servers. Include roomclient.h. */
#ifndef ROOMCLIENT_STREAMING_H
#define ROOMCLIENT_STREAMING_H

#include "studio.h"
#include "sound.h"

RC_BEGIN

/* == Streaming: a push to a live server ============================================================================ */
/* docs/streaming.md has the protocols, states, and what follows on a slow network. */

typedef enum rc_streaming_state {
  RC_STREAMING_UNKNOWN = 0, /* Not started yet. */
  RC_STREAMING_CONNECTING = 1,
  RC_STREAMING_CONNECTED = 2,
  RC_STREAMING_RECONNECTING = 3,
  RC_STREAMING_DISCONNECTING = 4,
  RC_STREAMING_DISCONNECTED = 5,
  RC_STREAMING_ERROR = 6 /* The push is over. */
} rc_streaming_state;

/* What a session sends, reported in intervals.
 * video_fps, audio_fps:   frames and packets per second since the last report.
 * video_kbps, audio_kbps: in kbit/s since the last report.
 * queued_ms:              the media that waits for the network.
 * dropped_frames:         the video frames dropped since the start.
 * target_bitrate:         in bit/s; target_fps in frames per second: at which the video is encoded.
 * connections:            1, and one more for each reconnect. */
typedef struct rc_streaming_status {
  double video_fps;
  double audio_fps;
  int32_t video_kbps;
  int32_t audio_kbps;
  int32_t queued_ms;
  int32_t target_bitrate;
  int32_t target_fps;
  int32_t connections;
  uint64_t dropped_frames;
} rc_streaming_status;

/* state:   the state.
 * failure: the reason of a change of state, else RC_OK.
 * message: describes the failure, else empty.
 * status:  the report of an interval; NULL for a change of state. */
typedef struct rc_streaming_event {
  rc_streaming_state state;
  rc_status failure;
  const char *message;
  const rc_streaming_status *RC_NULLABLE status;
} rc_streaming_event;
typedef void (*rc_on_streaming)(void *RC_NULLABLE context, rc_streaming *session, const rc_streaming_event *event);

/* The addresses of a host, valid until the callback returns. It is no handle of the app's. */
typedef struct rc_addresses rc_addresses;
/* Resolves a host in place of the system: adds its addresses. Runs on the queue, and has 5 s. */
typedef void (*rc_on_resolve)(void *RC_NULLABLE context, const char *host, rc_addresses *addresses);
/* Adds a numeric IPv4 or IPv6 address, within the callback. Those after the first 8 are not used. */
rc_status rc_addresses_add(rc_addresses *RC_NULLABLE addresses, const char *RC_NULLABLE address);

/* What a session pushes. All but the video is fixed for its lifetime.
 * video:              NULL for a push without video. Its codec is H.264.
 * has_audio:          whether there is audio: AAC over RTMP, Opus over WHIP.
 * audio_rate:         in Hz. audio_channels: 1 or 2. audio_bitrate: in bit/s.
 * follows_network:    whether a change of the machine's network moves the push at once.
 * on_network:         decides about each change; NULL for `follows_network`.
 * on_resolve:         resolves host names; NULL for the system. */
typedef struct rc_streaming_setup {
  size_t size;
  const rc_video_options *RC_NULLABLE video;
  bool has_audio;
  int32_t audio_rate;
  int32_t audio_channels;
  int32_t audio_bitrate;
  bool follows_network;
  bool trust_any_server;
  const char *RC_NULLABLE certificates;
  rc_on_network RC_NULLABLE on_network;
  rc_on_resolve RC_NULLABLE on_resolve;
  void *RC_NULLABLE hook_context; /* For both. */
} rc_streaming_setup;
#define RC_STREAMING_SETUP_INIT \
  {sizeof(rc_streaming_setup), NULL, true, 44100, 2, 128000, false, false, NULL, NULL, NULL, NULL}

/* The switches of a session, which can change at any time.
 * reconnect_tries: how often a lost connection is opened again; -2 for no limit.
 * min_bitrate:     the lowest video bitrate in bit/s on a slow network, at least 10000; 0 switches adaptation off.
 * dynamic_fps:     whether the frame rate may fall to 10.
 * status_ms:       the interval of reports, 100 to 3600000. */
typedef struct rc_streaming_options {
  size_t size;
  int32_t reconnect_tries;
  int32_t min_bitrate;
  bool dynamic_fps;
  int32_t status_ms;
} rc_streaming_options;
#define RC_STREAMING_OPTIONS_INIT {sizeof(rc_streaming_options), 0, 0, false, 3000}

/* Creates a session that is not started. Releasing it stops the push in the background; a program that ends then calls
 * rc_streaming_stop first, and waits for its answer, so that the server sees the stream's end.
 * queue:    delivers the events and answers.
 * options:  NULL for the defaults.
 * on_event: NULL for none. */
rc_status rc_streaming_create(rc_queue *RC_NULLABLE queue, const rc_streaming_setup *RC_NULLABLE setup,
                              const rc_streaming_options *RC_NULLABLE options, rc_on_streaming RC_NULLABLE on_event,
                              void *RC_NULLABLE context, rc_streaming *RC_NULLABLE *RC_NULLABLE session);
/* Starts the push; the answer comes when the server has accepted it.
 * token: for WHIP; NULL for none. */
rc_status rc_streaming_start(rc_streaming *RC_NULLABLE session, const char *RC_NULLABLE url,
                             const char *RC_NULLABLE token, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* Ends the push; the answer comes when the stream is ended at the server. */
rc_status rc_streaming_stop(rc_streaming *RC_NULLABLE session, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* Replaces the connection of a running push. url: a new one of the same protocol; NULL for the last one. */
rc_status rc_streaming_restart(rc_streaming *RC_NULLABLE session, const char *RC_NULLABLE url, rc_done RC_NULLABLE done,
                               void *RC_NULLABLE context);
/* Changes the switches. */
rc_status rc_streaming_set_options(rc_streaming *RC_NULLABLE session, const rc_streaming_options *RC_NULLABLE options,
                                   rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* Changes size, rates and profile of the video, also while live. */
rc_status rc_streaming_reconfigure(rc_streaming *RC_NULLABLE session, const rc_video_options *RC_NULLABLE video,
                                   rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* The last state that was reported, or waits to be. */
rc_streaming_state rc_streaming_get_state(rc_streaming *RC_NULLABLE session);
/* Adds the next picture or samples, as rc_track_push_... does. */
rc_status rc_streaming_push_i420(rc_streaming *RC_NULLABLE session, const rc_i420 *RC_NULLABLE picture);
rc_status rc_streaming_push_nv12(rc_streaming *RC_NULLABLE session, const rc_nv12 *RC_NULLABLE picture);
rc_status rc_streaming_push_rgb(rc_streaming *RC_NULLABLE session, const rc_rgb *RC_NULLABLE picture);
rc_status rc_streaming_push_pcm(rc_streaming *RC_NULLABLE session, const rc_pcm *RC_NULLABLE pcm);
/* Lets a studio change the pushed pictures, also those that are shared; NULL for none. At most 2 pictures wait for it; the
 * oldest are dropped. */
rc_status rc_streaming_set_studio(rc_streaming *RC_NULLABLE session, rc_studio *RC_NULLABLE studio);
/* Takes the sound of a sound studio until that is released; NULL for none. Do not push PCM then. */
rc_status rc_streaming_set_sound(rc_streaming *RC_NULLABLE session, rc_sound *RC_NULLABLE sound);
/* Also passes what is pushed to tracks of a room, created by rc_track_create_video and _audio; NULL for none. */
rc_status rc_streaming_share(rc_streaming *RC_NULLABLE session, rc_track *RC_NULLABLE camera,
                             rc_track *RC_NULLABLE microphone);

/* A picture on the canvas of a mix: in pixels from the top left. Higher z cover lower ones; the camera has 0. */
typedef struct rc_placement {
  rc_remote *RC_NULLABLE track;
  int32_t x;
  int32_t y;
  int32_t width;
  int32_t height;
  int32_t z;
} rc_placement;

/* The camera, and remote tracks of a room, on one canvas.
 * width, height: of the canvas, even.
 * camera:        the place of the pushed pictures, whose `track` and `z` are ignored; NULL for the whole canvas.
 * pictures:      remote video tracks, at most 16.
 * sounds:        remote audio tracks that are added to the pushed sound, at most 16. */
typedef struct rc_mix {
  size_t size;
  int32_t width;
  int32_t height;
  const rc_placement *RC_NULLABLE camera;
  const rc_placement *RC_NULLABLE pictures;
  size_t picture_count;
  rc_remote *RC_NULLABLE const *RC_NULLABLE sounds;
  size_t sound_count;
} rc_mix;
#define RC_MIX_INIT {sizeof(rc_mix), 0, 0, NULL, NULL, 0, NULL, 0}

/* Mixes remote tracks into the push, from now on; NULL pushes the camera and the microphone alone. */
rc_status rc_streaming_set_mix(rc_streaming *RC_NULLABLE session, const rc_mix *RC_NULLABLE mix);

RC_END

#endif
