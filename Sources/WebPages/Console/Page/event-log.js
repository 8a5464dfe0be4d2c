// The events of all rooms, as the server has stored them (docs/webhooks.md), as text.
import { text } from './text.js'

const MOST = 300
const LARGEST = 1000 // requested at once if more happened between two requests than usual

/** @param {number} bytes */
const size = bytes => `${(bytes / 2 ** 20).toFixed(1)} MB`
const said = text.happened

/** @type {Record<string, string>} */
const MOODS = {
  roomCreated: 'good', roomRestored: 'good', jobStarted: 'good', jobOnAir: 'good', jobConnected: 'good', pkBegan: 'good', pkOnAir: 'good', streamStarted: 'good', recordingReady: 'good',
  alarmCleared: 'good', alarmRaised: 'warn', joinRefused: 'warn', participantKicked: 'warn', jobReconnecting: 'warn', jobFailed: 'bad', recordingFailed: 'bad',
}
// The colour of an event.
/** @param {string} event @param {Data} [data] */
export const moodOf = (event, data) => MOODS[event] ?? (data?.failure ? 'bad' : '')

export class EventLog {
  /** @type {Array<{ key: string, at: number, room: string, text: string, mood: string }>} */
  lines = [] // newest first
  /** @type {string | null} */
  #last = null // the id of the newest
  /** @type {Map<string, Wire.Seat>} */
  #seats = new Map() // the last state of each seat, by the room's session and the seat's index

  /** @param {Api} api */
  async turn(api) {
    let fresh = this.#after(await api.get('/v1/events'))
    if (this.#last && fresh.isCut) fresh = this.#after(await api.get('/v1/events', { limit: LARGEST }))
    for (const event of fresh.events) this.#take(event)
    this.lines.length = Math.min(this.lines.length, MOST)
  }

  // The events that were not shown yet, oldest first, and whether there may be more in between.
  /** @param {{ events: Wire.RoomEvent[] }} given */
  #after({ events }) {
    const known = this.#last ? events.findLastIndex(event => event.id === this.#last) : -1
    return { events: events.slice(known + 1), isCut: known < 0 }
  }

  /** @param {Wire.RoomEvent} given */
  #take({ id, room, roomSession, event, time, data }) {
    this.#last = id
    const { bytes = 0, failure } = /** @type {Data} */ (data)
    const what = event === 'seatChanged' ? this.#seat(roomSession, data) : said[event]?.({ ...data, size: size(bytes), cause: failure?.message })
    this.lines.unshift({ key: id, at: time, room, text: what ?? event, mood: moodOf(event, data) })
  }

  /** @param {string} session @param {Data} given */
  #seat(session, { seat, cause, userId, by }) {
    const key = `${session} ${seat.index}`
    const before = this.#seats.get(key) ?? { locked: false, muted: false }
    this.#seats.delete(key)
    this.#seats.set(key, seat)
    if (this.#seats.size > 10_000) this.#seats.delete(this.#seats.keys().next().value)
    const { index } = seat
    if (cause === 'switched') return said.seatSwitched({ index, by, ...(seat.locked !== before.locked && { locked: seat.locked }), ...(seat.muted !== before.muted && { muted: seat.muted }) })
    if (seat.userId) return said.seatTaken({ userId: seat.userId, index })
    return (cause === 'kicked' ? said.seatRemoved : said.seatLeft)({ userId: userId ?? text.seats.someone, index, by })
  }
}
