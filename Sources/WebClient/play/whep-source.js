// Plays over WebRTC, by WHEP.
import { Viewing } from './whep.js'

const MOVE = 5000 // milliseconds to the first picture of another server

/** @typedef {import('./source.js').SourceOptions} SourceOptions */

export class WhepSource {
  kind = /** @type {const} */ ('whep')
  patience = 5000 // milliseconds to the first picture

  /** @param {SourceOptions} given */
  constructor({ video, server, whep, token, layer }) {
    this.layer = layer
    this.room = decodeURIComponent(whep?.split('/').pop() ?? '')
    this.video = video
    this.token = token
    this.viewing = new Viewing({ room: this.room, token, video, server })
    this.pictures = 0 // decoded so far
    this.ended = new Promise((_, reject) => { this.fail = reject })
    this.ended.catch(() => {})
  }

  async run() {
    this.#follow(this.viewing)
    await this.viewing.open()
    if (this.layer) await this.select(this.layer)
    await this.ended
  }

  // Continues at another server. What plays continues until the pictures of the other are there.
  /** @param {import('./server.js').Server} server */
  async move(server) {
    const video = document.createElement('video')
    Object.assign(video, { muted: true, autoplay: true, playsInline: true })
    const next = new Viewing({ room: this.room, token: this.token, video, server })
    try {
      await new Promise((resolve, reject) => {
        video.addEventListener('loadeddata', resolve, { once: true })
        setTimeout(() => reject(new Error('The other server shows nothing.')), MOVE)
        next.open().catch(reject)
      })
      if (this.isClosed) throw new Error('closed')
    } catch (error) {
      next.close()
      throw error
    }
    const before = this.viewing
    this.#follow(next)
    this.viewing = next
    next.show(this.video)
    before.leave()
    if (this.layer) await this.select(this.layer)
  }

  // Fails with a session's connection, unless another session replaces it.
  /** @param {Viewing} viewing */
  #follow(viewing) {
    const { peer } = viewing
    peer.addEventListener('connectionstatechange', () => {
      if (viewing !== this.viewing) return
      if (peer.connectionState === 'failed' || peer.connectionState === 'closed') this.fail?.(new Error('The connection failed.'))
    })
  }

  // Whether the session's server answers.
  async isAlive() {
    const signal = /** @type {any} */ (AbortSignal).timeout?.(800)
    return fetch(`${this.viewing.server.base}/healthz`, { mode: 'no-cors', signal }).then(() => true, () => false)
  }

  // A layer that is gone by now is not worth an error: the server sends what there is.
  /** @param {string | null} layer */
  select(layer) {
    this.layer = layer
    return this.viewing.select(layer).catch(() => {})
  }

  // A number that grows while media arrives.
  async progress() {
    let packets = 0
    for (const report of (await this.viewing.peer.getStats()).values()) {
      if (report.type === 'inbound-rtp') packets += report.packetsReceived
      if (report.type === 'inbound-rtp' && report.kind === 'video') this.pictures = report.framesDecoded ?? 0
      if (report.type === 'inbound-rtp' && report.kind === (this.viewing.video.videoWidth ? 'video' : 'audio')) {
        // From the first packet of a picture to the decoded picture; for sound, the time in the buffer.
        const delay = report.totalProcessingDelay ?? report.jitterBufferDelay
        const count = report.totalProcessingDelay === undefined ? report.jitterBufferEmittedCount : report.framesDecoded
        if (count > (this.before?.count ?? 0)) this.buffered = (delay - (this.before?.delay ?? 0)) / (count - (this.before?.count ?? 0))
        this.before = { delay, count }
      }
      if (report.type === 'candidate-pair' && report.nominated && report.currentRoundTripTime !== undefined) this.travel = report.currentRoundTripTime / 2
    }
    return packets
  }

  get latency() { return this.buffered === undefined ? undefined : this.buffered + (this.travel ?? 0) }

  close() {
    this.isClosed = true
    this.viewing.close()
    this.fail?.(new Error('closed'))
  }
}
