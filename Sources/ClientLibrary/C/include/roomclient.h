/* roomclient.h: a client of roomserver for programs in any language.
 *
 * Link with `pkg-config --cflags --libs roomclient`. docs/client-c.md is the guide, api/signalling.md describes the JSON.
 *
 * Conventions
 *   Handles     Pointers such as `rc_room *` are opaque. They are numbers of a table and not addresses, so a released or
 *               wrong handle is detected. A function that creates a handle returns it with one reference; `rc_retain` adds
 *               one, `rc_release` removes one. Each handle that the app created must be released.
 *   Errors      Functions return an `rc_status`: 0 for success. `rc_last_error` describes the last failure of the thread.
 *               No argument makes a function trap, if pointers to memory are valid.
 *   Text        UTF-8, terminated by zero. The library copies what it is given. Text of a `char **` result is the app's
 *               and is freed with `rc_string_free`; text in a callback is valid until the callback returns.
 *   JSON        State, events and parameters with many fields are JSON in the form of api/signalling.md.
 *   Calls       A function with an `rc_done` returns at once. If it returns RC_OK, the callback is called exactly once,
 *               even if the queue is closed first. It may be NULL. If the function returns an error, it is not called.
 *   Callbacks   The library calls back only through an `rc_queue`, on the thread that dispatches it, one at a time. After
 *               `rc_release` of the last reference of a room, track or reader has returned, none of its callbacks runs or
 *               begins, except the `rc_done` of calls. So do not hold a lock during `rc_release` that a callback takes.
 *   Threads     All functions may be called on any thread, also in callbacks.
 *   Versions    Structures that the app fills begin with their size, so that fields can be added at their end; create them
 *               with their RC_..._INIT macro. Structures of callbacks may grow at their end, and enumerations may grow.
 */
#ifndef ROOMCLIENT_H
#define ROOMCLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RC_VERSION_MAJOR 0
#define RC_VERSION_MINOR 2
#define RC_VERSION_PATCH 0

#if defined(__clang__)
#pragma clang assume_nonnull begin
#define RC_NULLABLE _Nullable
#else
#define RC_NULLABLE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* == Library: version, errors, handles ============================================================================= */

/* The version of the library as major * 10000 + minor * 100 + patch. The major number changes when programs must be
 * compiled again. */
uint32_t rc_version(void);

/* Numbers below 1000 are the library's own. All others are the server's, as api/signalling.md lists them: 10003 is
 * `noPermission`. */
typedef int32_t rc_status;
enum {
  RC_OK = 0,
  RC_INVALID_ARGUMENT = 1, /* NULL, or a value out of range; the message names the argument. */
  RC_INVALID_HANDLE = 2,   /* NULL, released, or of another kind. */
  RC_INVALID_JSON = 3,
  RC_BUSY = 4,             /* RC_CALL_LIMIT calls of the queue are unanswered. */
  RC_NOT_CONNECTED = 5,    /* The room is not joined yet. */
  RC_CLOSED = 6,           /* The room or the queue is closed. */
  RC_CANCELLED = 7,        /* The room was released before the answer came. */
  RC_INVALID_URL = 8,
  RC_CONNECT_FAILED = 9,   /* The server cannot be reached; the message says why. */
  RC_CONNECTION_LOST = 10, /* The connection is down; the library is reconnecting. */
  RC_TIMED_OUT = 11,
  RC_PROTOCOL_VIOLATION = 12,
  RC_NEGOTIATION_FAILED = 13, /* Such as a codec that the server rejects. */
  RC_MEDIA_FAILED = 14,
  RC_TRACK_IN_USE = 15,  /* The track is already published. */
  RC_TRACK_UNKNOWN = 16, /* The track is not published in this room. */
  RC_CANNOT_MOVE = 17,
  RC_NOT_AWAY = 18,
  RC_CODEC_FAILED = 19, /* A codec rejects its settings or a frame. */
  RC_DROPPED = 20,      /* The frame was dropped: not connected, muted, waiting for a key frame, or a full queue. */
  RC_NAME_NOT_FOUND = 21,  /* The host has no address. */
  RC_TLS_FAILED = 22,
  RC_URL_EXPIRED = 23,     /* The server says that the URL or its token has expired. */
  RC_UNAUTHORIZED = 24,    /* The server does not permit the push or the play; the message has its answer. */
  RC_REJECTED = 25,        /* The server refused the stream; the message has its answer. */
  RC_ALREADY_RUNNING = 26, /* The streaming session is started. */
  RC_STALLED = 27,         /* The server accepted no data for too long. */
  RC_STREAM_FAILED = 28,   /* The stream cannot be played: no such stream, or of an unknown format. */
  RC_FILE_FAILED = 29,     /* A file cannot be opened, or is corrupt. */
  RC_INTERNAL = 999
};

/* The name of a status in English, such as "noPermission"; "unknown" for an unknown one. Never NULL. */
const char *rc_status_name(rc_status status);
/* Describes the last failure of a function on this thread, in at most 511 bytes. Valid until the thread's next call. */
const char *rc_last_error(void);

typedef struct rc_queue rc_queue;
typedef struct rc_room rc_room;
typedef struct rc_track rc_track;   /* A track that this client publishes. */
typedef struct rc_remote rc_remote; /* A track of another participant that this client receives. */
typedef struct rc_reader rc_reader; /* The frames of an `rc_remote`, a studio or a player. */
typedef struct rc_studio rc_studio; /* Changes pictures before they are encoded. */
typedef struct rc_overlay rc_overlay; /* A sticker, a text or a watermark of a studio. */
typedef struct rc_sound rc_sound;   /* Mixes and changes sound before it is encoded. */
typedef struct rc_streaming rc_streaming; /* A push to a live server. */

rc_status rc_retain(const void *RC_NULLABLE handle);
/* NULL is allowed and has no effect. */
rc_status rc_release(const void *RC_NULLABLE handle);
/* The number of handles in the process, to find leaks. */
size_t rc_handle_count(void);
void rc_string_free(char *RC_NULLABLE text);
/* Frees the memory of a `uint8_t **` result. */
void rc_bytes_free(uint8_t *RC_NULLABLE bytes);

/* == Queue: where callbacks run ==================================================================================== */

/* The most unanswered calls of a queue; further ones return RC_BUSY. */
#define RC_CALL_LIMIT 1024

/* Creates a queue. An app has one for each thread or event loop on which it wants callbacks.
 *
 * A queue is bounded: each room has at most one event in it and each reader one frame. What follows waits in the buffer of
 * the room or the reader, whose oldest entries are dropped and counted when it is full. */
rc_status rc_queue_create(rc_queue *RC_NULLABLE *RC_NULLABLE queue);
/* The descriptor of the queue, which is readable while callbacks wait: for poll, epoll, GLib or asyncio. Returns -1 for an
 * invalid handle. It belongs to the queue; do not read or close it. */
int rc_queue_fd(rc_queue *RC_NULLABLE queue);
/* Runs the callbacks that wait. If there are none, waits for one.
 * timeout_ms: the longest wait in milliseconds; 0 does not wait, -1 waits without limit.
 * Returns the number of callbacks that ran, or a status as a negative number: -RC_CLOSED after `rc_queue_close`,
 * -RC_BUSY within a callback of the queue. */
int32_t rc_queue_dispatch(rc_queue *RC_NULLABLE queue, int32_t timeout_ms);
/* Starts a thread that dispatches the queue until it is closed, for apps without a loop. */
rc_status rc_queue_start_thread(rc_queue *RC_NULLABLE queue);
/* Closes the queue: calls the `rc_done` of unanswered calls with RC_CLOSED on this thread, drops everything else, and waits
 * until the queue's own thread has ended, unless it is this thread. Releasing the last reference closes it too. */
rc_status rc_queue_close(rc_queue *RC_NULLABLE queue);

/* The answer to a call.
 * status:  RC_OK, or the reason of the failure.
 * message: describes the failure; empty for RC_OK.
 * json:    the result in the form of api/signalling.md; NULL if the call has none. */
typedef void (*rc_done)(void *RC_NULLABLE context, rc_status status, const char *message, const char *RC_NULLABLE json);

/* == Room: join, events, state ===================================================================================== */

typedef enum rc_event_type {
  RC_EVENT_OTHER = 0,            /* See `name`: joined, left, published, muteChanged, seatChanged, message, ... */
  RC_EVENT_STATE_CHANGED = 1,    /* {"state": "connected"}; see rc_room_state. */
  RC_EVENT_TRACK_SUBSCRIBED = 2, /* `track` is received from now on. */
  RC_EVENT_TRACK_UNSUBSCRIBED = 3, /* `track` has ended. */
  RC_EVENT_FIRST_FRAME = 4,      /* The first complete frame of `track` arrived. */
  RC_EVENT_FIRST_PICTURE = 5,    /* The first picture of `track` was decoded. */
  RC_EVENT_AUDIO_LEVELS = 6,     /* `levels`, five times a second; see rc_room_options.audio_levels. */
  RC_EVENT_STATISTICS = 7        /* As rc_room_statistics. */
} rc_event_type;

/* How loud a participant is.
 * level: dBov, -127 (silence) to 0. */
typedef struct rc_level {
  const char *user_id;
  const char *track_id;
  int32_t level;
} rc_level;

/* An event of a room.
 * name:   the name in api/signalling.md, or of the library: stateChanged, trackSubscribed, trackUnsubscribed, firstFrame,
 *         firstPicture, statistics, refreshed (changes were missed; `json` is the whole state), mediaConnectionChanged.
 * json:   the data of the event.
 * track:  for the events of remote tracks, else NULL; retain it to keep it after the callback.
 * levels: for RC_EVENT_AUDIO_LEVELS. */
typedef struct rc_event {
  rc_event_type type;
  const char *name;
  const char *json;
  rc_remote *RC_NULLABLE track;
  const rc_level *RC_NULLABLE levels;
  size_t level_count;
} rc_event;

typedef void (*rc_on_event)(void *RC_NULLABLE context, rc_room *room, const rc_event *event);

typedef enum rc_media_protocol { RC_MEDIA_AUTOMATIC = 0, RC_MEDIA_UDP = 1, RC_MEDIA_TCP = 2 } rc_media_protocol;

typedef struct rc_room_options {
  size_t size;
  bool manual_subscribe;   /* Whether tracks are received only after rc_room_subscribe. */
  bool receives_nothing;   /* Whether to receive no tracks until rc_room_set_receiving. */
  bool audio_levels;       /* Whether to deliver audioLevels and activeSpeakers. */
  bool trust_any_server;   /* Accepts any TLS certificate: for tests only. */
  int32_t timeout_ms;      /* The longest wait for an answer; 0 for 10 s. */
  int32_t statistics_ms;   /* The interval of statistics events; 0 for none. */
  int32_t reconnect_tries; /* 0 for 3, -1 for none, -2 for no limit. */
  int32_t event_backlog;   /* The most events that wait for the app; 0 for 1024. */
  rc_media_protocol media_protocol;
  const char *RC_NULLABLE certificates; /* The path of a PEM file of accepted certificates; NULL for the system's. */
} rc_room_options;
#define RC_ROOM_OPTIONS_INIT {sizeof(rc_room_options), false, false, false, false, 0, 0, 0, 0, RC_MEDIA_AUTOMATIC, NULL}

/* Joins the room that the token names.
 * queue:    where the callbacks of the room run.
 * url:      the signalling address, ws://host:port/v1/signal or wss://...
 * token:    a room token, issued by the app's server.
 * options:  NULL for the defaults.
 * on_event: called for each event from the join on; NULL for none.
 * done:     called when the room is joined, or the join failed: 10002 for an invalid token, 10011 for an unknown room.
 * context:  for both callbacks.
 * room:     the room. Other calls return RC_NOT_CONNECTED until `done`. Releasing it leaves. */
rc_status rc_room_connect(rc_queue *RC_NULLABLE queue, const char *RC_NULLABLE url, const char *RC_NULLABLE token,
                          const rc_room_options *RC_NULLABLE options, rc_on_event RC_NULLABLE on_event,
                          rc_done RC_NULLABLE done, void *RC_NULLABLE context, rc_room *RC_NULLABLE *RC_NULLABLE room);
/* Leaves the room. Always succeeds, after at most 2 s. */
rc_status rc_room_leave(rc_room *RC_NULLABLE room, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* The number of events that were dropped because the app did not dispatch in time. */
uint64_t rc_room_events_dropped(rc_room *RC_NULLABLE room);

/* {"state": S}, where S is connecting, connected, reconnecting (with "attempt") or closed (with "reason"). */
rc_status rc_room_state(rc_room *RC_NULLABLE room, char *RC_NULLABLE *RC_NULLABLE json);
/* The `room` of a join's answer: layout, seats, requests, attributes, messages, PK, jobs. */
rc_status rc_room_snapshot(rc_room *RC_NULLABLE room, char *RC_NULLABLE *RC_NULLABLE json);
/* {"me": participant, "others": [participant]}. */
rc_status rc_room_participants(rc_room *RC_NULLABLE room, char *RC_NULLABLE *RC_NULLABLE json);

/* Subscribes to or unsubscribes from tracks by id, and all tracks of users. The arrays may be NULL if their count is 0. */
rc_status rc_room_subscribe(rc_room *RC_NULLABLE room, const char *const RC_NULLABLE *RC_NULLABLE track_ids,
                            size_t track_count, const char *const RC_NULLABLE *RC_NULLABLE user_ids, size_t user_count,
                            rc_done RC_NULLABLE done, void *RC_NULLABLE context);
rc_status rc_room_unsubscribe(rc_room *RC_NULLABLE room, const char *const RC_NULLABLE *RC_NULLABLE track_ids,
                              size_t track_count, const char *const RC_NULLABLE *RC_NULLABLE user_ids,
                              size_t user_count, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* Stops and resumes the reception of all tracks. */
rc_status rc_room_set_receiving(rc_room *RC_NULLABLE room, bool enabled, rc_done RC_NULLABLE done,
                                void *RC_NULLABLE context);
/* Starts or stops audioLevels and activeSpeakers events. */
rc_status rc_room_set_audio_levels(rc_room *RC_NULLABLE room, bool enabled, rc_done RC_NULLABLE done,
                                   void *RC_NULLABLE context);
/* Removes a user from the room; needs the grant `admin`. */
rc_status rc_room_kick(rc_room *RC_NULLABLE room, const char *RC_NULLABLE user_id, rc_done RC_NULLABLE done,
                       void *RC_NULLABLE context);
/* Result: the URLs at which an audience plays the room. */
rc_status rc_room_play_urls(rc_room *RC_NULLABLE room, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* Tells the library of a change of the network that it cannot detect itself. */
rc_status rc_room_network_changed(rc_room *RC_NULLABLE room, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* Result: {"transports": [...], "localTracks": [...], "remoteTracks": [...]}. Times are in ms, rates in kbit/s, loss is
 * 0...1. Counters of a track are since its beginning, all else since the last report. */
rc_status rc_room_statistics(rc_room *RC_NULLABLE room, rc_done RC_NULLABLE done, void *RC_NULLABLE context);

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

/* == Studio: pictures before the encoder =========================================================================== */
/* docs/studio.md shows each effect. A studio changes the pictures of tracks and streaming sessions in this order: range, size,
 * beauty, filter, the app's own callback, mirror, stickers, texts, watermark. A setting applies from the next picture on. */

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
 * the studio has returned, the callback before does not run. NULL for none. */
rc_status rc_studio_set_on_frame(rc_studio *RC_NULLABLE studio, rc_on_frame RC_NULLABLE on_frame,
                                 void *RC_NULLABLE context);
/* Delivers the pictures for the anchor's own screen until the reader is released. A slow app loses the oldest. */
rc_status rc_studio_read_preview(rc_studio *RC_NULLABLE studio, rc_queue *RC_NULLABLE queue,
                                 rc_on_picture RC_NULLABLE on_picture, void *RC_NULLABLE context,
                                 rc_reader *RC_NULLABLE *RC_NULLABLE reader);

typedef enum rc_image_format { RC_PNG = 0, RC_JPEG = 1 } rc_image_format;
/* Writes the last picture of the stream, or of the preview, as a file. RC_DROPPED before the first picture.
 * bytes, size: the file, which is freed with rc_bytes_free. */
rc_status rc_studio_snapshot(rc_studio *RC_NULLABLE studio, bool of_preview, rc_image_format format,
                             uint8_t *RC_NULLABLE *RC_NULLABLE bytes, size_t *RC_NULLABLE size);

/* == Sound: mixing and effects before the encoder ================================================================== */
/* A sound studio mixes named channels to stereo at 48 kHz: each channel's gain, the mix, the effects, channels without effects,
 * the gain, a limiter. It has a clock of its own, and a queue of 20 ms for each channel. docs/sound.md has the details. */

/* Creates a studio with no channels and no effects. */
rc_status rc_sound_create(rc_sound *RC_NULLABLE *RC_NULLABLE sound);
/* Sends the studio's sound to a track that encodes; NULL for none. Do not push to the track then. */
rc_status rc_track_set_sound(rc_track *RC_NULLABLE track, rc_sound *RC_NULLABLE sound);
/* Adds samples of a channel, in any format. The first ones create the channel. At most 16 channels. */
rc_status rc_sound_push(rc_sound *RC_NULLABLE sound, const char *RC_NULLABLE channel, const rc_pcm *RC_NULLABLE pcm);
/* gain:        in dB, -96 to 24.
 * has_effects: whether the effects apply to the channel. */
rc_status rc_sound_set_channel(rc_sound *RC_NULLABLE sound, const char *RC_NULLABLE channel, double gain, bool muted,
                               bool has_effects);
/* Removes a channel and what it has queued. */
rc_status rc_sound_remove_channel(rc_sound *RC_NULLABLE sound, const char *RC_NULLABLE channel);
/* Sets the gain of the output in dB, -96 to 24. */
rc_status rc_sound_set_gain(rc_sound *RC_NULLABLE sound, double gain);

typedef enum rc_effect_type { RC_EFFECT_GAIN = 0, RC_EFFECT_REVERB = 1, RC_EFFECT_ECHO = 2 } rc_effect_type;

/* An effect. Fields that its type does not use are ignored; values out of range are limited.
 * gain:       of a gain, -96 to 24 dB; of a reverb, -20 to 20 dB.
 * mix:        of a reverb and an echo, 0...1.
 * room_size:  of a reverb, 0...1.
 * decay:      of a reverb, the seconds in which low frequencies decay by 60 dB, 0.05 to 20.
 * decay_high: the same of the highest frequencies.
 * delay:      of an echo, 1 to 2000 ms.
 * feedback:   of an echo, 0...0.95. */
typedef struct rc_effect {
  rc_effect_type type;
  double gain;
  double mix;
  double room_size;
  double decay;
  double decay_high;
  double delay;
  double feedback;
} rc_effect;
#define RC_REVERB_LOW {RC_EFFECT_REVERB, 0, 0.15, 0.25, 0.6, 0.3, 0, 0}
#define RC_REVERB_MEDIUM {RC_EFFECT_REVERB, 0, 0.25, 0.5, 1.2, 0.6, 0, 0}
#define RC_REVERB_HIGH {RC_EFFECT_REVERB, 0, 0.35, 0.9, 2.5, 1.0, 0, 0}
#define RC_ECHO {RC_EFFECT_ECHO, 0, 0.4, 0, 0, 0, 250, 0.35}

/* Replaces the effects, at most 8 in order; NULL and 0 for none. Changes do not click. */
rc_status rc_sound_set_effects(rc_sound *RC_NULLABLE sound, const rc_effect *RC_NULLABLE effects, size_t count);

typedef enum rc_noise { RC_NOISE_LEFT = -1, RC_NOISE_LOW = 0, RC_NOISE_MODERATE = 1, RC_NOISE_HIGH = 2, RC_NOISE_VERY_HIGH = 3 } rc_noise;
/* cancels_echo: removes what rc_sound_played passed from the channel.
 * noise:        how strongly steady noise is suppressed.
 * adjusts_gain: brings speech to a constant level.
 * delay_ms:     from rc_sound_played to the echo's arrival, 0 to 500; a rough value is sufficient.
 * channel:      the channel that is processed; NULL for "microphone". */
typedef struct rc_voice_options {
  size_t size;
  bool cancels_echo;
  rc_noise noise;
  bool adjusts_gain;
  int32_t delay_ms;
  const char *RC_NULLABLE channel;
} rc_voice_options;
#define RC_VOICE_OPTIONS_INIT {sizeof(rc_voice_options), true, RC_NOISE_MODERATE, false, 60, NULL}

/* Switches voice processing on; NULL switches it off. */
rc_status rc_sound_set_voice(rc_sound *RC_NULLABLE sound, const rc_voice_options *RC_NULLABLE options);
/* Tells the echo cancellation what the loudspeaker is about to play: stereo at 48 kHz. */
rc_status rc_sound_played(rc_sound *RC_NULLABLE sound, const rc_pcm *RC_NULLABLE pcm);

/* A file begins, or `path` is NULL: the last one ended. */
typedef void (*rc_on_file)(void *RC_NULLABLE context, rc_sound *sound, const char *RC_NULLABLE path);
/* Plays the sound of a file as a channel, in place of what is pushed to it.
 * loop:    whether the file is repeated.
 * on_file: called on the queue when a file begins or the last one ended; NULL for none. The app names the next file with
 *          rc_sound_play_next. */
rc_status rc_sound_play(rc_sound *RC_NULLABLE sound, const char *RC_NULLABLE channel, const char *RC_NULLABLE path,
                        bool loop, rc_queue *RC_NULLABLE queue, rc_on_file RC_NULLABLE on_file,
                        void *RC_NULLABLE context);
/* Sets the file that follows without a gap, instead of a repetition; NULL for none. */
rc_status rc_sound_play_next(rc_sound *RC_NULLABLE sound, const char *RC_NULLABLE channel, const char *RC_NULLABLE path);
/* volume: of the file, 0...4; 1 leaves it unchanged. */
rc_status rc_sound_set_file(rc_sound *RC_NULLABLE sound, const char *RC_NULLABLE channel, double volume, bool paused);

typedef enum rc_ear { RC_EAR_OFF = 0, RC_EAR_DRY = 1, RC_EAR_PROCESSED = 2 } rc_ear;
/* Sets what the speaker hears of the own sound: nothing, the mix before the effects, or what is encoded.
 * gain: in dB, -96 to 24. */
rc_status rc_sound_set_ear(rc_sound *RC_NULLABLE sound, rc_ear ear, double gain);
/* Delivers the mixed sound, or the ear return, as stereo at 48 kHz, 20 ms at a time, until the reader is released. */
rc_status rc_sound_read(rc_sound *RC_NULLABLE sound, bool ear, rc_queue *RC_NULLABLE queue, rc_on_pcm RC_NULLABLE on_pcm,
                        void *RC_NULLABLE context, rc_reader *RC_NULLABLE *RC_NULLABLE reader);

/* rms, peak: relative to full scale, 0...1. */
typedef struct rc_loudness {
  double rms;
  double peak;
} rc_loudness;
/* Reads the loudness of the last 20 ms of a channel after its gain; of the output if `channel` is NULL. Silence for a channel
 * without sound so far. */
rc_status rc_sound_level(rc_sound *RC_NULLABLE sound, const char *RC_NULLABLE channel, rc_loudness *RC_NULLABLE loudness);

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

/* What a session pushes. All but the video is fixed for its lifetime.
 * video:              NULL for a push without video. Its codec is H.264.
 * has_audio:          whether there is audio: AAC over RTMP, Opus over WHIP.
 * audio_rate:         in Hz. audio_channels: 1 or 2. audio_bitrate: in bit/s.
 * follows_network:    whether a change of the machine's network moves the push at once. */
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
} rc_streaming_setup;
#define RC_STREAMING_SETUP_INIT {sizeof(rc_streaming_setup), NULL, true, 44100, 2, 128000, false, false, NULL}

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

/* Creates a session that is not started. Releasing it stops the push.
 * queue:    where the events and answers run.
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
/* The last state that was reported. */
rc_streaming_state rc_streaming_get_state(rc_streaming *RC_NULLABLE session);
/* Adds the next picture or samples, as rc_track_push_... does. */
rc_status rc_streaming_push_i420(rc_streaming *RC_NULLABLE session, const rc_i420 *RC_NULLABLE picture);
rc_status rc_streaming_push_nv12(rc_streaming *RC_NULLABLE session, const rc_nv12 *RC_NULLABLE picture);
rc_status rc_streaming_push_rgb(rc_streaming *RC_NULLABLE session, const rc_rgb *RC_NULLABLE picture);
rc_status rc_streaming_push_pcm(rc_streaming *RC_NULLABLE session, const rc_pcm *RC_NULLABLE pcm);
/* Lets a studio change the pushed pictures, also those that are shared; NULL for none. */
rc_status rc_streaming_set_studio(rc_streaming *RC_NULLABLE session, rc_studio *RC_NULLABLE studio);
/* Takes the sound of a sound studio; NULL for none. Do not push PCM then. */
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

/* == Seats ========================================================================================================= */
/* rc_room_snapshot has the seats, requests and invitations. `index` is a seat's index, -1 for any. */

/* Takes a seat, and publishes tracks there. Result: {"index": n}. */
rc_status rc_seats_take(rc_room *RC_NULLABLE room, int32_t index, rc_track *RC_NULLABLE const *RC_NULLABLE tracks,
                        size_t count, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* Leaves the seat; the server unpublishes this client's tracks. */
rc_status rc_seats_leave(rc_room *RC_NULLABLE room, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* Removes a user from its seat; needs the grant `admin`. */
rc_status rc_seats_kick(rc_room *RC_NULLABLE room, const char *RC_NULLABLE user_id, rc_done RC_NULLABLE done,
                        void *RC_NULLABLE context);
/* Sets switches of a seat: 1, 0, or -1 to keep. `locked` and `muted` need the grant `admin`. */
rc_status rc_seats_set(rc_room *RC_NULLABLE room, int32_t index, int32_t locked, int32_t muted, int32_t video,
                       int32_t audio, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* Changes the layout. json: {"type": ..., "canvas": ..., "frames": ...}. */
rc_status rc_seats_set_layout(rc_room *RC_NULLABLE room, const char *RC_NULLABLE json, rc_done RC_NULLABLE done,
                              void *RC_NULLABLE context);
rc_status rc_seats_request(rc_room *RC_NULLABLE room, int32_t index, rc_done RC_NULLABLE done,
                           void *RC_NULLABLE context);
rc_status rc_seats_cancel_request(rc_room *RC_NULLABLE room, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* Accepts a user's request. Result: {"index": n}. */
rc_status rc_seats_accept(rc_room *RC_NULLABLE room, const char *RC_NULLABLE user_id, rc_done RC_NULLABLE done,
                          void *RC_NULLABLE context);
rc_status rc_seats_reject(rc_room *RC_NULLABLE room, const char *RC_NULLABLE user_id, rc_done RC_NULLABLE done,
                          void *RC_NULLABLE context);
rc_status rc_seats_invite(rc_room *RC_NULLABLE room, const char *RC_NULLABLE user_id, int32_t index,
                          rc_done RC_NULLABLE done, void *RC_NULLABLE context);
rc_status rc_seats_cancel_invitation(rc_room *RC_NULLABLE room, const char *RC_NULLABLE user_id,
                                     rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* Accepts the invitation of this client, as rc_seats_take. */
rc_status rc_seats_accept_invitation(rc_room *RC_NULLABLE room, rc_track *RC_NULLABLE const *RC_NULLABLE tracks,
                                     size_t count, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
rc_status rc_seats_reject_invitation(rc_room *RC_NULLABLE room, rc_done RC_NULLABLE done, void *RC_NULLABLE context);

/* == PK ============================================================================================================ */

typedef enum rc_pk_mode { RC_PK_BRIDGE = 0, RC_PK_MOVE = 1 } rc_pk_mode;

/* Invites another room.
 * user_id:  its anchor; NULL for the user on its seat 0.
 * duration: the length of the PK in seconds; 0 for no end.
 * Result:   {"pkId": ...}. */
rc_status rc_pk_invite(rc_room *RC_NULLABLE room, const char *RC_NULLABLE other_room, const char *RC_NULLABLE user_id,
                       rc_pk_mode mode, int32_t duration, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
rc_status rc_pk_cancel(rc_room *RC_NULLABLE room, const char *RC_NULLABLE pk_id, rc_done RC_NULLABLE done,
                       void *RC_NULLABLE context);
rc_status rc_pk_accept(rc_room *RC_NULLABLE room, const char *RC_NULLABLE pk_id, rc_done RC_NULLABLE done,
                       void *RC_NULLABLE context);
/* reason: for the other room; NULL for none. */
rc_status rc_pk_reject(rc_room *RC_NULLABLE room, const char *RC_NULLABLE pk_id, const char *RC_NULLABLE reason,
                       rc_done RC_NULLABLE done, void *RC_NULLABLE context);
rc_status rc_pk_mute_peer(rc_room *RC_NULLABLE room, bool muted, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
rc_status rc_pk_set_score(rc_room *RC_NULLABLE room, int64_t score, rc_done RC_NULLABLE done,
                          void *RC_NULLABLE context);
/* seconds: 1 to 86400. */
rc_status rc_pk_extend(rc_room *RC_NULLABLE room, int32_t seconds, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* Returns into a PK after a new join. Result: the PK. */
rc_status rc_pk_resume(rc_room *RC_NULLABLE room, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
rc_status rc_pk_quit(rc_room *RC_NULLABLE room, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* For the inviting anchor of a PK with RC_PK_MOVE, after pkBegan: moves into the other room with its tracks and jobs. `away`
 * is the other room, as of rc_room_connect; `room` is closed after `done`. */
rc_status rc_pk_move(rc_room *RC_NULLABLE room, rc_on_event RC_NULLABLE on_event, rc_done RC_NULLABLE done,
                     void *RC_NULLABLE context, rc_room *RC_NULLABLE *RC_NULLABLE away);
/* Returns to the own room after rc_pk_move. token: for the own room; NULL for the one used before. */
rc_status rc_pk_return_home(rc_room *RC_NULLABLE away, const char *RC_NULLABLE token, rc_on_event RC_NULLABLE on_event,
                            rc_done RC_NULLABLE done, void *RC_NULLABLE context,
                            rc_room *RC_NULLABLE *RC_NULLABLE home);

/* == Messages ====================================================================================================== */
/* `to` is the only recipient, NULL for all. Result: {"seq": number, "at": milliseconds since 1970}. */

rc_status rc_messages_send(rc_room *RC_NULLABLE room, const char *RC_NULLABLE text, const char *RC_NULLABLE to,
                           rc_done RC_NULLABLE done, void *RC_NULLABLE context);
rc_status rc_messages_barrage(rc_room *RC_NULLABLE room, const char *RC_NULLABLE text, const char *RC_NULLABLE to,
                              rc_done RC_NULLABLE done, void *RC_NULLABLE context);
rc_status rc_messages_like(rc_room *RC_NULLABLE room, int32_t count, const char *RC_NULLABLE to,
                           rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* text: shown with the gift; NULL for none. */
rc_status rc_messages_gift(rc_room *RC_NULLABLE room, const char *RC_NULLABLE type, int32_t count,
                           const char *RC_NULLABLE text, const char *RC_NULLABLE to, rc_done RC_NULLABLE done,
                           void *RC_NULLABLE context);
/* json: the value, at most 65536 bytes. */
rc_status rc_messages_custom(rc_room *RC_NULLABLE room, const char *RC_NULLABLE type, const char *RC_NULLABLE json,
                             const char *RC_NULLABLE to, rc_done RC_NULLABLE done, void *RC_NULLABLE context);

/* == Attributes, jobs, stage ======================================================================================= */

/* json: {"set": {key: value}, "remove": [key]}, 1 to 10 together; needs the grant `admin`. */
rc_status rc_attributes_change(rc_room *RC_NULLABLE room, const char *RC_NULLABLE json, rc_done RC_NULLABLE done,
                               void *RC_NULLABLE context);
/* json: the parameters of startForward, such as {"jobId": "live", "publishUrl": "rtmp://..."}; needs the grant `relay`.
 * Result: the job. */
rc_status rc_jobs_start_forward(rc_room *RC_NULLABLE room, const char *RC_NULLABLE json, rc_done RC_NULLABLE done,
                                void *RC_NULLABLE context);
/* json: the parameters of startMerge. Result: the job. */
rc_status rc_jobs_start_merge(rc_room *RC_NULLABLE room, const char *RC_NULLABLE json, rc_done RC_NULLABLE done,
                              void *RC_NULLABLE context);
/* json: [layout]. */
rc_status rc_jobs_set_layouts(rc_room *RC_NULLABLE room, const char *RC_NULLABLE job_id, const char *RC_NULLABLE json,
                              rc_done RC_NULLABLE done, void *RC_NULLABLE context);
rc_status rc_jobs_stop(rc_room *RC_NULLABLE room, const char *RC_NULLABLE job_id, rc_done RC_NULLABLE done,
                       void *RC_NULLABLE context);
/* json: the style of the composed picture, as setStage takes it. */
rc_status rc_stage_set(rc_room *RC_NULLABLE room, const char *RC_NULLABLE json, rc_done RC_NULLABLE done,
                       void *RC_NULLABLE context);

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
