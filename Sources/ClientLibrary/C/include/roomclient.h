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
#define RC_VERSION_MINOR 1
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
typedef struct rc_reader rc_reader; /* The frames of an `rc_remote`. */

rc_status rc_retain(const void *RC_NULLABLE handle);
/* NULL is allowed and has no effect. */
rc_status rc_release(const void *RC_NULLABLE handle);
/* The number of handles in the process, to find leaks. */
size_t rc_handle_count(void);
void rc_string_free(char *RC_NULLABLE text);

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

/* width, height: in pixels.
 * fps:           frames per second.
 * bitrate:       the highest rate in bit/s; 0 for 0.1 bit per pixel.
 * tag:           free text for the other participants, at most 64 bytes; NULL for "camera".
 * is_secondary:  whether this is not the main video track, such as a shared screen. */
typedef struct rc_video_options {
  size_t size;
  rc_video_codec codec;
  int32_t width;
  int32_t height;
  int32_t fps;
  int32_t bitrate;
  const char *RC_NULLABLE tag;
  bool is_secondary;
} rc_video_options;
#define RC_VIDEO_OPTIONS_INIT {sizeof(rc_video_options), RC_VIDEO_H264, 640, 360, 24, 0, NULL, false}

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
