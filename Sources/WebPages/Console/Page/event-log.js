// The events of all rooms, as the server has stored them (docs/webhooks.md), as text.
import { text } from './text.js'

const MOST = 300
const LARGEST = 1000 // requested at once if more happened between two requests than usual

/** @param {number} bytes */
const size = bytes => `${(bytes / 2 ** 20).toFixed(1)} MB`
const said = text.happened

// The text of each event's data; a list adds a colour.
/** @type {Record<string, (data: Data) => string | string[]>} */
const words = {
  roomCreated: () => [said.opened, 'good'],
  roomRestored: ({ userIds }) => [said.restored(userIds.length), 'good'],
  roomClosed: ({ by }) => said.closed(by),
  participantJoined: ({ userId, grants }) => said.joined(userId, grants.includes('hidden')),
  participantLeft: ({ userId, reason, by }) => said.left(userId, reason, by),
  participantKicked: ({ userId, by }) => [said.kicked(userId, by), 'warn'],
  trackPublished: ({ userId, track }) => said.published(userId, track.tag || track.kind),
  trackUnpublished: ({ userId }) => said.unpublished(userId),
  seatRequested: ({ userId, index }) => said.requested(userId, said.seat(index)),
  seatRequestEnded: ({ userId, outcome, by }) => said.requestEnded(userId, outcome, by),
  seatInvited: ({ userId, index, by }) => said.invited(userId, said.seat(index), by),
  seatInvitationEnded: ({ userId, outcome, by }) => said.invitationEnded(userId, outcome, by),
  jobStarted: ({ jobId, target }) => [said.jobStarted(jobId, target), 'good'],
  jobOnAir: ({ jobId }) => [said.jobOnAir(jobId), 'good'],
  jobConnected: ({ jobId }) => [said.jobConnected(jobId), 'good'],
  jobReconnecting: ({ jobId, failure }) => [said.jobReconnecting(jobId, failure?.message), 'warn'],
  jobFailed: ({ jobId, failure }) => [said.jobFailed(jobId, failure?.message), 'bad'],
  jobEnded: ({ jobId, failure }) => [said.jobEnded(jobId, failure?.message), failure ? 'bad' : ''],
  pkInvited: ({ from, to }) => said.pkInvited(from.room, to.room),
  pkInvitationEnded: ({ outcome, by }) => said.pkInvitationEnded(outcome, by),
  pkBegan: ({ userId, room }) => [said.pkBegan(userId, room), 'good'],
  pkOnAir: ({ jobId }) => [said.pkOnAir(jobId), 'good'],
  pkChanged: ({ score, peerScore }) => said.pkChanged(score, peerScore),
  pkEnded: ({ score, peerScore, by }) => said.pkEnded(score, peerScore, by),
  recordingReady: ({ name, bytes }) => said.recordingReady(name, size(bytes)),
  recordingFailed: ({ name, failure }) => [said.recordingFailed(name, failure?.message), 'bad'],
  recordingDeleted: ({ name }) => said.recordingDeleted(name),
  recordingFinished: ({ name, bytes, failure }) => [said.recordingFinished(name, size(bytes), failure?.message), failure ? 'bad' : ''],
}

export class EventLog {
  /** @type {Array<{ key: string, at: number, room: string, text: string, mood: string }>} */
  lines = [] // newest first: `{ key, at, room, text, mood }`
  /** @type {string | null} */
  #last = null // the id of the newest
  /** @type {Map<string, Wire.Seat>} */
  #seats = new Map() // the last state of each seat, by the room's session and the seat's index

  /** @param {Api} api */
  async turn(api) {
    let fresh = this.#after(await api.events())
    if (this.#last && fresh.isCut) fresh = this.#after(await api.events(LARGEST))
    for (const event of fresh.events) this.#take(event)
    this.lines.length = Math.min(this.lines.length, MOST)
  }

  // The events that were not shown yet, oldest first, and whether there may be more in between.
  /** @param {Wire.RoomEvent[]} events */
  #after(events) {
    const known = this.#last ? events.findLastIndex(event => event.id === this.#last) : -1
    return { events: events.slice(known + 1), isCut: known < 0 }
  }

  /** @param {Wire.RoomEvent} given */
  #take({ id, room, roomSession, event, time, data }) {
    this.#last = id
    const line = event === 'seatChanged' ? this.#seat(roomSession, data) : words[event]?.(data) ?? event
    const [text, mood] = Array.isArray(line) ? line : [line, '']
    this.lines.unshift({ key: id, at: time, room, text, mood })
  }

  /** @param {string} session @param {Data} given */
  #seat(session, { seat, cause, userId, by }) {
    const key = `${session} ${seat.index}`
    const before = this.#seats.get(key) ?? { locked: false, muted: false }
    this.#seats.delete(key)
    this.#seats.set(key, seat)
    if (this.#seats.size > 10_000) this.#seats.delete(this.#seats.keys().next().value)
    const name = said.seat(seat.index)
    if (cause === 'switched') {
      return said.seatSwitched(name, {
        ...(seat.locked !== before.locked && { locked: seat.locked }), ...(seat.muted !== before.muted && { muted: seat.muted }),
      }, by)
    }
    if (seat.userId) return said.seatTaken(seat.userId, name)
    const user = userId ?? said.someone
    return cause === 'kicked' ? said.seatRemoved(user, name, by) : said.seatLeft(user, name)
  }
}
