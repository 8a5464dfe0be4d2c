// Our own devices in a room. Loaded on its own, not with roomclient.js.
import { deviceOf, openCamera, openMicrophone, openScreen } from './capture.js'

export { DeviceChoice } from './device-choice.js'
export { TEST, testPicture, testTone } from './test-sources.js'

/** The camera, microphone and screen of a room as switches. A microphone that is off is muted, and a camera that is off is closed: its light goes out. */
export class OwnMedia {
  #room
  #open

  /** `open` replaces what opens a device, such as by `testPicture`; the device's id is there if one was chosen.
   * @param {Room} room @param {{ camera?: (deviceId?: string) => Promise<MediaStreamTrack>, microphone?: (deviceId?: string) => Promise<MediaStreamTrack> }} open */
  constructor(room, { camera = deviceId => openCamera({ deviceId }), microphone = deviceId => openMicrophone({ deviceId }) } = {}) {
    this.#room = room
    this.#open = { camera, microphone }
  }

  /** Whether a source is sent.
   * @param {string} tag */
  isOn(tag) { return this.#room.localTracks.get(tag)?.muted === false }

  /** Publishes the microphone, mutes or unmutes it.
   * @param {boolean} on */
  async setMicrophone(on) {
    if (this.#room.localTracks.has('microphone')) return this.#room.mute('microphone', !on)
    if (on) await this.#room.publish({ tag: 'microphone', track: await this.#open.microphone() })
  }

  /** Publishes the camera, closes it, or opens the same one again.
   * @param {boolean} on */
  async setCamera(on) {
    const source = this.#room.localTracks.get('camera')
    if (!source) return on ? this.#room.publish({ tag: 'camera', track: await this.#open.camera() }) : undefined
    if (on) {
      await this.#room.replace('camera', await this.#open.camera(source.deviceId))
      return this.#room.mute('camera', false)
    }
    await this.#room.mute('camera')
    source.deviceId = deviceOf(source.track)
    source.track?.stop()
    return this.#room.replace('camera', null)
  }

  /** Shares a screen that the user chooses, until `setScreen(false)` or the browser's own "Stop sharing".
   * @param {boolean} on @returns {Promise<void>} */
  async setScreen(on) {
    if (!on) return this.#room.unpublish('screen')
    const track = await openScreen()
    track.addEventListener('ended', () => this.setScreen(false).catch(() => {}))
    return this.#room.publish({ tag: 'screen', track })
  }

  /** Sends another track as a source, and stops the one before; publishes the source if it was not.
   * @param {string} tag @param {MediaStreamTrack} track */
  async use(tag, track) {
    const source = this.#room.localTracks.get(tag)
    if (!source) return this.#room.publish({ tag, track })
    const old = source.track
    track.enabled = tag === 'camera' || !source.muted
    await this.#room.replace(tag, track)
    old?.stop()
    if (tag === 'camera' && source.muted) await this.#room.mute('camera', false)
  }
}
