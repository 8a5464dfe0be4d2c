// A room's state as in api/signalling-rooms.md: the snapshot of the join, or of REST, updated by numbered changes.

const KEPT = 50 // messages

export class RoomState {
  /** @type {Wire.RoomState | null} */
  now = null // the snapshot
  /** @type {Wire.StagePicture | null} */
  stage = null // the style of the composition
  likes = 0 // since we joined
  /** @type {(gift: { type?: string, count?: number }) => number} */
  points // of a gift
  /** @type {Record<string, number>} */
  gifts = {} // points of the gifts in the running PK, by user
  /** @type {LastPK | null} */
  lastPK = null // as it ended while we were there

  // `points` returns what a gift scores in a PK.
  /** @param {RoomState['points']} [points] */
  constructor(points = () => 0) { this.points = points }

  /** @param {Joined['room']} snapshot */
  take(snapshot) {
    this.now = structuredClone(snapshot)
    this.stage = snapshot.stage ?? null
  }

  /** @param {string} [userId] */
  seatOf(userId) { return userId ? this.now?.seats.find(seat => seat.userId === userId) ?? null : null }

  // Players are not among the numbered changes.
  /** @param {Wire.Player} player */
  keep(player) {
    if (!this.now) return
    const others = (this.now.players ?? []).filter(each => each.userId !== player.userId)
    this.now.players = [...others, player].sort((a, b) => a.userId < b.userId ? -1 : 1)
  }

  /** @param {string} userId */
  forget(userId) {
    if (this.now) this.now.players = this.now.players?.filter(each => each.userId !== userId)
  }

  // Applies a change; returns false if it was already applied.
  /** @param {string} event @param {Data} data @param {number} seq */
  apply(event, data, seq) {
    const { now } = this
    if (!now || seq <= now.seq) return false
    now.seq = seq
    switch (event) {
      case 'seatChanged': if (data.seat.index < now.seats.length) now.seats[data.seat.index] = data.seat; break
      case 'layoutChanged':
        now.layout = data.layout
        now.seats = data.seats
        break
      case 'seatRequested': now.requests.push(data); break
      case 'seatRequestEnded': now.requests = now.requests.filter(each => each.userId !== data.userId); break
      case 'seatInvited': now.invitations.push(data); break
      case 'seatInvitationEnded': now.invitations = now.invitations.filter(each => each.userId !== data.userId); break
      case 'message':
        if (data.kind === 'like') this.likes += data.count ?? 1
        if (data.kind === 'gift') this.gifts[data.userId] = (this.gifts[data.userId] ?? 0) + this.points(data)
        if (data.kind !== 'like') now.messages = [...now.messages, data].slice(-KEPT)
        break
      case 'attributesChanged':
        Object.assign(now.attributes, data.set)
        for (const key of data.removed) delete now.attributes[key]
        break
      case 'pkInvited': now.pkInvitations.push(data); break
      case 'pkInvitationEnded': now.pkInvitations = now.pkInvitations.filter(each => each.pkId !== data.pkId); break
      case 'pkMatching': now.pkMatching = data; break
      case 'pkMatchEnded': now.pkMatching = undefined; break
      case 'pkBegan': case 'pkChanged':
        if (event === 'pkBegan') this.gifts = {}
        now.pk = data
        break
      case 'pkEnded':
        if (now.pk) this.lastPK = { ...now.pk, score: data.score, peerScore: data.peerScore, result: data.result ?? now.pk.result, endedAt: Date.now() }
        now.pk = undefined
        break
    }
    return true
  }
}
