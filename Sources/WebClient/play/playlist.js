// Reads HLS playlists (RFC 8216, and its second edition for low latency). Needs no page.

/** @typedef {{ offset: number, length?: number }} Range */
/** @typedef {{ url: string, range?: Range }} Resource */
/** @typedef {Resource & { duration: number, isIndependent: boolean }} HlsPart */
/**
 * @typedef {object} HlsSegment
 * @property {number} number
 * @property {Resource} [resource] Absent as long as the segment grows.
 * @property {number} duration
 * @property {Resource} [map]
 * @property {number} [date] When it begins, in milliseconds since 1970.
 * @property {HlsPart[]} parts
 */
/**
 * @typedef {object} MediaPlaylist
 * @property {number} target Seconds: the longest segment.
 * @property {number} [part] Seconds: the longest part.
 * @property {number} holdBack Seconds that a player stays behind the end.
 * @property {boolean} blocks Whether a reload may wait for a segment or part.
 * @property {boolean} isOver
 * @property {HlsSegment[]} segments
 */
/** @typedef {{ url: string, bandwidth: number, width?: number, height?: number }} HlsVariant */

const MOST = 20_000 // lines

/** @param {string} text @returns {Record<string, string>} */
function attributes(text) {
  /** @type {Record<string, string>} */
  const found = {}
  for (const [, name, quoted, plain] of text.matchAll(/([A-Z0-9-]+)=(?:"([^"]*)"|([^,]*))/g)) found[name] = quoted ?? plain
  return found
}

// Throws if it is no playlist, or has parts that this player does not play.
/** @param {string} text @param {string} base @returns {{ variants: HlsVariant[], media?: undefined } | { media: MediaPlaylist, variants?: undefined }} */
export function parse(text, base) {
  const lines = text.split(/\r?\n/, MOST)
  if (!lines[0].startsWith('#EXTM3U')) throw new Error('This is no playlist.')
  const absolute = (/** @type {string} */ url) => new URL(url, base).href
  /** @type {HlsVariant[]} */
  const variants = []
  /** @type {MediaPlaylist} */
  const media = { target: 0, holdBack: 0, blocks: false, isOver: false, segments: [] }
  let number = 0
  /** @type {Resource | undefined} */
  let map
  let end = 0 // of the last byte range
  /** @param {string} url @param {string} [range] @returns {Resource} */
  const resource = (url, range) => {
    if (!range) return { url: absolute(url) }
    const [length, offset = end] = range.split('@').map(Number)
    end = offset + length
    return { url: absolute(url), range: { offset, length } }
  }
  /** @returns {HlsSegment} */
  const fresh = () => ({ number: 0, duration: 0, parts: [] })
  let segment = fresh()
  /** @type {string | undefined} */
  let range
  /** @type {HlsVariant | undefined} */
  let variant
  let audio = ''
  const isApart = new Set() // groups of sound with a playlist of their own
  for (const line of lines) {
    const [, tag, value = ''] = /^#(EXT[A-Z0-9-]*)(?::(.*))?$/.exec(line) ?? []
    const list = value.includes('=') ? attributes(value) : {}
    if (!tag) {
      if (!line || line.startsWith('#')) continue
      if (variant) {
        variants.push({ ...variant, url: absolute(line) })
        if (isApart.has(audio)) throw new Error('The sound is in a playlist of its own.')
        variant = undefined
        continue
      }
      media.segments.push({ ...segment, number, map, resource: resource(line, range) })
      number += 1
      segment = fresh()
      range = undefined
    } else if (tag === 'EXT-X-STREAM-INF') {
      const [width, height] = (list.RESOLUTION ?? '').split('x').map(Number)
      variant = { url: '', bandwidth: Number(list.BANDWIDTH) || 0, width: width || undefined, height: height || undefined }
      audio = list.AUDIO ?? ''
    } else if (tag === 'EXT-X-MEDIA' && list.TYPE === 'AUDIO' && list.URI) isApart.add(list['GROUP-ID'])
    else if (tag === 'EXT-X-TARGETDURATION') media.target = Number(value) || 0
    else if (tag === 'EXT-X-MEDIA-SEQUENCE') number = Number(value) || 0
    else if (tag === 'EXT-X-PART-INF') media.part = Number(list['PART-TARGET']) || undefined
    else if (tag === 'EXT-X-SERVER-CONTROL') {
      media.blocks = list['CAN-BLOCK-RELOAD'] === 'YES'
      media.holdBack = Number(list['PART-HOLD-BACK'] ?? list['HOLD-BACK']) || 0
    } else if (tag === 'EXT-X-MAP') map = resource(list.URI ?? '', list.BYTERANGE)
    else if (tag === 'EXT-X-PROGRAM-DATE-TIME') segment.date = Date.parse(value) || undefined
    else if (tag === 'EXT-X-BYTERANGE') range = value
    else if (tag === 'EXTINF') segment.duration = Number.parseFloat(value) || 0
    else if (tag === 'EXT-X-KEY' && list.METHOD !== 'NONE') throw new Error('The stream is encrypted.')
    else if (tag === 'EXT-X-ENDLIST') media.isOver = true
    else if (tag === 'EXT-X-PART' && list.GAP !== 'YES') {
      segment.parts.push({ ...resource(list.URI ?? '', list.BYTERANGE), duration: Number(list.DURATION) || 0, isIndependent: list.INDEPENDENT === 'YES' })
    }
  }
  if (variants.length) return { variants }
  if (segment.parts.length) media.segments.push({ ...segment, number, map, duration: segment.parts.reduce((sum, part) => sum + part.duration, 0) })
  if (!media.holdBack) media.holdBack = media.part ? 3 * media.part : 3 * media.target
  return { media }
}

/** @typedef {{ number: number, part: number }} Cursor The next segment and part to load. */

// Where a player begins: as near to the wanted distance from the end as a picture can begin.
/** @param {MediaPlaylist} list @returns {Cursor | undefined} */
export function beginning({ segments, holdBack }) {
  let left = 0
  for (const segment of [...segments].reverse()) {
    // A segment begins with a picture that needs no other.
    for (let part = segment.parts.length - 1; part > 0; part -= 1) {
      left += segment.parts[part].duration
      if (left >= holdBack && segment.parts[part].isIndependent) return { number: segment.number, part }
    }
    left += segment.parts.length ? segment.parts[0].duration : segment.duration
    if (left >= holdBack) return { number: segment.number, part: 0 }
  }
  return segments.length ? { number: segments[0].number, part: 0 } : undefined
}

// What to load at a cursor, and the cursor after it; undefined if the playlist does not have it yet. `isLost` is set if it has
// left the playlist.
/** @param {MediaPlaylist} list @param {Cursor} cursor @returns {{ resource: Resource, segment: HlsSegment, end: number, next: Cursor } | { isLost: true } | undefined} */
export function upcoming(list, cursor) {
  const { segments } = list
  if (segments.length && cursor.number < segments[0].number) return { isLost: true }
  const segment = segments.find(each => each.number === cursor.number)
  if (!segment) return undefined
  const after = { number: cursor.number + 1, part: 0 }
  if (cursor.part === 0 && segment.resource) return { resource: segment.resource, segment, end: segment.duration, next: after }
  const part = segment.parts[cursor.part]
  if (part) {
    const end = segment.parts.slice(0, cursor.part + 1).reduce((sum, each) => sum + each.duration, 0)
    return { resource: part, segment, end, next: { number: cursor.number, part: cursor.part + 1 } }
  }
  if (!segment.resource) return undefined
  return segment.parts.length ? upcoming(list, after) : { isLost: true }
}
