// Plays HLS by the browser's own player.
import { Unplayable } from './unplayable.js'

/** @typedef {import('./source.js').SourceOptions} SourceOptions */

export class NativeSource {
  kind = /** @type {const} */ ('native')
  patience = 20_000

  /** @param {SourceOptions} given */
  constructor({ video, server, hls, clock }) {
    this.video = video
    this.clock = clock
    this.url = server.base + (hls ?? '')
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
