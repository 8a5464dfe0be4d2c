// The subscribe connection, on which the server offers (api/signalling.md §6).
import { close } from './closing.js'
import { ConnectionLost } from './errors.js'

// How often a connection that rejects an offer is replaced.
const ATTEMPTS = 3
// Milliseconds in which a new connection must have media before the old one ends.
const PATIENCE = 3000

const pause = () => new Promise(resolve => setTimeout(resolve, PATIENCE))

// Resolves once media arrives at all receivers.
/** @param {RTCRtpReceiver[]} receivers */
const flowing = receivers => Promise.all(receivers.map(({ track }) => track.muted ? new Promise(resolve => track.addEventListener('unmute', resolve, { once: true })) : undefined))

export class Subscriber {
  /** @type {Map<string, Remote>} */
  remote = new Map() // by track id: { userId, trackId, kind, mid, receiver, stream }
  /** @type {Promise<unknown>} */
  #work = Promise.resolve() // one offer after the other
  #failures = 0
  #session = 0 // offers of an earlier one are not answered

  /** @param {Connection} given */
  constructor({ request, changed, refused, configuration, channel }) {
    this.request = request
    this.changed = changed
    this.refused = refused
    this.configuration = configuration
    this.channel = channel
  }

  /** @param {Offer} offer */
  offered(offer) {
    const session = this.#session
    const isOver = () => session !== this.#session
    this.#work = this.#work.then(() => isOver() ? undefined : this.#answer(offer)).then(
      () => { this.#failures = 0 },
      error => { if (!isOver()) this.#failed(error) }) // closing the connection fails the offer that is being answered
  }

  /** @param {Failure} error */
  #failed(error) {
    if (error instanceof ConnectionLost) return // the server sends the offer again after the resume
    if (++this.#failures === 1) this.refused(error)
    if (this.#failures <= ATTEMPTS) this.request('resubscribe').catch(() => {})
  }

  // After a resume: a connection that failed meanwhile could not say so.
  resumed() { if (this.pc?.connectionState === 'failed') this.request('resubscribe').catch(() => {}) }

  // Ends the session: offers that have arrived are ignored.
  close() {
    this.#session++
    this.#drop()
  }

  #drop() {
    const pc = this.pc
    this.pc = null
    close(pc)
    this.remote.clear()
  }

  /** @param {Offer} given */
  async #answer({ offer, sdp, tracks, restart }) {
    // What plays continues until the new connection has it.
    const old = restart && this.pc?.connectionState === 'connected' ? this.pc : null
    if (old) this.pc = null
    else if (restart) this.#drop()
    const pc = this.#connection()
    await pc.setRemoteDescription({ type: 'offer', sdp })
    await pc.setLocalDescription()
    if (pc !== this.pc) return old?.close()
    // Matched by mid and not by `ontrack`, which does not fire if an m-line changes to another track.
    const receivers = new Map(pc.getTransceivers().map(each => [each.mid, each.receiver]))
    const now = new Map()
    for (const { mid, userId, trackId } of tracks) {
      const receiver = receivers.get(mid)
      if (!receiver) continue
      const before = this.remote.get(trackId)
      now.set(trackId, before?.receiver === receiver ? before : {
        userId, trackId, mid, receiver, kind: receiver.track.kind, stream: new MediaStream([receiver.track]),
      })
    }
    const answered = this.request('answer', { offer, sdp: pc.localDescription?.sdp })
    if (old) {
      await Promise.race([answered.then(() => flowing([...now.keys()].filter(id => this.remote.has(id)).map(id => now.get(id).receiver))), pause()]).catch(() => {})
      old.close()
      if (pc !== this.pc) return
    }
    this.remote = now
    this.changed()
    await answered
  }

  #connection() {
    if (this.pc) return this.pc
    const pc = new RTCPeerConnection({ bundlePolicy: 'max-bundle', ...this.configuration() })
    pc.onconnectionstatechange = () => {
      if (pc !== this.pc) return
      if (pc.connectionState === 'failed') this.request('resubscribe').catch(() => {})
      this.changed()
    }
    pc.ondatachannel = ({ channel }) => { if (pc === this.pc) this.channel(channel) }
    this.pc = pc
    return pc
  }
}
