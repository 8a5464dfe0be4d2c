/* roomclient.h: a client of roomserver for programs in any language.
 *
 * Link with `pkg-config --cflags --libs roomclient`. docs/client-c-python.md is the guide, api/signalling.md describes the JSON.
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
 *               A room gets the calls of a thread in the order in which they are made.
 *   Callbacks   The library calls back only through an `rc_queue`, on the thread that dispatches it, one at a time. After
 *               `rc_release` of the last reference of a handle has returned, none of its callbacks runs or begins, except
 *               the `rc_done` of calls. So do not hold a lock during `rc_release` that a callback takes.
 *   End         `rc_release` returns at once. The connections of a room or of a streaming session are closed after it, in
 *               the background: to wait for their end, call `rc_room_leave` or `rc_streaming_stop` first.
 *   Threads     All functions may be called on any thread, also in callbacks.
 *   Versions    Structures that the app fills begin with their size, so that fields can be added at their end; create them
 *               with their RC_..._INIT macro. Structures of callbacks may grow at their end, and enumerations may grow.
 */
#ifndef ROOMCLIENT_H
#define ROOMCLIENT_H

#include "roomclient/library.h"

#include "roomclient/room.h"
#include "roomclient/tracks.h"
#include "roomclient/interaction.h"
#include "roomclient/studio.h"
#include "roomclient/sound.h"
#include "roomclient/streaming.h"
#include "roomclient/player.h"

#endif
