// The calls of a room in groups, and what its state says of them. Their errors are in api/signalling-rooms.md.
import { clockOf, sidesOf } from './pk-sides.js'
import { ScoreSum } from './score-sum.js'

class Group {
  /** @param {Room} room */
  constructor(room) { this.room = room }
  get state() { return this.room.scene.now }
  /** @param {string} method @param {object} [params] */
  ask(method, params) { return this.room.request(method, params) }
}

/** The seats of a room (api/signalling-rooms.md). */
export class RoomSeats extends Group {
  /** The seats by their index; seat 0 is the host's. */
  get all() { return this.state?.seats ?? [] }
  /** The layout, which decides the number of seats; null before the join. */
  get layout() { return this.state?.layout ?? null }
  /** The user on seat 0, or null. */
  get host() { return this.all[0]?.userId ?? null }
  /** Our seat, or null. */
  get mine() { return this.room.scene.seatOf(this.room.me?.userId) }
  /** Who asks for a seat. */
  get requests() { return this.state?.requests ?? [] }
  /** Who is invited to a seat. */
  get invitations() { return this.state?.invitations ?? [] }

  /** Takes a seat, the first free one without a number. Returns its number.
   * @param {number} [index] @returns {Promise<number>} */
  async take(index) { return (await this.ask('takeSeat', { index })).index }
  /** Leaves our seat. */
  leave() { return this.ask('leaveSeat') }
  /** Takes the seat from a user; for the host and admins.
   * @param {string} userId */
  kick(userId) { return this.ask('kickFromSeat', { userId }) }
  /** Locks or mutes a seat, or switches its picture and sound.
   * @param {number} index @param {{ locked?: boolean, muted?: boolean, video?: boolean, audio?: boolean }} changes */
  set(index, changes) { return this.ask('setSeat', { index, ...changes }) }
  /** Changes the layout. Users on seats that it has not lose theirs.
   * @param {string} type @param {{ canvas?: object, frames?: object[] }} [more] */
  setLayout(type, more) { return this.ask('setLayout', { type, ...more }) }

  /** Asks for a seat, or for any.
   * @param {number} [index] */
  request(index) { return this.ask('requestSeat', { index }) }
  /** Withdraws our request. */
  cancelRequest() { return this.ask('cancelRequest') }
  /** Returns the number of the seat that the user gets.
   * @param {string} userId @returns {Promise<number>} */
  async accept(userId) { return (await this.ask('acceptRequest', { userId })).index }
  /** Rejects a request.
   * @param {string} userId */
  reject(userId) { return this.ask('rejectRequest', { userId }) }

  /** Invites a user to a seat, or to any.
   * @param {string} userId @param {number} [index] */
  invite(userId, index) { return this.ask('inviteToSeat', { userId, index }) }
  /** Withdraws an invitation.
   * @param {string} userId */
  cancelInvitation(userId) { return this.ask('cancelInvitation', { userId }) }
  /** Accepts our invitation. Returns the number of our seat.
   * @returns {Promise<number>} */
  async acceptInvitation() { return (await this.ask('acceptInvitation')).index }
  /** Rejects our invitation. */
  rejectInvitation() { return this.ask('rejectInvitation') }
}

/** A PK of two or more rooms: their hosts see and hear each other. */
export class RoomPK extends Group {
  #sum = new ScoreSum(score => this.setScore(score))

  /** The running PK, or null. */
  get current() { return this.room.state === 'ended' ? null : this.state?.pk ?? null }
  /** The rooms of the running PK with their anchors and scores, ours first, also of a PK of two; empty without one. */
  get sides() { return this.current ? sidesOf(this.current, this.room.name) : [] }
  /** The other anchor as a participant of this room, of several the first; null without a PK, and while it is away. */
  get peer() { return this.current && this.anchorOf(this.current) }
  /** The anchor of another room as a participant of this one; null while it is away.
   * @param {{ userId: string, room: string }} side */
  anchorOf({ userId, room }) {
    const { current, room: { participants } } = this
    // An anchor that has moved to this room has the plain name.
    return participants.get(`${userId}@${room}`) ?? (current?.way === 'move' && participants.get(userId) || null)
  }
  /** The milliseconds that are left, after the result those of the punishment, by the clock of this device; null without an end. */
  get remaining() { return this.current?.endsAt ? clockOf(this.current, Date.now()).ms : null }
  /** The pending invitations of both directions. */
  get invitations() { return this.state?.pkInvitations ?? [] }
  /** The pending invitations of other rooms. */
  get received() { return this.invitations.filter(({ to }) => to.room === this.room.name) }
  /** The pending invitations of this room. */
  get sent() { return this.invitations.filter(({ from }) => from.room === this.room.name) }
  /** The points of the gifts in the running PK since the join, by user: with the option `points`. */
  get gifts() { return this.room.scene.gifts }

  /** Invites the host of another room, if there is one: what fails later is the event `pkInvitationEnded`. Returns { pkId, expiresAt }.
   * @param {string} room @param {{ userId?: string, way?: 'bridge' | 'move', duration?: number }} [more] */
  invite(room, more) { return this.ask('invitePK', { room, ...more }) }
  /** Invites several rooms to one PK, which begins with the first that accepts.
   * @param {(string | Wire.PKInvitee)[]} rooms @param {{ ownTeam?: number, duration?: number, rules?: Wire.PKRules }} [more] */
  inviteAll(rooms, more) {
    const [first, ...others] = rooms.map(room => typeof room === 'string' ? { room } : room)
    return this.ask('invitePK', { ...first, others, ...more })
  }
  /** Invites a room to the PK that runs.
   * @param {string} room @param {{ userId?: string, team?: number }} [more] */
  inviteMore(room, more) { return this.ask('invitePK', { room, pkId: this.current?.pkId, ...more }) }
  /** Invites the rooms of the last PK again, with its teams, rules and duration. Returns { pkId, expiresAt }. */
  rematch() { return this.ask('rematchPK') }
  /** Removes a room from a PK of several.
   * @param {string} room */
  remove(room) { return this.ask('removeFromPK', { room }) }
  /** Withdraws an invitation.
   * @param {string} pkId */
  cancel(pkId) { return this.ask('cancelPK', { pkId }) }
  /** Accepts an invitation.
   * @param {string} pkId */
  accept(pkId) { return this.ask('acceptPK', { pkId }) }
  /** Rejects an invitation.
   * @param {string} pkId @param {string} [reason] */
  reject(pkId, reason) { return this.ask('rejectPK', { pkId, reason }) }
  /** The room's search for an opponent, for admins; null without one. */
  get matching() { return this.state?.pkMatching ?? null }
  /** Looks for an opponent: the longest waiting room that fits. The event `pkMatchEnded` has the outcome. Returns { ticket, expiresAt }.
   * @param {Wire.PKMatchParams} [params] */
  match(params = {}) { return this.ask('matchPK', params) }
  /** Ends the search for an opponent. */
  cancelMatch() { return this.ask('cancelMatch') }
  /** Mutes the other anchor in this room, or no longer.
   * @param {boolean} muted */
  mutePeer(muted) { return this.ask('mutePKPeer', { muted }) }
  /** Mutes the anchor of one of several other rooms, here or for all rooms.
   * @param {string} room @param {boolean} muted @param {boolean} [forAll] */
  mute(room, muted, forAll) { return this.ask('mutePKPeer', { room, muted, forAll }) }
  /** Sets the score of this side: a total.
   * @param {number} score */
  setScore(score) { return this.ask('setPKScore', { score }) }
  /** Adds to the score of this side. What is added before the server has answered is sent as one sum.
   * @param {number} points */
  addScore(points) { return this.#sum.add(points, this.current?.score ?? 0) }
  /** Adds a gift to the score of this side, once for each `giftId`: `points`, or the weight of `gift` in the rules times `count`.
   * Returns { score, counted }: `counted` is false for a gift that was added before.
   * @param {PKGift} gift @returns {Promise<{ score: number, counted: boolean }>} */
  addGift(gift) { return this.ask('addPKGift', gift) }
  /** Counts the gifts of a change, in the page of the anchor alone.
   * @param {string} event @param {{ kind?: string, type?: string, count?: number }} data
   * @internal */
  async follow(event, data) {
    const { current, room: { me, scene } } = this
    this.#sum.settle(current?.score)
    const points = event === 'message' && data.kind === 'gift' ? scene.points(data) : 0
    if (points && current && current.host === me?.userId && me.grants.includes('admin')) await this.addScore(points)
  }

  /** Adds seconds to the PK.
   * @param {number} seconds */
  extend(seconds) { return this.ask('extendPK', { seconds }) }
  /** Brings the anchors together again after this one has joined anew, such as by a reload of the page. */
  resume() { return this.ask('resumePK') }
  /** Ends a PK of two; leaves one of several. */
  quit() { return this.ask('quitPK') }
}

/** Messages that the room keeps: the last 50. */
export class RoomMessages extends Group {
  /** The last messages, the oldest first; no likes. */
  get history() { return this.state?.messages ?? [] }

  /** Sends a text to one user, or to all.
   * @param {string} text @param {string} [to] */
  send(text, to) { return this.post({ kind: 'text', text, to }) }
  /** Sends a text that flies over the picture.
   * @param {string} text @param {string} [to] */
  sendBarrage(text, to) { return this.post({ kind: 'barrage', text, to }) }
  /** Sends likes.
   * @param {number} [count] */
  sendLike(count = 1) { return this.post({ kind: 'like', count }) }
  /** Sends gifts.
   * @param {string} type @param {number} [count] @param {string} [to] */
  sendGift(type, count = 1, to) { return this.post({ kind: 'gift', type, count, to }) }
  /** `data` is any value that JSON can hold.
   * @param {string} type @param {unknown} data @param {string} [to] */
  sendCustom(type, data, to) { return this.post({ kind: 'custom', type, data: JSON.stringify(data), to }) }
  /** A message with the fields of `sendMessage`. Returns { seq, at }.
   * @param {object} message */
  post(message) { return this.ask('sendMessage', message) }
}

/** Named texts that all participants share. */
export class RoomAttributes extends Group {
  /** All attributes. */
  get all() { return this.state?.attributes ?? {} }
  /** Sets some, and keeps the others.
   * @param {Record<string, string>} values */
  set(values) { return this.change({ set: values }) }
  /** Removes some.
   * @param {string[]} keys */
  remove(keys) { return this.change({ remove: keys }) }
  /** Sets and removes in one step.
   * @param {{ set?: Record<string, string>, remove?: string[] }} changes */
  change(changes) { return this.ask('setAttributes', changes) }
}

// The position of a player now, as api/signalling.md defines it.
/** @param {Wire.Player} player */
export function position(player) {
  if (player.state !== 'playing') return player.position
  const now = player.position + Math.max(0, Date.now() - player.at) / 1000
  if (!player.duration || now <= player.duration) return now
  return player.loop ? now % player.duration : player.duration
}

/** Films and streams that the room plays as participants. */
export class RoomPlayers extends Group {
  /** The players by their user ids. */
  get all() { return this.state?.players ?? [] }
  /** The position in seconds now; those of players are as of their `at`.
   * @param {Wire.Player} player */
  position(player) { return position(player) }
  /** Starts a player, with the parameters of `startPlayer`.
   * @param {object} player */
  start(player) { return this.ask('startPlayer', player) }
  /** Pauses, seeks, or sets the volume, with the parameters of `changePlayer`.
   * @param {object} change */
  change(change) { return this.ask('changePlayer', change) }
  /** Stops a player.
   * @param {string} userId */
  stop(userId) { return this.ask('stopPlayer', { userId }) }
}

/** The style of the composed picture. */
export class RoomStage extends Group {
  /** The style, or null. */
  get style() { return this.room.scene.stage }
  /** Sets the style, with the parameters of `setStage`.
   * @param {object} style */
  set(style) { return this.ask('setStage', style) }
}
