// Our camera, microphone and screen, as the switches of a page.
import { openCamera, openMicrophone, openScreen } from './capture.js'

/** Our camera, microphone and screen, as the tracks `camera`, `microphone` and `screen`. */
export class OwnDevices {
  /** @param {Room} room */
  constructor(room) {
    /** @internal */
    this.room = room
  }

  /** Turns the camera on or off, with its light. The same camera comes back, unless `wanted` is another one.
   * @param {boolean} on @param {Parameters<typeof openCamera>[0]} [wanted] */
  async setCamera(on, wanted) {
    const { deviceId } = this.room.localTracks.get('camera') ?? {}
    return on ? this.use('camera', await openCamera({ deviceId, ...wanted })) : this.release('camera')
  }

  /** Mutes or unmutes the microphone, and publishes one if there is none.
   * @param {boolean} on @param {Parameters<typeof openMicrophone>[0]} [wanted] */
  async setMicrophone(on, wanted) {
    if (this.room.localTracks.has('microphone')) return this.room.mute('microphone', !on)
    if (on) await this.use('microphone', await openMicrophone(wanted))
  }

  /** Shares a screen, or no longer.
   * @param {boolean} on @returns {Promise<void>} */
  async setScreen(on) {
    if (!on) return this.room.unpublish('screen')
    const track = await openScreen()
    track.addEventListener('ended', () => this.setScreen(false).catch(() => {})) // the browser's own "Stop sharing"
    return this.room.publish({ tag: 'screen', track })
  }

  /** Sends a track of another device, and stops the one before; publishes it if there is none. A camera is then on, a muted microphone stays muted.
   * @param {string} tag @param {MediaStreamTrack} track */
  async use(tag, track) {
    const source = this.room.localTracks.get(tag)
    if (!source) return this.room.publish({ tag, track })
    const { track: before, muted, kind } = source
    track.enabled = kind === 'video' || !muted
    await this.room.replace(tag, track)
    before?.stop()
    if (kind === 'video' && muted) await this.room.mute(tag, false)
  }

  /** Mutes a track and stops its device until `use`: the light of a camera goes out.
   * @param {string} tag */
  async release(tag) {
    const source = this.room.localTracks.get(tag)
    if (!source) return
    await this.room.mute(tag)
    const { track } = source
    source.deviceId = (track?.origin ?? track)?.getSettings().deviceId
    await this.room.replace(tag, null)
    track?.stop()
  }
}
