// The worker of background.js: composes one frame after the other.
import { Compositor } from './compositor.js'

/** @type {Compositor | undefined} */
let compositor

self.onmessage = ({ data: { background, frame, mask } }) => {
  try {
    compositor ??= new Compositor(new OffscreenCanvas(1, 1), background)
    if (!frame) return postMessage({})
    const picture = /** @type {OffscreenCanvas} */ (compositor.draw(frame, mask)).transferToImageBitmap()
    postMessage({ picture }, { transfer: [picture] })
  } catch (error) {
    postMessage({ error: error.message })
  } finally {
    frame?.close()
    mask?.close()
  }
}
