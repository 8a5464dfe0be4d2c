// A device that a person chooses before a call, or during one.
import { deviceOf, listDevices } from './capture.js'

/** A camera or microphone that a person chooses: what there is to choose from, whether it is on, and its track. */
export class DeviceChoice {
  /** The open track; null while there is none.
   * @type {MediaStreamTrack | null} */
  track = null
  /** Whether the person wants it. */
  isOn = true
  /** The devices of the kind. They have names once one was opened.
   * @type {Array<{ id: string, name: string }>} */
  devices = []
  /** Why it could not be opened; null if it was.
   * @type {Error | null} */
  error = null
  /** Resolves when the device that was chosen last is open, or has failed.
   * @type {Promise<void>} */
  ready = Promise.resolve()
  #isClosed = false
  #given

  /** `open` opens a device, the browser's choice without an id; `changed()` is called when a member has changed, and `fallback()` makes a track in place of a
   * device that can't be opened.
   * @param {{ kind: 'camera' | 'microphone', open: (deviceId?: string) => Promise<MediaStreamTrack>, changed: () => void, fallback?: () => Promise<MediaStreamTrack> | null }} given */
  constructor(given) { this.#given = given }

  /** The id of the open device. */
  get deviceId() { return deviceOf(this.track) }

  /** Opens a device, also if it is off.
   * @param {string} [deviceId] */
  start(deviceId) { this.ready = this.#start(deviceId) }

  /** Turns it off, which closes it, or on again.
   * @param {string} [deviceId] The one to open. */
  toggle(deviceId) {
    this.isOn = !this.isOn
    if (!this.isOn) this.stop()
    else if (!this.track) this.start(deviceId)
    this.#given.changed()
  }

  /** @param {string} [deviceId] */
  async #start(deviceId) {
    const { kind, open, changed, fallback } = this.#given
    this.stop()
    this.error = null
    try { this.track = await open(deviceId) } catch (error) {
      this.error = error
      this.track = await fallback?.() ?? null
    }
    if (this.#isClosed) return this.stop()
    this.devices = await listDevices(kind === 'camera' ? 'videoinput' : 'audioinput')
    changed()
  }

  /** Closes the device. */
  stop() {
    this.track?.stop()
    this.track = null
  }

  /** Closes it for good, also one that is being opened. */
  close() {
    this.#isClosed = true
    this.stop()
  }
}
