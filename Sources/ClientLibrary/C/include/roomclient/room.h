/* room.h of roomclient: joining a room, its events and its state. Include roomclient.h. */
#ifndef ROOMCLIENT_ROOM_H
#define ROOMCLIENT_ROOM_H

#include "library.h"

RC_BEGIN

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

/* The address from which this machine reaches the server has changed. Returns whether to follow it. Runs on the queue. */
typedef bool (*rc_on_network)(void *RC_NULLABLE context, const char *from, const char *to);

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
  bool prefers_small;      /* Whether to receive the smallest layer of each simulcast, unless rc_remote_set_reception. */
  bool ignores_network;    /* Whether a change of the machine's network is ignored until rc_room_network_changed. */
  rc_on_network RC_NULLABLE on_network; /* Decides about each change; NULL follows it. Called until the room is released. */
  void *RC_NULLABLE network_context;
} rc_room_options;
#define RC_ROOM_OPTIONS_INIT \
  {sizeof(rc_room_options), false, false, false, false, 0, 0, 0, 0, RC_MEDIA_AUTOMATIC, NULL, false, false, NULL, NULL}

/* Joins the room that the token names.
 * queue:    delivers the callbacks of the room.
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
/* The `room` of a join's answer: name, layout, seats, requests, attributes, messages, PK, jobs. */
rc_status rc_room_snapshot(rc_room *RC_NULLABLE room, char *RC_NULLABLE *RC_NULLABLE json);
/* {"me": participant, "others": [participant]}. */
rc_status rc_room_participants(rc_room *RC_NULLABLE room, char *RC_NULLABLE *RC_NULLABLE json);
/* The limits of the server: {"messageBytes", "tracksPerParticipant", "participantsPerRoom", ...}. */
rc_status rc_room_limits(rc_room *RC_NULLABLE room, char *RC_NULLABLE *RC_NULLABLE json);

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
/* The same, of a variant of the stream. width, height: in pixels; fps: 10, 15, 24 or 30; 0 for the default of each. */
rc_status rc_room_play_urls_of(rc_room *RC_NULLABLE room, int32_t width, int32_t height, int32_t fps,
                               rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* Tells the library of a change of the network that it cannot detect itself. */
rc_status rc_room_network_changed(rc_room *RC_NULLABLE room, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* Result: {"transports": [...], "localTracks": [...], "remoteTracks": [...]}. Times are in ms, rates in kbit/s, loss is
 * 0...1. Counters of a track are since its beginning, all else since the last report. */
rc_status rc_room_statistics(rc_room *RC_NULLABLE room, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* Changes the interval of statistics events. interval_ms: 100 to 86400000; 0 stops them. */
rc_status rc_room_set_statistics(rc_room *RC_NULLABLE room, int32_t interval_ms, rc_done RC_NULLABLE done,
                                 void *RC_NULLABLE context);

/* == Diagnostics: what an app sends to its support ================================================================= */

/* Makes a report: machine, options, state, the last 300 events and 100 statistics since the join, the last 500 lines of the
 * library's log. It has no message, token, stream key or password.
 * check_url: a signalling address whose path is checked with the room's certificates, for at most 15 s and the time of a
 *            lookup; NULL for no check.
 * Result:    the report. */
rc_status rc_room_report(rc_room *RC_NULLABLE room, const char *RC_NULLABLE check_url, rc_done RC_NULLABLE done,
                         void *RC_NULLABLE context);
/* Checks the path to a server, without a room: the name, a TCP connection, the upgrade to a WebSocket, TLS included.
 * url:     the signalling address.
 * options: the accepted certificates, and nothing else; NULL for the system's.
 * Result:  {"passed": true, "steps": [{"step", "milliseconds", "failure"}]}. */
rc_status rc_check_network(rc_queue *RC_NULLABLE queue, const char *RC_NULLABLE url,
                           const rc_room_options *RC_NULLABLE options, rc_done RC_NULLABLE done,
                           void *RC_NULLABLE context);

RC_END

#endif
