/* player.h of roomclient: live streams by URL. Include roomclient.h. */
#ifndef ROOMCLIENT_PLAYER_H
#define ROOMCLIENT_PLAYER_H

#include "tracks.h"

RC_BEGIN

/* == Player: a live stream by URL, for an audience ================================================================= */
/* Plays RTMP, RTMPS and HTTP-FLV: H.264, HEVC, AV1, VP8 and VP9, AAC and Opus. rc_room_play_urls has the URLs of a room; call
 * rc_room_set_receiving with false while its stream is played. docs/client-library.md compares the two. */

typedef enum rc_player_state {
  RC_PLAYER_CONNECTING = 0,
  RC_PLAYER_BUFFERING = 1, /* At the start, or because nothing was left to play. */
  RC_PLAYER_PLAYING = 2,
  RC_PLAYER_RECONNECTING = 3,
  RC_PLAYER_ENDED = 4, /* The stream ended and did not return, or rc_player_stop. Final. */
  RC_PLAYER_FAILED = 5 /* The stream cannot be played. Final. */
} rc_player_state;

/* failure, message: the reason of RC_PLAYER_FAILED, else RC_OK and empty. */
typedef void (*rc_on_player)(void *RC_NULLABLE context, rc_player *player, rc_player_state state, rc_status failure,
                             const char *message);

/* buffer_ms:        what is buffered before it plays, 100 to 10000.
 * latency_limit_ms: the most that waits to be played, up to 60000; beyond it the player continues with the newest.
 * reconnect_tries:  how often a lost connection is made again; -2 for no limit. */
typedef struct rc_player_options {
  size_t size;
  int32_t buffer_ms;
  int32_t latency_limit_ms;
  int32_t reconnect_tries;
  bool trust_any_server;
  const char *RC_NULLABLE certificates;
} rc_player_options;
#define RC_PLAYER_OPTIONS_INIT {sizeof(rc_player_options), 500, 3000, 3, false, NULL}

/* Starts to play a stream. Releasing the player stops it. A URL that cannot be used is reported as RC_PLAYER_FAILED.
 * options:  NULL for the defaults.
 * on_state: called for each state, the current one first; NULL for none. */
rc_status rc_player_create(rc_queue *RC_NULLABLE queue, const char *RC_NULLABLE url,
                           const rc_player_options *RC_NULLABLE options, rc_on_player RC_NULLABLE on_state,
                           void *RC_NULLABLE context, rc_player *RC_NULLABLE *RC_NULLABLE player);
/* Delivers the pictures and the sound (stereo at 48 kHz) when they are due, until the player or the reader ends. A player has
 * one reader of each: a second call returns RC_BUSY. */
rc_status rc_player_read_video(rc_player *RC_NULLABLE player, rc_on_picture RC_NULLABLE on_picture,
                               void *RC_NULLABLE context, rc_reader *RC_NULLABLE *RC_NULLABLE reader);
rc_status rc_player_read_audio(rc_player *RC_NULLABLE player, rc_on_pcm RC_NULLABLE on_pcm, void *RC_NULLABLE context,
                               rc_reader *RC_NULLABLE *RC_NULLABLE reader);
/* {"delayMs", "bitrate", "fps", "width", "height", "videoCodec", "audioCodec", "shown", "late", "failed", "stalls", "jumps",
 * "reconnections"}. */
rc_status rc_player_statistics(rc_player *RC_NULLABLE player, char *RC_NULLABLE *RC_NULLABLE json);
/* Stops playing for good. */
rc_status rc_player_stop(rc_player *RC_NULLABLE player);

RC_END

#endif
