// Feeds fragmented MP4 to a video element, and keeps it near the live edge.
import { Media } from './source.js'
import { OtherTracks, Unplayable } from './unplayable.js'

const KEPT = 15 // seconds behind the current picture
const LARGEST = 96 // pieces that wait to be added
const CALM = 10_000 // milliseconds without a stall after which the player comes nearer again
const STEP = 0.25 // seconds of distance that a stall adds

// How fast a player plays that is `late` seconds further behind than it wants to be; Infinity for a jump.
/** @param {number} late */
export const pace = late => late > 3 ? Infinity : late > 1.2 ? 1.2 : late > 0.4 ? 1.08 : 1

export class MediaBuffer {
  /** @type {SourceBuffer | undefined} */
  #buffer
  #codecs = ''
  /** @type {Array<{ bytes: Uint8Array, done(): void }>} */
  #waiting = []
  #isClosed = false
  #url = ''
  /** @type {(error: Error) => void} */
  #fail = () => {}
  #extra = 0 // seconds added to the distance because the picture stalled
  #stalled = 0 // when it stalled last, or came nearer
  #isComplete = false

  // `distance()` is the wanted distance from the live edge in seconds.
  /** @param {HTMLVideoElement} video @param {() => number} distance */
  constructor(video, distance) {
    this.video = video
    this.distance = distance
    this.failed = new Promise((_, reject) => { this.#fail = reject })
    this.failed.catch(() => {})
    if (!Media) throw new Error('This browser has no MediaSource.')
    this.source = new Media()
    video.disableRemotePlayback = true
    this.#url = URL.createObjectURL(this.source)
    video.src = this.#url
    this.opened = new Promise(resolve => { this.source.addEventListener('sourceopen', resolve, { once: true }) })
    this.onStall = () => {
      if (!this.#isComplete || !this.#buffer?.buffered.length) return
      this.#extra = Math.min(3, this.#extra + STEP)
      this.#stalled = Date.now()
    }
    video.addEventListener('waiting', this.onStall)
    this.timer = setInterval(() => this.#follow(), 250)
  }

  // Begins a form of media. Throws if the browser can't play it, or it has other kinds of tracks than the form before.
  /** @param {Uint8Array} bytes @param {string[]} codecs */
  async begin(bytes, codecs) {
    await this.opened
    const type = `video/mp4; codecs="${codecs.join(',')}"`
    if (!Media?.isTypeSupported(type)) throw new Unplayable('codec', `This browser can’t play ${codecs.join(' with ')}.`)
    if (!this.#buffer) {
      this.#buffer = this.source.addSourceBuffer(type)
      this.#buffer.addEventListener('updateend', () => {
        if (!this.#isComplete) this.#follow()
        this.#advance()
      })
      this.#buffer.addEventListener('error', () => this.#fail(new Unplayable('codec', 'The browser could not decode the stream.')))
    } else if (this.#codecs.split(',').length !== codecs.length) {
      throw new OtherTracks('The tracks of the stream have changed.')
    } else if (this.#codecs !== codecs.join(',')) {
      await this.#settled()
      this.#buffer.changeType(type)
    }
    this.#codecs = codecs.join(',')
    await this.add(bytes)
  }

  // Resolves when the bytes are in the buffer.
  /** @param {Uint8Array} bytes @returns {Promise<void>} */
  add(bytes) {
    if (this.#waiting.length >= LARGEST) this.#fail(new Error('The browser is too slow for the stream.'))
    const added = new Promise(done => this.#waiting.push({ bytes, done: () => done(undefined) }))
    this.#advance()
    return Promise.race([added, this.failed])
  }

  #settled() { return this.#waiting.length || this.#buffer?.updating ? this.add(new Uint8Array(0)) : undefined }

  /** @returns {void} */
  #advance() {
    const buffer = this.#buffer
    if (!buffer || this.#isClosed || buffer.updating || this.source.readyState !== 'open') return
    const next = this.#waiting[0]
    if (!next) return
    if (!next.bytes.length) {
      this.#waiting.shift()
      next.done()
      return this.#advance()
    }
    try {
      buffer.appendBuffer(next.bytes)
    } catch (error) {
      if (error.name === 'QuotaExceededError' && this.#trim(2)) return
      return this.#fail(error)
    }
    this.#waiting.shift()
    buffer.addEventListener('updateend', next.done, { once: true })
  }

  // Removes what is older than `kept` seconds. Returns whether there is something to remove.
  /** @param {number} kept */
  #trim(kept) {
    const buffer = this.#buffer
    if (!buffer || buffer.updating || !buffer.buffered.length) return false
    const end = this.video.currentTime - kept
    if (end <= buffer.buffered.start(0)) return false
    buffer.remove(0, end)
    return true
  }

  get end() {
    const { buffered } = this.video
    return buffered.length ? buffered.end(buffered.length - 1) : undefined
  }

  // The buffer has all that exists. What was added first may be older than wanted: a picture that needs no other.
  complete() {
    if (this.#isComplete || this.end === undefined) return
    this.#isComplete = true
    const wanted = this.end - this.distance()
    if (wanted - this.video.currentTime > 0.4) this.video.currentTime = wanted
  }

  // Stays near the live edge: a little faster, or by a jump; and over gaps.
  #follow() {
    const { video } = this
    const { buffered } = video
    if (this.#isClosed || !buffered.length) return
    const first = buffered.start(buffered.length - 1)
    const end = buffered.end(buffered.length - 1)
    if (this.#extra && Date.now() - this.#stalled > CALM) {
      this.#extra = Math.max(0, this.#extra - STEP)
      this.#stalled = Date.now()
    }
    const distance = this.distance() + this.#extra
    const behind = end - video.currentTime
    const isInside = Array.from({ length: buffered.length }, (_, index) => index)
      .some(index => buffered.start(index) <= video.currentTime && video.currentTime < buffered.end(index) - 0.05)
    if (!isInside && video.currentTime < first) video.currentTime = Math.max(first, end - distance)
    else if (!isInside && behind < -1) video.currentTime = Math.max(first, end - distance) // the times began again
    const speed = video.paused || !this.#isComplete ? 1 : pace(behind - distance)
    if (speed === Infinity && isInside) video.currentTime = Math.max(first, end - distance)
    video.playbackRate = speed === Infinity ? 1 : speed
    if (video.currentTime - buffered.start(0) > 2 * KEPT) this.#trim(KEPT)
  }

  close() {
    if (this.#isClosed) return
    this.#isClosed = true
    clearInterval(this.timer)
    const { video } = this
    video.removeEventListener('waiting', this.onStall)
    video.playbackRate = 1
    if (video.src === this.#url) {
      video.removeAttribute('src')
      video.load()
    }
    URL.revokeObjectURL(this.#url)
    this.#fail(new Error('closed'))
  }
}
