// Writes fragmented MP4 (ISO/IEC 14496-12) for MediaSource, and reads the codecs of an initialisation segment. Needs no page.
import { Unplayable } from './unplayable.js'

/** @typedef {number[] | Uint8Array} Bytes */
/**
 * @typedef {object} Mp4Track
 * @property {number} id
 * @property {'video' | 'audio'} kind
 * @property {number} timescale Units per second.
 * @property {Uint8Array} config The body of `avcC`, or an AudioSpecificConfig.
 * @property {number} [width]
 * @property {number} [height]
 * @property {number} [channels]
 */
/** @typedef {{ data: Uint8Array, duration: number, isKey: boolean, shift: number }} Mp4Sample Times in units of the track; `shift` is the composition time offset. */
/** @typedef {{ id: number, start: number, samples: Mp4Sample[] }} Mp4Run */

/** @param {number} value @returns {number[]} */
const u16 = value => [value >>> 8 & 255, value & 255]
/** @param {number} value @returns {number[]} */
const u32 = value => [value >>> 24, value >>> 16 & 255, value >>> 8 & 255, value & 255]
/** @param {number} value @returns {number[]} */
const u64 = value => [...u32(Math.floor(value / 2 ** 32)), ...u32(value % 2 ** 32 | 0)]
/** @param {string} text @returns {number[]} */
const letters = text => Array.from(text, letter => letter.charCodeAt(0))
/** @param {number} count @returns {number[]} */
const zeros = count => new Array(count).fill(0)

/** @param {Bytes[]} parts */
export function joined(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** @param {string} type @param {Bytes[]} parts */
const box = (type, ...parts) => joined([u32(8 + parts.reduce((sum, part) => sum + part.length, 0)), letters(type), ...parts])
/** @param {string} type @param {number} version @param {number} flags @param {Bytes[]} parts */
const full = (type, version, flags, ...parts) => box(type, [version, flags >>> 16 & 255, flags >>> 8 & 255, flags & 255], ...parts)

const MATRIX = [1, 0, 0, 0, 1, 0, 0, 0, 0x4000].flatMap((value, index) => u32(index === 8 ? 0x40000000 : value << 16))

/** @param {Mp4Track[]} tracks */
export function initialisation(tracks) {
  return joined([
    box('ftyp', letters('iso6'), u32(0), letters('iso6mp41')),
    box('moov', full('mvhd', 0, 0, zeros(8), u32(1000), u32(0), u32(0x10000), u16(0x100), zeros(10), MATRIX, zeros(24), u32(0xffffffff)),
      ...tracks.map(trak),
      box('mvex', ...tracks.map(({ id }) => full('trex', 0, 0, u32(id), u32(1), zeros(12))))),
  ])
}

/** @param {Mp4Track} track */
function trak({ id, kind, timescale, config, width = 0, height = 0, channels = 2 }) {
  const isVideo = kind === 'video'
  const entry = isVideo
    ? box('avc1', zeros(6), u16(1), zeros(16), u16(width), u16(height), u32(0x480000), u32(0x480000), zeros(4), u16(1), zeros(32), u16(24), u16(0xffff),
      box('avcC', config))
    : box('mp4a', zeros(6), u16(1), zeros(8), u16(channels), u16(16), zeros(4), u16(timescale & 0xffff), u16(0), esds(id, config))
  return box('trak',
    full('tkhd', 0, 3, zeros(8), u32(id), zeros(4), u32(0), zeros(8), zeros(4), u16(isVideo ? 0 : 0x100), zeros(2), MATRIX, u16(width), zeros(2), u16(height), zeros(2)),
    box('mdia',
      full('mdhd', 0, 0, zeros(8), u32(timescale), u32(0), u16(0x55c4), zeros(2)),
      full('hdlr', 0, 0, zeros(4), letters(isVideo ? 'vide' : 'soun'), zeros(13)),
      box('minf', isVideo ? full('vmhd', 0, 1, zeros(8)) : full('smhd', 0, 0, zeros(4)),
        box('dinf', full('dref', 0, 0, u32(1), full('url ', 0, 1))),
        box('stbl', full('stsd', 0, 0, u32(1), entry), full('stts', 0, 0, u32(0)), full('stsc', 0, 0, u32(0)), full('stsz', 0, 0, zeros(8)), full('stco', 0, 0, u32(0))))))
}

/** @param {number} id @param {Uint8Array} config */
const esds = (id, config) => full('esds', 0, 0, [3, 23 + config.length], u16(id), [0, 4, 15 + config.length, 0x40, 0x15], zeros(11), [5, config.length], config, [6, 1, 2])

/** @param {number} sequence @param {Mp4Run[]} runs */
export function fragment(sequence, runs) {
  const build = (/** @type {number} */ headSize) => {
    let offset = headSize + 8
    return box('moof', full('mfhd', 0, 0, u32(sequence)), ...runs.map(({ id, start, samples }) => {
      const run = full('trun', 1, 0xf01, u32(samples.length), u32(offset),
        ...samples.map(({ data, duration, isKey, shift }) => [...u32(duration), ...u32(data.length), ...u32(isKey ? 0x2000000 : 0x1010000), ...u32(shift)]))
      offset += samples.reduce((sum, { data }) => sum + data.length, 0)
      return box('traf', full('tfhd', 0, 0x20000, u32(id)), full('tfdt', 1, 0, u64(start)), run)
    }))
  }
  const head = build(build(0).length)
  return joined([head, box('mdat', ...runs.flatMap(({ samples }) => samples.map(({ data }) => data)))])
}

/** @param {number} value */
const twoDigits = value => String(value).padStart(2, '0')

/** @param {Uint8Array} config The body of `avcC`. */
export const avcCodec = config => `avc1.${Array.from(config.subarray(1, 4), byte => byte.toString(16).padStart(2, '0')).join('')}`
/** @param {Uint8Array} config An AudioSpecificConfig. */
export const aacCodec = config => `mp4a.40.${config[0] >>> 3 === 31 ? 32 + ((config[0] & 7) << 3 | config[1] >>> 5) : config[0] >>> 3}`

// The codecs of an initialisation segment, as MediaSource names them. Throws if there is none that is known.
/** @param {Uint8Array} bytes @returns {string[]} */
export function codecs(bytes) {
  /** @type {string[]} */
  const found = []
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  /** @param {number} from @param {number} to */
  const walk = (from, to) => {
    for (let at = from; at + 8 <= to;) {
      const size = view.getUint32(at)
      if (size < 8 || at + size > to) return
      const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
      const body = at + 8
      const end = at + size
      if (['moov', 'trak', 'mdia', 'minf', 'stbl'].includes(type)) walk(body, end)
      else if (type === 'stsd') walk(body + 8, end)
      else if (['avc1', 'avc3', 'hvc1', 'hev1', 'av01', 'vp09'].includes(type)) walk(body + 78, end)
      else if (['mp4a', 'Opus', 'fLaC'].includes(type)) walk(body + 28, end)
      if (type === 'avcC') found.push(avcCodec(bytes.subarray(body, end)))
      else if (type === 'hvcC') found.push('hvc1.1.6.L153.B0')
      else if (type === 'av1C') found.push('av01.0.09M.08')
      else if (type === 'vpcC') found.push(`vp09.${[bytes[body + 4], bytes[body + 5], bytes[body + 6] >>> 4].map(twoDigits).join('.')}`)
      else if (type === 'dOps') found.push('opus')
      else if (type === 'esds') found.push(aacCodec(decoderConfig(bytes.subarray(body + 4, end))))
      at = end
    }
  }
  walk(0, bytes.length)
  if (!found.length) throw new Unplayable('codec', 'The stream has no known codec.')
  return found
}

// The AudioSpecificConfig in the descriptors of `esds`: descriptor 5 in 4 in 3.
/** @param {Uint8Array} bytes */
function decoderConfig(bytes) {
  let at = 0
  while (at + 2 < bytes.length) {
    const tag = bytes[at]
    at += 1
    while (bytes[at] & 128 && at < bytes.length) at += 1 // all but the last byte of the size
    at += 1
    if (tag === 5) return bytes.subarray(at)
    at += tag === 3 ? 3 : 13
  }
  throw new Error('The sound has no configuration.')
}
