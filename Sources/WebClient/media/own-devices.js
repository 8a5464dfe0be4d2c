// Our camera, microphone and screen, as the switches of a page.
import { deviceOf, openCamera, openMicrophone, openScreen } from './capture.js'

/** The camera, microphone and screen of a room as switches: the tracks `camera`, `microphone` and `screen`. A microphone that is off is muted, and a camera that is off
 * is closed: its light goes out. */
export class OwnDevices {
  #room
  #open

  /** `open` replaces what opens a device, such as by `testPicture`.
   * @param {Room} room @param {{ camera?: typeof openCamera, microphone?: typeof openMicrophone }} open */
  constructor(room, { camera = openCamera, microphone = openMicrophone } = {}) {
    this.#room = room
    this.#open = { camera, microphone }
  }

  /** Whether a track is sent and not muted.
   * @param {string} tag */
  isOn(tag) { return this.#room.localTracks.get(tag)?.muted === false }

  /** Publishes the camera, closes it, or opens the same one again, unless `wanted` is another one.
   * @param {boolean} on @param {Parameters<typeof openCamera>[0]} [wanted] */
  async setCamera(on, wanted) {
    const { deviceId } = this.#room.localTracks.get('camera') ?? {}
    return on ? this.use('camera', await this.#open.camera({ deviceId, ...wanted })) : this.release('camera')
  }

  /** Publishes the microphone, mutes or unmutes it.
   * @param {boolean} on @param {Parameters<typeof openMicrophone>[0]} [wanted] */
  async setMicrophone(on, wanted) {
    if (this.#room.localTracks.has('microphone')) return this.#room.mute('microphone', !on)
    if (on) await this.use('microphone', await this.#open.microphone(wanted))
  }

  /** Shares a screen that the user chooses, until `setScreen(false)` or the browser's own "Stop sharing".
   * @param {boolean} on @returns {Promise<void>} */
  async setScreen(on) {
    if (!on) return this.#room.unpublish('screen')
    const track = await openScreen()
    track.addEventListener('ended', () => this.setScreen(false).catch(() => {}))
    return this.#room.publish({ tag: 'screen', track })
  }

  /** Sends the track of another device, and stops the one before; publishes it if there is none. A camera is then on, a muted microphone stays muted.
   * @param {string} tag @param {MediaStreamTrack} track */
  async use(tag, track) {
    const source = this.#room.localTracks.get(tag)
    if (!source) return this.#room.publish({ tag, track })
    const { track: before, muted, kind } = source
    track.enabled = kind === 'video' || !muted
    await this.#room.replace(tag, track)
    before?.stop()
    if (kind === 'video' && muted) await this.#room.mute(tag, false)
  }

  /** Mutes a track and stops its device until `use`.
   * @param {string} tag */
  async release(tag) {
    const source = this.#room.localTracks.get(tag)
    if (!source) return
    await this.#room.mute(tag)
    const { track } = source
    source.deviceId = deviceOf(track)
    await this.#room.replace(tag, null)
    track?.stop()
  }
}
