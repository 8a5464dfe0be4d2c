// Another background behind a person: blurred, or a picture. Which pixels are the person is the app's to say, because the library has no model.
import { Compositor } from './compositor.js'
import { process } from './process.js'

/** @typedef {import('./process.js').Frame} Frame */
/** @typedef {{ mask: (frame: Frame) => ImageBitmap | Promise<ImageBitmap>, picture?: ImageBitmap, blur?: number, failed?: (error: Error) => void }} Wanted */

// A Worker is made of text that Trusted Types guard; this policy allows only our own file.
const url = new URL('./background-worker.js', import.meta.url).href
const trusted = () => /** @type {any} */ (globalThis).trustedTypes?.createPolicy('roomclient', { createScriptURL: () => url }).createScriptURL(url) ?? url

/** @type {unknown} */
let trustedUrl // a policy may be created once

// Composes on the page.
class Here {
  /** @param {import('./compositor.js').Background} background */
  constructor(background) { this.compositor = new Compositor(document.createElement('canvas'), background) }
  /** @param {Frame} frame @param {ImageBitmap} mask */
  async draw(frame, mask) {
    const canvas = this.compositor.draw(frame, mask)
    mask.close()
    return canvas
  }
  close() {}
}

// Composes in a worker.
class There {
  /** @type {{ resolve: (picture: ImageBitmap | null) => void, reject: (error: Error) => void } | null} */
  #waiting = null

  /** @param {Worker} worker */
  constructor(worker) {
    this.worker = worker
    worker.onmessage = ({ data: { picture, error } }) => {
      if (error) this.#waiting?.reject(new Error(error))
      else this.#waiting?.resolve(picture)
    }
    worker.onerror = () => this.#waiting?.reject(new Error('The worker failed.'))
  }

  /** Resolves once a worker composes; rejects if the page may not have one, or there is no WebGL in a worker.
   * @param {import('./compositor.js').Background} background @returns {Promise<There>} */
  static async start(background) {
    trustedUrl ??= trusted()
    const there = new There(new Worker(/** @type {any} */ (trustedUrl), { type: 'module' }))
    try { await there.#ask({ background }) } catch (error) {
      there.close()
      throw error
    }
    return there
  }

  /** @param {object} message @param {Transferable[]} [given] @returns {Promise<ImageBitmap | null>} */
  #ask(message, given = []) {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.worker.postMessage(message, given)
    })
  }

  /** @param {Frame} frame @param {ImageBitmap} mask */
  draw(frame, mask) {
    const copy = frame instanceof ImageBitmap ? [frame] : [frame.clone()]
    return this.#ask({ frame: copy[0], mask }, /** @type {any} */ ([...copy, mask]))
  }

  close() {
    this.worker.terminate()
    this.#waiting?.resolve(null)
  }
}

/** Returns a track in which `picture`, or the blurred picture itself, replaces what is not the person. `mask(frame)` returns a picture of any size, white
 * in the person and black or transparent elsewhere, which is closed after use. `composer` of the track says who composes: 'worker', or 'page' if the
 * browser or the page's CSP allows no worker of this origin. Rejects without WebGL 2.
 * @param {MediaStreamTrack} source @param {Wanted} wanted @returns {Promise<MediaStreamTrack & { composer?: 'worker' | 'page' }>} */
export async function withBackground(source, { mask, picture, blur, failed }) {
  const background = { picture, blur }
  const there = await There.start(background).catch(() => null)
  const composer = there ?? new Here(background)
  const track = process(source, async frame => composer.draw(frame, await mask(frame)), failed ? { failed } : {})
  const stop = track.stop
  track.stop = () => {
    stop()
    composer.close()
  }
  return Object.assign(track, { composer: /** @type {'worker' | 'page'} */ (there ? 'worker' : 'page') })
}
