// Turns an FLV stream of H.264 and AAC into fragmented MP4. Needs no page.
import { aacCodec, avcCodec, fragment, initialisation, joined } from './boxes.js'
import { Unplayable } from './unplayable.js'

const LARGEST = 8 << 20 // bytes of a tag
const AUDIO = 8
const VIDEO = 9
const RATES = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350]
const STILL = 1000 // milliseconds of sound without a picture, after which the last key frame is shown again
const DRIFT = 0.05 // seconds between the clock of the tags and the samples, before sound begins at the tags' time again

/** @typedef {{ kind: 'init', bytes: Uint8Array, codecs: string[] } | { kind: 'media', bytes: Uint8Array }} Piece */
/** @typedef {{ config: Uint8Array, codec: string, width: number, height: number }} Picture */
/** @typedef {{ config: Uint8Array, codec: string, rate: number, channels: number }} Sound */

export class FlvStream {
  /** @type {Uint8Array} */
  #rest = new Uint8Array(0)
  #hasHeader = false
  #sequence = 0
  /** @type {number | undefined} */
  #origin // the first time, which becomes 0
  /** @type {Picture | undefined} */
  #picture
  /** @type {Sound | undefined} */
  #sound
  #isChanged = false
  /** @type {{ time: number, data: Uint8Array, isKey: boolean, shift: number } | undefined} */
  #held // the last picture, whose duration the next one defines
  /** @type {import('./boxes.js').Mp4Run | undefined} */
  #video
  /** @type {import('./boxes.js').Mp4Run | undefined} */
  #audio
  #nextSound = -1 // in samples
  #hasKey = false
  /** @type {Uint8Array | undefined} */
  #lastKey // the body of its tag

  // Returns what the bytes add to the stream. Throws if they are no FLV, or have another codec.
  /** @param {Uint8Array} bytes @returns {Piece[]} */
  push(bytes) {
    /** @type {Piece[]} */
    const pieces = []
    const all = this.#rest.length ? joined([this.#rest, bytes]) : bytes
    const view = new DataView(all.buffer, all.byteOffset, all.byteLength)
    let at = 0
    if (!this.#hasHeader) {
      if (all.length < 13) return this.#keep(all, pieces)
      if (all[0] !== 0x46 || all[1] !== 0x4c || all[2] !== 0x56) throw new Error('This is no FLV stream.')
      at = view.getUint32(5) + 4
      this.#hasHeader = true
    }
    while (at + 11 <= all.length) {
      const size = view.getUint32(at) & 0xffffff
      if (size > LARGEST) throw new Error('A tag of the FLV stream is too large.')
      if (at + 15 + size > all.length) break
      const time = all[at + 7] * 2 ** 24 + (view.getUint32(at + 4) >>> 8)
      this.#read(all[at] & 31, time, all.subarray(at + 11, at + 11 + size), pieces)
      at += 15 + size
    }
    this.#flush(pieces)
    return this.#keep(all.subarray(Math.min(at, all.length)), pieces)
  }

  /** @param {Uint8Array} rest @param {Piece[]} pieces */
  #keep(rest, pieces) {
    this.#rest = rest.slice()
    return pieces
  }

  /** @param {number} type @param {number} time @param {Uint8Array} data @param {Piece[]} pieces */
  #read(type, time, data, pieces) {
    if (data.length < 2) return
    if (type === VIDEO) {
      if (data[0] & 128 || (data[0] & 15) !== 7) throw new Unplayable('codec', 'The picture is not H.264.')
      if (data.length < 5) return
      if (data[1] === 0) this.#configurePicture(data.slice(5), pieces)
      else if (data[1] === 1 && this.#picture) this.#addPicture(time, data)
    } else if (type === AUDIO) {
      if (data[0] >>> 4 !== 10) throw new Unplayable('codec', 'The sound is not AAC.')
      if (data[1] === 0) this.#configureSound(data.slice(2), pieces)
      else if (this.#sound) this.#addSound(time, data.slice(2))
    }
  }

  /** @param {Uint8Array} config @param {Piece[]} pieces */
  #configurePicture(config, pieces) {
    if (config.length < 8 || isEqual(config, this.#picture?.config)) return
    this.#flush(pieces)
    const length = config[6] << 8 | config[7]
    this.#picture = { config, codec: avcCodec(config), ...size(config.subarray(8, 8 + length)) }
    this.#isChanged = true
  }

  /** @param {Uint8Array} config @param {Piece[]} pieces */
  #configureSound(config, pieces) {
    if (config.length < 2 || isEqual(config, this.#sound?.config)) return
    this.#flush(pieces)
    const rate = RATES[(config[0] & 7) << 1 | config[1] >>> 7]
    if (!rate) throw new Error('The sound has an unknown rate.')
    this.#sound = { config, codec: aacCodec(config), rate, channels: config[1] >>> 3 & 15 }
    this.#nextSound = -1
    this.#isChanged = true
  }

  /** @param {number} time */
  #relative(time) {
    this.#origin ??= time
    return Math.max(0, time - this.#origin)
  }

  /** @param {number} given @param {Uint8Array} data */
  #addPicture(given, data) {
    const isKey = data[0] >>> 4 === 1
    if (!isKey && !this.#hasKey) return
    this.#hasKey = true
    if (isKey) this.#lastKey = data.slice()
    const time = this.#relative(given)
    const held = this.#held
    if (held) {
      this.#video ??= { id: 1, start: held.time, samples: [] }
      this.#video.samples.push({ data: held.data, duration: Math.max(1, time - held.time), isKey: held.isKey, shift: held.shift })
    }
    const shift = (data[2] << 24 | data[3] << 16 | data[4] << 8) >> 8
    this.#held = { time, data: data.slice(5), isKey, shift }
  }

  /** @param {number} given @param {Uint8Array} data */
  #addSound(given, data) {
    const { rate } = /** @type {Sound} */ (this.#sound)
    // A camera that is off would stop the sound too, because a player waits for all tracks.
    if (this.#held && this.#lastKey && this.#relative(given) - this.#held.time > STILL) {
      this.#addPicture(given, this.#lastKey)
      this.#hasKey = false // what follows does not refer to this copy
    }
    const wanted = Math.round(this.#relative(given) * rate / 1000)
    if (this.#nextSound < 0 || Math.abs(wanted - this.#nextSound) > DRIFT * rate) {
      // A run has consecutive samples only.
      if (this.#audio) this.#runs.push(this.#audio)
      this.#audio = undefined
      this.#nextSound = wanted
    }
    this.#audio ??= { id: 2, start: this.#nextSound, samples: [] }
    this.#audio.samples.push({ data, duration: 1024, isKey: true, shift: 0 })
    this.#nextSound += 1024
  }

  /** @type {import('./boxes.js').Mp4Run[]} */
  #runs = []

  // Ends the fragment.
  /** @param {Piece[]} pieces */
  #flush(pieces) {
    for (const run of [this.#video, this.#audio]) if (run) this.#runs.push(run)
    this.#video = this.#audio = undefined
    if (!this.#runs.length) return
    if (this.#isChanged) {
      this.#isChanged = false
      const [picture, sound] = [this.#picture, this.#sound]
      /** @type {import('./boxes.js').Mp4Track[]} */
      const tracks = []
      if (picture) tracks.push({ id: 1, kind: 'video', timescale: 1000, ...picture })
      if (sound) tracks.push({ id: 2, kind: 'audio', timescale: sound.rate, config: sound.config, channels: sound.channels })
      pieces.push({ kind: 'init', bytes: initialisation(tracks), codecs: [picture, sound].flatMap(each => each ? [each.codec] : []) })
    }
    for (const run of this.#runs) pieces.push({ kind: 'media', bytes: fragment(this.#sequence += 1, [run]) })
    this.#runs = []
  }
}

/** @param {Uint8Array} one @param {Uint8Array} [other] */
const isEqual = (one, other) => one.length === other?.length && one.every((byte, index) => byte === other[index])

// The size in a sequence parameter set of H.264 (ITU-T H.264 §7.3.2.1.1).
/** @param {Uint8Array} unit @returns {{ width: number, height: number }} */
export function size(unit) {
  const bytes = unit.filter((byte, index) => !(byte === 3 && index > 1 && !unit[index - 1] && !unit[index - 2])) // without emulation prevention
  let at = 32 // bits: after the header of the unit, the profile and the level
  const bit = () => {
    const value = bytes[at >>> 3] >>> (7 - (at & 7)) & 1
    at += 1
    return value
  }
  const bits = (/** @type {number} */ count) => {
    let value = 0
    for (let index = 0; index < count; index += 1) value = value * 2 + bit()
    return value
  }
  const golomb = () => {
    let count = 0
    while (count < 32 && at < bytes.length * 8 && !bit()) count += 1
    return 2 ** count - 1 + bits(count)
  }
  const signed = () => {
    const value = golomb()
    return value & 1 ? (value + 1) / 2 : -value / 2
  }
  golomb()
  let chroma = 1
  if ([100, 110, 122, 244, 44, 83, 86, 118, 128].includes(bytes[1])) {
    chroma = golomb()
    if (chroma === 3) bit()
    golomb()
    golomb()
    bit()
    if (bit()) {
      for (let list = 0; list < (chroma === 3 ? 12 : 8); list += 1) {
        if (!bit()) continue
        for (let index = 0, last = 8, next = 8; index < (list < 6 ? 16 : 64); index += 1) {
          if (next) next = (last + signed() + 256) % 256
          last = next || last
        }
      }
    }
  }
  golomb()
  const order = golomb()
  if (order === 0) golomb()
  else if (order === 1) {
    bit()
    signed()
    signed()
    for (let count = Math.min(golomb(), 255); count > 0; count -= 1) signed()
  }
  golomb()
  bit()
  let width = (golomb() + 1) * 16
  const rows = golomb() + 1
  const isWhole = bit()
  let height = rows * 16 * (2 - isWhole)
  if (!isWhole) bit()
  bit()
  if (bit()) {
    const [left, right, top, bottom] = [golomb(), golomb(), golomb(), golomb()]
    width -= (left + right) * (chroma === 1 || chroma === 2 ? 2 : 1)
    height -= (top + bottom) * (chroma === 1 ? 2 : 1) * (2 - isWhole)
  }
  if (!(width > 0 && width <= 16384 && height > 0 && height <= 16384)) throw new Error('The picture has no valid size.')
  return { width, height }
}
