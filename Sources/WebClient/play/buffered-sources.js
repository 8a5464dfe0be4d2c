// Low-latency HLS and HTTP-FLV over MediaSource. Loaded on demand: most viewers play over WebRTC.
import { codecs } from './boxes.js'
import { FlvStream } from './flv.js'
import { MediaBuffer } from './media-buffer.js'
import { beginning, parse, upcoming } from './playlist.js'

const pause = (/** @type {number} */ ms, /** @type {AbortSignal} */ signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    reject(new Error('closed'))
  }, { once: true })
})

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
/** @typedef {import('./source.js').SourceOptions} SourceOptions */

export class HlsSource {
  kind = /** @type {const} */ ('hls')
  patience = 15_000

  #stop = new AbortController()
  #holdBack = 3
  /** @type {{ media: number, time: number } | undefined} */
  #edge // the end of the buffer, and the time of day at which it was captured

  /** @param {SourceOptions} given */
  constructor({ video, server, hls, clock }) {
    this.video = video
    this.url = server.base + (hls ?? '')
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
  patience = 10_000

  #stop = new AbortController()

  /** @param {SourceOptions} given */
  constructor({ video, server, flv }) {
    this.video = video
    this.url = server.base + (flv ?? '')
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
