// A room that the console is in: the web client's, with our devices, the live stream and notes for the user.
import { Broadcast } from './broadcast.js'
import { camera, choices, microphone } from './devices.js'
import { toast } from './dialogs.js'
import { byId } from './dom.js'
import { giftPoints } from './gifts.js'
import { OwnDevices } from './own-devices.js'
import { Room } from './room.js'
import { text } from './text.js'

/** @type {Record<string, (by?: string) => string>} */
const ENDINGS = { kickedOut: text.stage.kickedOut, roomClosed: text.stage.roomClosed, duplicateLogin: text.stage.duplicateLogin, timedOut: text.stage.timedOut, connectionLost: text.stage.timedOut }

// Fires also `note`, with a message for the user.
export class Call extends Room {
  #isIn = false
  #counted = '' // the job whose viewers were counted

  // `token(server)` returns a room token, a fresh one each time if possible.
  /** @param {{ room: string, server: Server, token: (server: Server) => Promise<string>, media: Captured[] }} given */
  constructor({ room, server, token, media }) {
    super(server, token, { points: giftPoints, playsAudio: byId('sounds') })
    this.room = room
    this.media = media
    /** @type {OwnDevices} */
    this.devices = new OwnDevices(this, { camera: ({ deviceId } = {}) => camera(deviceId), microphone: ({ deviceId } = {}) => microphone(deviceId) })
    this.broadcast = new Broadcast(this) // what leaves the room
    /** @type {number | null} */
    this.viewers = null // of the room; null if unknown
    this.mostViewers = 0 // at once, of the stream
    this.setSpeaker(choices.speaker)
    this.addEventListener('audioBlocked', () => {
      toast(text.stage.clickToHear)
      addEventListener('click', () => this.startAudio(), { once: true })
    })
    this.addEventListener('event', event => this.#noteOf(/** @type {CustomEvent<RoomEvent>} */ (event).detail))
    this.addEventListener('ended', () => { for (const { track } of media) track.stop() })
  }

  // Why it ended; null if the user left, or never was in.
  get reason() {
    const { reason, by, error } = this.ending ?? {}
    if (!reason || reason === 'left' || !this.#isIn) return null
    if (reason === 'refused') return error?.message ?? ''
    return ENDINGS[reason]?.(by) ?? text.stage.sessionEnded(reason)
  }

  // Joins, then publishes the media. Throws if the server rejects the join.
  async join() {
    await super.join()
    this.#isIn = true
    try {
      if (this.media.length) await this.publish(this.media)
    } catch (error) {
      this.end({ reason: 'left' })
      throw error
    }
  }

  // The room has so many viewers now.
  /** @param {number} viewers */
  seen(viewers) {
    const { jobId = '' } = this.broadcast.job ?? {}
    this.mostViewers = Math.max(this.#counted === jobId ? this.mostViewers : 0, viewers)
    this.#counted = jobId
    this.viewers = viewers
  }

  // MARK: Notes

  /** @param {RoomEvent} given */
  #noteOf({ event, data, isNew }) {
    if (event === 'jobEnded') this.viewers = null
    if (event === 'playerEnded' && data.reason === 'failed') toast(text.films.failed(data.userId, data.message ?? ''))
    const note = isNew && this.#note(event, data)
    if (note) this.dispatchEvent(new CustomEvent('note', { detail: note }))
  }

  /** @param {string} event @param {Data} data @returns {string | null | undefined} */
  #note(event, data) {
    const { userId, grants } = this.me ?? {}
    const { outcome } = data ?? {}
    const by = data?.by && data.by !== userId ? data.by : ''
    switch (event) {
      case 'unseated': return data.cause === 'kicked' ? text.seats.kickedOff(by) : data.cause === 'layout' ? text.seats.layoutOff : null
      case 'mutedBy': return text.stage.mutedBy(data.track.tag, data.muted, data.by)
      case 'seatRequestEnded':
        if (data.userId !== userId) return null
        return outcome === 'rejected' ? text.seats.requestRejected(by) : outcome === 'timedOut' ? text.seats.requestExpired : null
      case 'seatInvitationEnded':
        if (data.userId === userId || !grants?.includes('admin')) return null
        return outcome === 'rejected' ? text.seats.invitationRejected(data.userId) : outcome === 'timedOut' ? text.seats.invitationExpired(data.userId) : null
      default: return null
    }
  }
}
