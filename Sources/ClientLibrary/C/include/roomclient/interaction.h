/* interaction.h of roomclient: seats, PK, messages, attributes, jobs and the stage. Include roomclient.h. */
#ifndef ROOMCLIENT_INTERACTION_H
#define ROOMCLIENT_INTERACTION_H

#include "tracks.h"

RC_BEGIN

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
/* Result: the pending requests, [{"userId": ..., "index": n}], the oldest first. rc_room_snapshot has the same. */
rc_status rc_seats_list_requests(rc_room *RC_NULLABLE room, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
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

/* Invites another room. The admins of both rooms get pkInvited: `from` has the room that invites, `by` its user.
 * user_id:  its anchor; NULL for the user on its seat 0.
 * duration: the length of the PK in seconds; 0 for no end.
 * Result:   {"pkId": ...}. */
rc_status rc_pk_invite(rc_room *RC_NULLABLE room, const char *RC_NULLABLE other_room, const char *RC_NULLABLE user_id,
                       rc_pk_mode mode, int32_t duration, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* Invites several rooms to one PK, or one more to the PK that runs.
 * json:   the parameters of invitePK, such as {"room": "b", "others": [{"room": "c"}], "rules": {"punishment": 30}}.
 * Result: {"pkId": ..., "expiresAt": milliseconds since 1970}. */
rc_status rc_pk_invite_rooms(rc_room *RC_NULLABLE room, const char *RC_NULLABLE json, rc_done RC_NULLABLE done,
                             void *RC_NULLABLE context);
/* Removes a room from a PK of several. */
rc_status rc_pk_remove(rc_room *RC_NULLABLE room, const char *RC_NULLABLE other_room, rc_done RC_NULLABLE done,
                       void *RC_NULLABLE context);
/* Mutes the anchor of one of several other rooms, in this room or, with for_all, in all. */
rc_status rc_pk_mute(rc_room *RC_NULLABLE room, const char *RC_NULLABLE other_room, bool muted, bool for_all,
                     rc_done RC_NULLABLE done, void *RC_NULLABLE context);
rc_status rc_pk_cancel(rc_room *RC_NULLABLE room, const char *RC_NULLABLE pk_id, rc_done RC_NULLABLE done,
                       void *RC_NULLABLE context);
rc_status rc_pk_accept(rc_room *RC_NULLABLE room, const char *RC_NULLABLE pk_id, rc_done RC_NULLABLE done,
                       void *RC_NULLABLE context);
/* reason: for the other room; NULL for none. */
rc_status rc_pk_reject(rc_room *RC_NULLABLE room, const char *RC_NULLABLE pk_id, const char *RC_NULLABLE reason,
                       rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* Looks for an opponent; pkMatchEnded has the outcome.
 * json:   the parameters of matchPK, such as {"tags": ["sing"], "level": 12, "levels": [8, 16], "wait": 60}; NULL for none.
 * Result: {"ticket": ..., "expiresAt": milliseconds since 1970}. */
rc_status rc_pk_match(rc_room *RC_NULLABLE room, const char *RC_NULLABLE json, rc_done RC_NULLABLE done,
                      void *RC_NULLABLE context);
rc_status rc_pk_cancel_match(rc_room *RC_NULLABLE room, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
rc_status rc_pk_mute_peer(rc_room *RC_NULLABLE room, bool muted, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
rc_status rc_pk_set_score(rc_room *RC_NULLABLE room, int64_t score, rc_done RC_NULLABLE done,
                          void *RC_NULLABLE context);
/* Adds a gift to this room's score, once for each giftId.
 * json:   {"giftId": "order-17", "points": 50}, or {"giftId": ..., "gift": a name of the rules, "count": 3}.
 * Result: {"score": ..., "counted": whether this call changed the score}. */
rc_status rc_pk_add_gift(rc_room *RC_NULLABLE room, const char *RC_NULLABLE json, rc_done RC_NULLABLE done,
                         void *RC_NULLABLE context);
/* Invites the rooms of the last PK again. Result: {"pkId": ..., "expiresAt": milliseconds since 1970}. */
rc_status rc_pk_rematch(rc_room *RC_NULLABLE room, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
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
/* json: the parameters of startForward, such as {"jobId": "live", "publishUrl": "rtmp://..."}; a publishUrl is also rtmps://, srt:// or
 * file:. Needs the grant `relay`. Result: the job. */
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

/* The answer to a composition, valid until the callback returns. It is no handle of the app's. */
typedef struct rc_composition rc_composition;
/* A changed composition of the stage, before it is shown. The callback may replace it with rc_composition_set.
 * json: {"width", "height", "fps", "layouts", "background", "watermarks", "texts", ...}. */
typedef void (*rc_on_composition)(void *RC_NULLABLE context, const char *json, rc_composition *composition);
/* Replaces the composition, within the callback. An invalid one is ignored by the server. */
rc_status rc_composition_set(rc_composition *RC_NULLABLE composition, const char *RC_NULLABLE json);
/* Lets this client change each composition before it is shown; needs the grant `admin`. A room has one editor: the last.
 * The callback runs on the queue of the room.
 * deadline_ms: the time to answer, 50 to 2000. Later the server shows its own composition. */
rc_status rc_stage_edit(rc_room *RC_NULLABLE room, int32_t deadline_ms, rc_on_composition RC_NULLABLE on_composition,
                        void *RC_NULLABLE edit_context, rc_done RC_NULLABLE done, void *RC_NULLABLE context);
/* Ends the editing. No callback of it begins after the answer. */
rc_status rc_stage_stop_editing(rc_room *RC_NULLABLE room, rc_done RC_NULLABLE done, void *RC_NULLABLE context);

RC_END

#endif
