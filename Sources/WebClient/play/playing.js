// Plays what is live: chooses a source, falls back to the next, and begins again after a loss.
import { NativeSource } from './native-source.js'
import { isUsable } from './source.js'
import { OtherTracks, Unplayable, reason } from './unplayable.js'
import { WhepSource } from './whep-source.js'

const AVOIDED = 60_000 // milliseconds for which a source that showed nothing is not tried again
const TRIES = 3 // of a source whose failure may be temporary
const PROGRAM = 6000 // milliseconds in which the server makes a stream for this viewer
const DOUBT = 700 // milliseconds without media over WebRTC after which the player asks whether the server is there
const STALL = 6000 // milliseconds without progress before the source begins again
const ABSENT = 5000 // milliseconds after which modules that were not loaded are tried again

/** @typedef {typeof import('./buffered-sources.js')} Buffered */
/** @typedef {import('./source.js').Method} Method */
/** @typedef {WhepSource | NativeSource | InstanceType<Buffered['HlsSource'] | Buffered['FlvSource']>} AnySource */
/** @typedef {import('./watching.js').WatchState} WatchState */
/** @typedef {import('./watching.js').Quality} Quality */

// The sources that need MediaSource. A fallback is there before the server may be gone: they are loaded once another source plays.
/** @type {Buffered | undefined} */
let buffered
const loadBuffered = async () => { buffered ??= await import('./buffered-sources.js') }

export class Playing extends EventTarget {
  /** @type {'offline' | 'connecting' | 'playing' | 'reconnecting' | 'unplayable'} */
  status = 'offline'
  /** @type {AnySource | undefined} */
  source
  // Why the status is 'unplayable': as the last source that was tried failed. A browser that has no way to play lacks the codecs.
  /** @type {import('./unplayable.js').Reason} */
  reason = 'codec'
  hasPlayed = false // at any time
  #waitsUntil = 0 // for the program that the server makes while WebRTC does not work and the room has no stream; 0 before
  /** @type {WatchState | undefined} */
  #state
  #quality = 0 // the index of the stream among `sources`
  /** @type {string | null} */
  #layer = null // of the picture by WebRTC; null for the best that the network carries
  /** @type {Map<Method, number>} */
  #avoided = new Map() // kinds of sources, and until when
  /** @type {Map<Method, number>} */
  #failures = new Map() // kinds of sources, and how often they have failed in a row
  #isClosed = false
  /** @type {() => void} */
  #wake = () => {}
  #offset = 0 // milliseconds that the server's clock is ahead
  #restarts = 0
  /** @type {string[]} */
  #alternatives = [] // the signalling URLs of servers at which the session can continue
  #isMoving = false
  #isLost = false

  // `site.server` is the server in use, which changes when what plays moves. `token()` returns the token for WHEP; null if the
  // room is public.
  /** @param {HTMLVideoElement} video @param {{ server: import('./server.js').Server }} site @param {() => Promise<string | null>} token */
  constructor(video, site, token) {
    super()
    this.video = video
    this.site = site
    this.token = token
    this.#run()
  }

  // What is live now, as the server answered after `trip` milliseconds.
  /** @param {WatchState} state @param {number} [trip] */
  update(state, trip = 0) {
    const before = this.#state
    this.#state = state
    if (this.#quality >= state.sources.length) this.#quality = 0
    this.#offset = state.at + trip / 2 - Date.now()
    // The sessions of a restarted server are gone.
    if (before && before.startedAt !== state.startedAt && this.source?.kind === 'whep') this.#interrupt?.(new Error('The server has restarted.'))
    this.#isLost = false
    const [order, ...alternatives] = state.alternatives ?? []
    this.#alternatives = alternatives
    if (order === 'leave') this.#move()
    if (!before?.isLive || before.startedAt !== state.startedAt) this.#avoided.clear()
    this.#wake()
    this.#changed()
  }

  // Continues at another server, because this one ends, or has ended. Over WebRTC the picture continues meanwhile.
  async #move() {
    if (this.#isMoving) return
    this.#isMoving = true
    const { source } = this
    for (const url of this.#alternatives) {
      const next = this.site.server.next(url)
      if (!next || next.base === this.site.server.base) continue
      try {
        if (source?.kind === 'whep' && this.status === 'playing') await source.move(next)
        this.site.server = next
        break
      } catch {
        // Another one may answer; and what plays may play on.
      }
    }
    this.#isMoving = false
  }

  // The server does not answer: no source is to blame.
  lose() {
    this.#isLost = true
    this.#wake()
  }

  // The server no longer shows the stream to this viewer.
  refuse() {
    this.#state = undefined
    this.#interrupt?.(new Error('refused'))
  }

  // What there is to choose from: by WebRTC the best that the network carries and each layer, otherwise the stream and its
  // smaller sizes.
  /** @returns {Quality[]} */
  get qualities() {
    if (this.#layers.length) return [{ name: 'auto' }, ...this.#layers.map(({ encodingId, width, height }) => ({ name: encodingId, width, height }))]
    return this.#state?.sources ?? []
  }
  get quality() {
    return this.#layers.length ? 1 + this.#layers.findIndex(({ encodingId }) => encodingId === this.#layer) : this.#quality
  }

  // The layers of the picture by WebRTC, the largest first.
  get #layers() { return this.source?.kind === 'whep' && !this.#quality ? [...this.#state?.layers ?? []].reverse() : [] }

  /** @param {number} index */
  choose(index) {
    if (this.source?.kind === 'whep' && this.#layers.length) {
      this.#layer = this.#layers[index - 1]?.encodingId ?? null
      this.source.select(this.#layer)
      return this.#changed()
    }
    if (index === this.#quality) return
    this.#quality = index
    this.#interrupt?.(new Error('another quality'))
    this.#wake()
  }

  // Seconds from capture, or from the live edge if that is unknown; undefined if nothing plays.
  get latency() { return this.status === 'playing' ? this.source?.latency : undefined }

  // The codecs of the stream that the source in use does not carry.
  /** @returns {string[]} */
  get missing() {
    const isHLS = this.source?.kind === 'hls' || this.source?.kind === 'native'
    return this.status === 'playing' && isHLS ? this.#state?.sources[this.#quality]?.notInHLS ?? [] : []
  }

  close() {
    this.#isClosed = true
    this.#interrupt?.(new Error('closed'))
    this.#wake()
  }

  /** @type {((error: Error) => void) | undefined} */
  #interrupt

  get #stream() { return this.#state?.sources[this.#quality] ?? this.#state?.sources[0] }

  // The method to try next.
  /** @returns {Method | undefined} */
  #next() {
    const { hls, flv } = this.#stream ?? {}
    /** @type {Record<Method, unknown>} */
    const offered = { whep: this.#state?.whep && !this.#quality, hls, flv, native: hls }
    const methods = /** @type {Method[]} */ (Object.keys(isUsable))
    return methods.find(method => offered[method] && isUsable[method]() && (this.#avoided.get(method) ?? 0) < Date.now())
  }

  /** @param {Method} method @param {Buffered | undefined} buffered @returns {AnySource | undefined} Undefined if its modules are missing. */
  #make(method, buffered) {
    const { hls, flv } = this.#stream ?? {}
    const options = { video: this.video, server: this.site.server, token: this.token, whep: this.#state?.whep, layer: this.#layer, hls, flv, clock: () => Date.now() + this.#offset }
    switch (method) {
      case 'whep': return new WhepSource(options)
      case 'native': return new NativeSource(options)
      case 'hls': return buffered && new buffered.HlsSource(options)
      case 'flv': return buffered && new buffered.FlvSource(options)
    }
  }

  async #run() {
    while (!this.#isClosed) {
      if (!this.#state?.isLive) {
        this.#restarts = 0
        this.#show('offline')
        await this.#news()
        continue
      }
      if (this.#isLost) {
        this.#show('reconnecting')
        await this.#news()
        continue
      }
      const method = this.#next()
      if (!method && this.#state.whep && !this.#state.sources.length && (!this.#waitsUntil || Date.now() < this.#waitsUntil)) {
        if (!this.#waitsUntil) this.dispatchEvent(new Event('program'))
        this.#waitsUntil ||= Date.now() + PROGRAM
        this.#show('connecting')
        await this.#news()
        continue
      }
      if (!method) {
        this.#show('unplayable')
        await this.#news(5000)
        this.#avoided.clear()
        continue
      }
      const source = this.#make(method, buffered)
      if (!source) {
        if (this.status !== 'playing') this.#show('connecting')
        await loadBuffered().catch(() => {
          this.reason = 'network'
          for (const each of /** @type {Method[]} */ (['hls', 'flv'])) this.#avoided.set(each, Date.now() + ABSENT)
        })
        continue
      }
      this.source = source
      if (this.status !== 'playing') this.#show('connecting')
      const quality = this.#quality
      const { startedAt } = this.#state
      const interrupted = new Promise((_, reject) => { this.#interrupt = reject })
      const watching = this.#watch(source)
      /** @type {Failure | undefined} */
      let failure
      try {
        await Promise.race([source.run(), watching.over, interrupted])
      } catch (error) {
        failure = error
      }
      watching.stop()
      source.close()
      this.#interrupt = undefined
      if (this.#isClosed) return
      if (quality !== this.#quality) continue
      if (watching.hasPlayed) this.#show('reconnecting')
      else if (failure instanceof TypeError) await this.#news() // as `fetch` throws it: the server may be gone
      if (!watching.hasPlayed) this.reason = reason(failure)
      // A source of a server that has ended is not to blame.
      if (startedAt === this.#state?.startedAt) this.#judge(source, watching.hasPlayed, failure)
      this.#restarts = watching.hasPlayed ? 1 : this.#restarts + 1
      await this.#news(Math.min(3000, 250 * this.#restarts))
    }
  }

  // Avoids a source that shows nothing: at once, or after some tries if the server refused it, as at the start of a stream.
  /** @param {AnySource} source @param {boolean} hasPlayed @param {Failure} [failure] */
  #judge(source, hasPlayed, failure) {
    const { kind } = source
    if (hasPlayed || this.#isLost || failure instanceof OtherTracks) {
      this.#failures.delete(kind)
      return
    }
    const count = (this.#failures.get(kind) ?? 0) + (failure?.status || !failure ? 1 : TRIES)
    this.#failures.set(kind, count)
    if (count < TRIES) return
    this.#failures.delete(kind)
    this.#avoided.set(kind, Date.now() + AVOIDED)
  }

  // Notes when the source begins to play, and rejects if it does not, or stalls.
  /** @param {AnySource} source */
  #watch(source) {
    const { video } = this
    const began = Date.now()
    let last = -1
    let moved = began
    let isDoubted = false
    const watching = { hasPlayed: false, over: /** @type {Promise<void>} */ (Promise.resolve()), stop: () => {} }
    watching.over = new Promise((_, reject) => {
      const timer = setInterval(async () => {
        if (!this.isPaused && video.paused) this.#begin()
        const progress = await source.progress().catch(() => last)
        // Firefox counts no frames of a MediaStream in the element's playback quality.
        const isShown = video.readyState >= 2 && (source.kind !== 'whep' || !video.videoWidth || source.pictures > 0)
        const now = Date.now()
        if (progress > last || this.isPaused || document.hidden) {
          if (last > 0 && progress > last && isShown && !watching.hasPlayed) {
            watching.hasPlayed = this.hasPlayed = true
            this.reason = 'codec'
            this.#show('playing')
            loadBuffered().catch(() => {})
          }
          moved = now
          last = progress
          isDoubted = false
        } else if (progress < last) last = progress
        if (watching.hasPlayed && source.kind === 'whep' && now - moved > DOUBT && !isDoubted && this.#alternatives.length) {
          // Of a server that answers, a stall is waited for: nobody may be sending.
          isDoubted = true
          if (!await source.isAlive()) await this.#move()
        }
        if (!watching.hasPlayed && !this.isPaused && now - began > source.patience) {
          const hasMedia = source.kind === 'whep' ? last > 0 : video.buffered.length > 0
          reject(new Unplayable(hasMedia ? 'codec' : 'network', 'The source shows nothing.'))
        }
        if (watching.hasPlayed && now - moved > (this.#state?.isLive ? STALL : 2000)) reject(new Error('The source has stalled.'))
      }, 200)
      watching.stop = () => clearInterval(timer)
    })
    watching.over.catch(() => {})
    return watching
  }

  // Resolves with the next change, or after a time.
  /** @param {number} [limit] */
  #news(limit) {
    return new Promise(resolve => {
      const timer = limit && setTimeout(resolve, limit)
      this.#wake = () => {
        // A wait between two tries is not cut short by a state that brings nothing new.
        if (limit && this.#state?.isLive && !this.#isClosed) return
        clearTimeout(timer)
        resolve(undefined)
      }
    })
  }

  // A viewer who pauses loses nothing: the picture resumes at the live edge.
  get isPaused() { return this.#isPaused }
  #isPaused = false

  /** @param {boolean} isPaused */
  pause(isPaused) {
    this.#isPaused = isPaused
    isPaused ? this.video.pause() : this.#begin()
    this.#changed()
  }

  // A browser that permits no sound before the viewer has touched the page shows the picture without it.
  #begin() {
    this.video.play().catch(error => { if (error.name === 'NotAllowedError') this.video.muted = true })
  }

  /** @param {Playing['status']} status */
  #show(status) {
    this.status = status
    this.#changed()
  }

  #changed() { this.dispatchEvent(new Event('change')) }
}
