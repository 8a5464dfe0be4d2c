// The publish connection, on which the client offers (api/signalling.md §5).
import { close } from './closing.js'
import { activate, configure, encodings, offered, prefer } from './layers.js'
import { ConnectionLost } from './errors.js'

// The maximum bits per second of a source.
/** @type {Record<string, number>} */
const BITRATES = { camera: 2_000_000, screen: 3_000_000, microphone: 48_000 }

// A source is one sent track: `{ tag, kind, track, muted, trackId, transceiver }`. `track` is null while a camera is off.
export class Publisher {
  /** @type {Map<string, Source>} */
  sources = new Map() // by tag
  /** @type {Promise<unknown>} */
  #work = Promise.resolve() // one offer after the other
  /** @type {WeakMap<RTCRtpTransceiver, string>} */
  #shapes = new WeakMap() // what an m-line can send: another codec needs another one
  #doubtful = false // an offer's answer was lost: the server may have applied it

  // `request(method, params)` calls the server; `changed()` reports that views must be redrawn, `refused(error)` that the
  // server rejected the published tracks.
  /** @param {Connection} given */
  constructor({ request, changed, refused, configuration }) {
    this.request = request
    this.changed = changed
    this.refused = refused
    this.configuration = configuration
  }

  // Publishes `tracks` with one offer.
  /** @param {Captured[]} tracks */
  add(tracks) {
    return this.#then(async () => {
      /** @type {Source[]} */
      const added = []
      for (const { track, ...wanted } of tracks) {
        const used = track.kind === 'video' ? await offered(wanted, track.getSettings()) : {}
        added.push({ ...wanted, codec: undefined, scalability: undefined, ...used, kind: track.kind, track, muted: false })
      }
      for (const source of added) {
        this.sources.set(source.tag, source)
        this.#attach(source)
      }
      try { await this.#negotiate(added) } catch (error) {
        if (!(error instanceof ConnectionLost)) for (const source of added) this.#forget(source)
        throw error
      }
    })
  }

  // Ends a source; its m-line can be reused.
  /** @param {string} tag */
  remove(tag) {
    return this.#then(async () => {
      const source = this.sources.get(tag)
      if (!source) return
      this.#forget(source)
      await this.#negotiate([])
    })
  }

  // Sets another track for a source, or none while it is off, without negotiation.
  /** @param {string} tag @param {MediaStreamTrack | null} track */
  async replace(tag, track) {
    const source = this.sources.get(tag)
    if (!source) return
    source.track = track
    await source.transceiver?.sender.replaceTrack(track)
  }

  // Sends only the layers that somebody receives.
  /** @param {WantedLayers[]} layers */
  setLayers(layers) {
    for (const { trackId, wanted } of layers) {
      const sender = [...this.sources.values()].find(each => each.trackId === trackId)?.transceiver?.sender
      if (sender) activate(sender, wanted).catch(() => {}) // a sender that was just stopped
    }
  }

  // After a resume: the published tracks continue, unless the server's state may differ.
  resumed() { if (this.#doubtful) this.restart() }

  // Publishes everything on a new connection. With `anew` the session is another one, and the tracks have new ids.
  /** @param {{ anew?: boolean }} given */
  restart({ anew = false } = {}) {
    return this.#then(async () => {
      this.#drop()
      if (!this.sources.size) return
      for (const source of this.sources.values()) {
        if (anew) source.trackId = undefined
        this.#attach(source)
      }
      await this.#negotiate([...this.sources.values()], !anew)
      this.#doubtful = false
    }).catch(error => {
      if (!(error instanceof ConnectionLost)) this.refused(error) // after a lost socket, the resume calls this again
    })
  }

  close() {
    this.#drop()
    for (const { track } of this.sources.values()) track?.stop()
    this.sources.clear()
  }

  /** @param {() => Promise<void>} step */
  #then(step) {
    const done = this.#work.then(step)
    this.#work = done.catch(() => {})
    return done
  }

  #connection() {
    if (this.pc) return this.pc
    const pc = new RTCPeerConnection({ bundlePolicy: 'max-bundle', ...this.configuration() })
    pc.onconnectionstatechange = () => {
      if (pc !== this.pc) return
      if (pc.connectionState === 'failed') this.restart()
      this.changed()
    }
    this.pc = pc
    return pc
  }

  /** @param {Source} source */
  #attach(source) {
    const pc = this.#connection()
    const sendEncodings = encodings(source, source.maxBitrate ?? BITRATES[source.tag] ?? 1_000_000)
    const shape = [source.kind, source.codec, source.scalability, sendEncodings.length].join()
    // An answer without simulcast has removed the layers of an m-line that was stopped.
    const free = pc.getTransceivers().find(each => each.direction === 'inactive' && this.#shapes.get(each) === shape
      && each.sender.getParameters().encodings.length === sendEncodings.length)
    const transceiver = free ?? pc.addTransceiver(source.track ?? source.kind, { direction: 'sendonly', sendEncodings })
    if (free) {
      free.direction = 'sendonly'
      free.sender.replaceTrack(source.track)
    } else {
      this.#shapes.set(transceiver, shape)
      prefer(transceiver, source.codec)
    }
    source.transceiver = transceiver
    if (free || source.degradation) configure(transceiver.sender, sendEncodings, source.degradation).catch(() => {}) // in vain: as the browser decides
  }

  /** @param {Source} source */
  #forget(source) {
    this.sources.delete(source.tag)
    source.track?.stop()
    if (!source.transceiver) return
    source.transceiver.direction = 'inactive'
    source.transceiver.sender.replaceTrack(null).catch(() => {})
  }

  #drop() {
    const pc = this.pc
    this.pc = null
    close(pc)
    for (const source of this.sources.values()) source.transceiver = undefined
  }

  // Sends an offer, and names the sources of the m-lines that start to send.
  /** @param {Source[]} begun @param {boolean} [restart] */
  async #negotiate(begun, restart = false) {
    const { pc } = this
    if (!pc) return
    await pc.setLocalDescription()
    const tracks = begun.map(({ transceiver, kind, tag, muted, trackId, track }) => {
      const { width, height, frameRate } = track?.getSettings() ?? {}
      return {
        mid: transceiver?.mid, kind, tag, muted, trackId: restart ? trackId : undefined,
        ...(kind === 'video' && width && { width, height, fps: Math.round(frameRate ?? 30) }),
      }
    })
    let answer
    try {
      answer = await this.request('publish', { sdp: pc.localDescription?.sdp, tracks, restart })
    } catch (error) {
      if (error instanceof ConnectionLost) this.#doubtful = true
      else await pc.setLocalDescription({ type: 'rollback' }).catch(() => {})
      throw error
    }
    if (pc !== this.pc) return
    await pc.setRemoteDescription({ type: 'answer', sdp: answer.sdp })
    for (const { mid, track } of answer.tracks) {
      const source = begun.find(each => each.transceiver?.mid === mid)
      if (source) source.trackId = track.trackId
    }
    this.changed()
  }
}
