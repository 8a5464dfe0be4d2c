// The ways to play: WHEP, low-latency HLS and HTTP-FLV over MediaSource, and the browser's own HLS. Each plays in a video
// element: `run()` returns when the stream has ended, and throws if it can't be played.
import { codecs } from './boxes.js'
import { FlvStream } from './flv.js'
import { MediaBuffer, canBuffer } from './media-buffer.js'
import { beginning, parse, upcoming } from './playlist.js'
import { here } from './server.js'
import { Unplayable } from './unplayable.js'
import { Viewing } from './whep.js'

const MOVE = 5000 // milliseconds to the first picture of another server

const pause = (/** @type {number} */ ms, /** @type {AbortSignal} */ signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    reject(new Error('closed'))
  }, { once: true })
})

/** @param {string} path */
const absolute = path => `${here().base}${path}`

// Throws if the answer is none of success.
/** @param {string} url @param {AbortSignal} signal @param {Resource} [part] */
async function load(url, signal, part) {
  const { range } = part ?? {}
  const headers = range ? { Range: `bytes=${range.offset}-${range.length === undefined ? '' : range.offset + range.length - 1}` } : undefined
  const answer = await fetch(url, { signal, headers })
  if (!answer.ok) throw Object.assign(new Error(`The server answered ${answer.status}.`), { status: answer.status })
  return answer
}

/** @typedef {import('./playlist.js').Resource} Resource */

export class WhepSource {
  kind = /** @type {const} */ ('whep')
  name = 'WebRTC'
  patience = 5000 // milliseconds to the first picture
  static isUsable = () => typeof RTCPeerConnection === 'function'

  /** @param {SourceOptions} given */
  constructor({ video, whep, token, layer }) {
    this.layer = layer
    this.room = decodeURIComponent(whep?.split('/').pop() ?? '')
    this.video = video
    this.token = token
    this.viewing = new Viewing({ room: this.room, token, video })
    this.moved = 0
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

export class HlsSource {
  kind = /** @type {const} */ ('hls')
  name = 'HLS'
  patience = 15_000
  static isUsable = canBuffer

  #stop = new AbortController()
  #holdBack = 3
  /** @type {{ media: number, time: number } | undefined} */
  #edge // the end of the buffer, and the time of day at which it was captured

  /** @param {SourceOptions} given */
  constructor({ video, hls, clock }) {
    this.video = video
    this.url = absolute(hls ?? '')
    this.clock = clock
    this.buffer = new MediaBuffer(video, () => this.#holdBack)
  }

  async run() {
    await Promise.race([this.#run(), this.buffer.failed])
  }

  async #run() {
    const { signal } = this.#stop
    let list = await this.#playlist()
    let cursor = beginning(list)
    let map = ''
    while (!signal.aborted) {
      this.#holdBack = list.holdBack + 0.2
      const found = cursor && upcoming(list, cursor)
      if (found && 'isLost' in found) cursor = beginning(list)
      else if (found) {
        const { resource, segment } = found
        const key = JSON.stringify(segment.map ?? null)
        const [head, body] = await Promise.all([
          key === map ? undefined : this.#bytes(segment.map ?? resource), this.#bytes(resource),
        ])
        if (head) {
          if (!segment.map) throw new Error('The stream is no fragmented MP4.')
          await this.buffer.begin(head, codecs(head))
          map = key
        }
        await this.buffer.add(body)
        const { end } = this.buffer
        if (segment.date && end !== undefined) this.#edge = { media: end, time: segment.date + found.end * 1000 }
        cursor = found.next
      } else if (list.isOver) {
        return
      } else {
        this.buffer.complete()
        list = await this.#reload(list, cursor)
        cursor ??= beginning(list)
      }
    }
  }

  // Follows a multivariant playlist to its best variant.
  async #playlist() {
    for (let depth = 0; depth < 3; depth += 1) {
      const { media, variants } = parse(await (await load(this.url, this.#stop.signal)).text(), this.url)
      if (media) return media
      this.url = [...variants].sort((one, other) => other.bandwidth - one.bandwidth)[0].url
    }
    throw new Error('The playlist names other playlists only.')
  }

  /** @param {import('./playlist.js').MediaPlaylist} list @param {import('./playlist.js').Cursor} [cursor] */
  async #reload(list, cursor) {
    const { signal } = this.#stop
    const url = new URL(this.url)
    if (list.blocks && cursor) {
      url.searchParams.set('_HLS_msn', String(cursor.number))
      if (list.part) url.searchParams.set('_HLS_part', String(cursor.part))
    } else await pause(Math.max(500, list.target * 500), signal)
    for (let tries = 0; ; tries += 1) {
      try {
        const { media } = parse(await (await load(url.href, signal)).text(), url.href)
        if (!media) throw new Error('The playlist has changed its kind.')
        // An answer without news must not be asked for at once again.
        if (cursor && !upcoming(media, cursor) && !media.isOver) await pause(200, signal)
        return media
      } catch (error) {
        if (signal.aborted || tries >= 3 || error.status === 404) throw error
        await pause(500 * (tries + 1), signal)
        url.searchParams.delete('_HLS_msn')
        url.searchParams.delete('_HLS_part')
      }
    }
  }

  /** @param {Resource} resource */
  async #bytes(resource) {
    return new Uint8Array(await (await load(resource.url, this.#stop.signal, resource)).arrayBuffer())
  }

  async progress() { return this.video.currentTime }

  get latency() { return this.#edge && (this.clock() - this.#edge.time) / 1000 + this.#edge.media - this.video.currentTime }

  close() {
    this.#stop.abort()
    this.buffer.close()
  }
}

export class FlvSource {
  kind = /** @type {const} */ ('flv')
  name = 'HTTP-FLV'
  patience = 10_000
  static isUsable = canBuffer

  #stop = new AbortController()

  /** @param {SourceOptions} given */
  constructor({ video, flv }) {
    this.video = video
    this.url = absolute(flv ?? '')
    this.buffer = new MediaBuffer(video, () => 0.7)
  }

  async run() { await Promise.race([this.#run(), this.buffer.failed]) }

  async #run() {
    const stream = new FlvStream()
    const reader = (await load(this.url, this.#stop.signal)).body?.getReader()
    while (reader) {
      const asked = performance.now()
      const { done, value } = await reader.read()
      if (done) return
      // The server sends what it has at once; a wait is for new media.
      if (performance.now() - asked > 50) this.buffer.complete()
      for (const piece of stream.push(value)) {
        if (piece.kind === 'init') await this.buffer.begin(piece.bytes, piece.codecs)
        else await this.buffer.add(piece.bytes)
      }
    }
  }

  async progress() { return this.video.currentTime }

  get latency() {
    const { end } = this.buffer
    return end === undefined ? undefined : Math.max(0, end - this.video.currentTime)
  }

  close() {
    this.#stop.abort()
    this.buffer.close()
  }
}

export class NativeSource {
  kind = /** @type {const} */ ('native')
  name = 'HLS'
  patience = 20_000
  static isUsable = () => Boolean(document.createElement('video').canPlayType('application/vnd.apple.mpegurl'))

  /** @param {SourceOptions} given */
  constructor({ video, hls, clock }) {
    this.video = video
    this.clock = clock
    this.url = absolute(hls ?? '')
  }

  /** @returns {Promise<void>} */
  run() {
    const { video } = this
    video.src = this.url
    return new Promise((resolve, reject) => {
      this.onError = () => reject(new Unplayable(video.error?.code === MediaError.MEDIA_ERR_NETWORK ? 'network' : 'codec', 'The browser could not play the stream.'))
      this.onEnd = () => resolve()
      video.addEventListener('error', this.onError)
      video.addEventListener('ended', this.onEnd)
    })
  }

  async progress() { return this.video.currentTime }

  get latency() {
    const began = /** @type {any} */ (this.video).getStartDate?.()?.getTime?.()
    if (began > 0) return (this.clock() - began) / 1000 - this.video.currentTime
    const { seekable } = this.video
    return seekable.length ? seekable.end(seekable.length - 1) - this.video.currentTime : undefined
  }

  close() {
    const { video } = this
    if (this.onError) video.removeEventListener('error', this.onError)
    if (this.onEnd) video.removeEventListener('ended', this.onEnd)
    video.removeAttribute('src')
    video.load()
  }
}
