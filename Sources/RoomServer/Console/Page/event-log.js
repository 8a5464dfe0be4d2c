// The events of all rooms, as the server has stored them (docs/webhooks.md), as text.
import { plural } from './format.js'

const MOST = 300
const LARGEST = 1000 // requested at once if more happened between two requests than usual

/** @param {number} index */
const seatOf = index => index >= 0 ? `seat ${index + 1}` : 'a seat'
/** @param {string} [by] */
const byWhom = by => by ? ` by ${by}` : ''
/** @type {Record<string, string>} */
const outcomes = { timedOut: 'timed out', roomClosed: 'ended: the room closed', seated: 'ended: seated', left: 'ended: left' }
/** @param {string} outcome */
const outcomeOf = outcome => outcomes[outcome] ?? outcome
/** @type {Record<string, string>} */
const departures = { kickedOut: 'was removed', timedOut: 'was lost', duplicateLogin: 'joined elsewhere', serverStopping: 'left: the server is stopping', roomClosed: 'left: the room closed' }
/** @param {Wire.JobFailure} [failure] */
const why = failure => failure ? `, ${failure.message}` : ''
/** @param {number} bytes */
const size = bytes => `${(bytes / 2 ** 20).toFixed(1)} MB`

// The text of each event's data; a list adds a colour.
/** @type {Record<string, (data: Data) => string | string[]>} */
const words = {
  roomCreated: () => ['opened', 'good'],
  roomRestored: ({ userIds }) => [`restored after a restart, waiting for ${plural(userIds.length, 'participant')}`, 'good'],
  roomClosed: ({ by }) => `closed${byWhom(by)}`,
  participantJoined: ({ userId, grants }) => `${userId} ${grants.includes('hidden') ? 'joined hidden' : 'joined'}`,
  participantLeft: ({ userId, reason, by }) => `${userId} ${departures[reason] ?? 'left'}${byWhom(by)}`,
  participantKicked: ({ userId, by }) => [`${userId} was kicked${byWhom(by)}`, 'warn'],
  trackPublished: ({ userId, track }) => `${userId} publishes ${track.tag || track.kind}`,
  trackUnpublished: ({ userId }) => `${userId} unpublished a track`,
  seatRequested: ({ userId, index }) => `${userId} requested ${seatOf(index)}`,
  seatRequestEnded: ({ userId, outcome, by }) => `request of ${userId} ${outcomeOf(outcome)}${byWhom(by)}`,
  seatInvited: ({ userId, index, by }) => `${userId} is invited to ${seatOf(index)}${byWhom(by)}`,
  seatInvitationEnded: ({ userId, outcome, by }) => `invitation of ${userId} ${outcomeOf(outcome)}${byWhom(by)}`,
  jobStarted: ({ jobId, target }) => [`job ${jobId} started${target ? `, to ${target}` : ''}`, 'good'],
  jobOnAir: ({ jobId }) => [`job ${jobId} is on air`, 'good'],
  jobConnected: ({ jobId }) => [`job ${jobId} is connected`, 'good'],
  jobReconnecting: ({ jobId, failure }) => [`job ${jobId} reconnects${why(failure)}`, 'warn'],
  jobFailed: ({ jobId, failure }) => [`job ${jobId} failed${why(failure)}`, 'bad'],
  jobEnded: ({ jobId, failure }) => [`job ${jobId} ended${why(failure)}`, failure ? 'bad' : ''],
  pkInvited: ({ from, to }) => `PK: ${from.room} invites ${to.room}`,
  pkInvitationEnded: ({ outcome, by }) => `PK invitation ${outcomeOf(outcome)}${byWhom(by)}`,
  pkBegan: ({ userId, room }) => [`PK with ${userId} of ${room}`, 'good'],
  pkOnAir: ({ jobId }) => [`the PK is on air in job ${jobId}`, 'good'],
  pkChanged: ({ score, peerScore }) => `PK ${score} : ${peerScore}`,
  pkEnded: ({ score, peerScore, by }) => `PK ended, ${score} : ${peerScore}${byWhom(by)}`,
  recordingReady: ({ name, bytes }) => `${name} is ready, ${size(bytes)}`,
  recordingFailed: ({ name, failure }) => [`${name} was cut${why(failure)}`, 'bad'],
  recordingDeleted: ({ name }) => `${name} was deleted`,
  recordingFinished: ({ name, bytes, failure }) => [`recorded ${name}, ${size(bytes)}${why(failure)}`, failure ? 'bad' : ''],
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
    const said = event === 'seatChanged' ? this.#seat(roomSession, data) : words[event]?.(data) ?? event
    const [text, mood] = Array.isArray(said) ? said : [said, '']
    this.lines.unshift({ key: id, at: time, room, text, mood })
  }

  /** @param {string} session @param {Data} given */
  #seat(session, { seat, cause, userId, by }) {
    const key = `${session} ${seat.index}`
    const before = this.#seats.get(key) ?? { locked: false, muted: false }
    this.#seats.delete(key)
    this.#seats.set(key, seat)
    if (this.#seats.size > 10_000) this.#seats.delete(this.#seats.keys().next().value)
    const name = seatOf(seat.index)
    if (cause === 'switched') {
      const changes = [seat.locked !== before.locked && (seat.locked ? 'locked' : 'unlocked'), seat.muted !== before.muted && (seat.muted ? 'muted' : 'unmuted')].filter(Boolean)
      return `${name} ${changes.join(' and ') || 'changed'}${byWhom(by)}`
    }
    if (seat.userId) return `${seat.userId} took ${name}`
    return `${userId ?? 'a participant'} ${cause === 'kicked' ? 'was removed from' : 'left'} ${name}${cause === 'kicked' ? byWhom(by) : ''}`
  }
}
