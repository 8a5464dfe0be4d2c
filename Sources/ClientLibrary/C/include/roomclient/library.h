/* library.h of roomclient: errors, handles and the queue of callbacks. Include roomclient.h. */
#ifndef ROOMCLIENT_LIBRARY_H
#define ROOMCLIENT_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RC_VERSION_MAJOR 0
#define RC_VERSION_MINOR 2
#define RC_VERSION_PATCH 0

#if defined(__clang__)
#define RC_NULLABLE _Nullable
#define RC_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define RC_NONNULL_END _Pragma("clang assume_nonnull end")
#else
#define RC_NULLABLE
#define RC_NONNULL_BEGIN
#define RC_NONNULL_END
#endif
#ifdef __cplusplus
#define RC_BEGIN extern "C" { RC_NONNULL_BEGIN
#define RC_END RC_NONNULL_END }
#else
#define RC_BEGIN RC_NONNULL_BEGIN
#define RC_END RC_NONNULL_END
#endif

RC_BEGIN

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
  RC_CANCELLED = 7,        /* The room was released, or the push stopped, before the answer came. */
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
typedef struct rc_player rc_player;       /* Plays a live stream by URL. */

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
 * A queue is bounded: each room, session and player has at most one event in it, and each reader one frame. What follows
 * waits in the buffer of its source, whose oldest entries are dropped when it is full. */
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

RC_END

#endif
