// The calls of a room in groups, and what its state says of them. Their errors are in api/signalling-rooms.md.

class Group {
  /** @param {Room} room */
  constructor(room) { this.room = room }
  get state() { return this.room.scene.now }
  /** @param {string} method @param {object} [params] */
  ask(method, params) { return this.room.request(method, params) }
}

export class RoomSeats extends Group {
  get all() { return this.state?.seats ?? [] }
  get layout() { return this.state?.layout ?? null }
  get host() { return this.all[0]?.userId ?? null }
  get mine() { return this.room.scene.seatOf(this.room.me?.userId) }
  get requests() { return this.state?.requests ?? [] }
  get invitations() { return this.state?.invitations ?? [] }

  // Takes a seat, the first free one without a number. Returns its number.
  /** @param {number} [index] @returns {Promise<number>} */
  async take(index) { return (await this.ask('takeSeat', { index })).index }
  leave() { return this.ask('leaveSeat') }
  /** @param {string} userId */
  kick(userId) { return this.ask('kickFromSeat', { userId }) }
  /** @param {number} index @param {{ locked?: boolean, muted?: boolean, video?: boolean, audio?: boolean }} changes */
  set(index, changes) { return this.ask('setSeat', { index, ...changes }) }
  /** @param {string} type @param {{ canvas?: object, frames?: object[] }} [more] */
  setLayout(type, more) { return this.ask('setLayout', { type, ...more }) }

  /** @param {number} [index] */
  request(index) { return this.ask('requestSeat', { index }) }
  cancelRequest() { return this.ask('cancelRequest') }
  // Returns the number of the seat that the user gets.
  /** @param {string} userId @returns {Promise<number>} */
  async accept(userId) { return (await this.ask('acceptRequest', { userId })).index }
  /** @param {string} userId */
  reject(userId) { return this.ask('rejectRequest', { userId }) }

  /** @param {string} userId @param {number} [index] */
  invite(userId, index) { return this.ask('inviteToSeat', { userId, index }) }
  /** @param {string} userId */
  cancelInvitation(userId) { return this.ask('cancelInvitation', { userId }) }
  /** @returns {Promise<number>} */
  async acceptInvitation() { return (await this.ask('acceptInvitation')).index }
  rejectInvitation() { return this.ask('rejectInvitation') }
}

export class RoomPK extends Group {
  get current() { return this.state?.pk ?? null }
  get invitations() { return this.state?.pkInvitations ?? [] }

  // Invites the host of another room. Returns { pkId, expiresAt }.
  /** @param {string} room @param {{ userId?: string, way?: 'bridge' | 'move', duration?: number }} [more] */
  invite(room, more) { return this.ask('invitePK', { room, ...more }) }
  /** @param {string} pkId */
  cancel(pkId) { return this.ask('cancelPK', { pkId }) }
  /** @param {string} pkId */
  accept(pkId) { return this.ask('acceptPK', { pkId }) }
  /** @param {string} pkId @param {string} [reason] */
  reject(pkId, reason) { return this.ask('rejectPK', { pkId, reason }) }
  /** @param {boolean} muted */
  mutePeer(muted) { return this.ask('mutePKPeer', { muted }) }
  /** @param {number} score */
  setScore(score) { return this.ask('setPKScore', { score }) }
  /** @param {number} seconds */
  extend(seconds) { return this.ask('extendPK', { seconds }) }
  resume() { return this.ask('resumePK') }
  quit() { return this.ask('quitPK') }
}

export class RoomMessages extends Group {
  get history() { return this.state?.messages ?? [] }

  /** @param {string} text @param {string} [to] */
  send(text, to) { return this.post({ kind: 'text', text, to }) }
  /** @param {string} text @param {string} [to] */
  sendBarrage(text, to) { return this.post({ kind: 'barrage', text, to }) }
  /** @param {number} [count] */
  sendLike(count = 1) { return this.post({ kind: 'like', count }) }
  /** @param {string} type @param {number} [count] @param {string} [to] */
  sendGift(type, count = 1, to) { return this.post({ kind: 'gift', type, count, to }) }
  // `data` is any value that JSON can hold.
  /** @param {string} type @param {unknown} data @param {string} [to] */
  sendCustom(type, data, to) { return this.post({ kind: 'custom', type, data: JSON.stringify(data), to }) }
  // A message with the fields of `sendMessage`. Returns { seq, at }.
  /** @param {object} message */
  post(message) { return this.ask('sendMessage', message) }
}

export class RoomAttributes extends Group {
  get all() { return this.state?.attributes ?? {} }
  /** @param {Record<string, string>} values */
  set(values) { return this.change({ set: values }) }
  /** @param {string[]} keys */
  remove(keys) { return this.change({ remove: keys }) }
  /** @param {{ set?: Record<string, string>, remove?: string[] }} changes */
  change(changes) { return this.ask('setAttributes', changes) }
}

export class RoomPlayers extends Group {
  get all() { return this.state?.players ?? [] }
  /** @param {object} player */
  start(player) { return this.ask('startPlayer', player) }
  /** @param {object} change */
  change(change) { return this.ask('changePlayer', change) }
  /** @param {string} userId */
  stop(userId) { return this.ask('stopPlayer', { userId }) }
}

export class RoomStage extends Group {
  get style() { return this.room.scene.stage }
  /** @param {object} style */
  set(style) { return this.ask('setStage', style) }
}
