// The tiles of a stage: one for each picture, and for each participant without one, fitted to the available space.
import { isMirrored } from './devices.js'
import { attribute, avatar, h, icon, iconButton, keyed, say } from './dom.js'
import { joined, milliseconds, percent, rate } from './format.js'
import { framesOf } from './pk-frames.js'
import { qualityBars } from './quality-bars.js'
import { text, words } from './text.js'
import { tileScore } from './tile-score.js'

/** @typedef {Part<Tile> & { node: HTMLElement, video: HTMLVideoElement, reading: HTMLElement, size: HTMLElement, isMe: boolean, userId: string, trackId?: string }} TileParts */

// The choices of a received picture, which select the layer of a simulcast (api/signalling.md §2, setReception).
/** @type {Record<string, Omit<Reception, 'trackId'>>} */
const QUALITIES = { best: {}, medium: { maxHeight: 480 }, small: { maxHeight: 240 }, paused: { paused: true } }

// Whether a participant is the room's own mix.
/** @param {string} userId */
export const isMix = userId => userId === '@mix'

export class Tiles {
  /** @type {Map<string, TileParts>} */
  #parts = new Map() // by key: the parts of a tile that update often
  /** @type {string | null} */
  pinned = null
  /** @type {string[]} */
  #screens = [] // tiles with the screens of other participants
  /** @type {PKSide[]} */
  #sides = [] // of a PK of several rooms, if there are no other tiles

  // `changed()` redraws the stage after a tile was enlarged; `receive(reception)` selects the quality of a picture.
  /** @param {{ changed: () => void, receive: (reception: Reception) => void }} given */
  constructor({ changed, receive }) {
    this.changed = changed
    this.receive = receive
    this.node = h('div', { class: 'tiles' })
    new ResizeObserver(() => this.#fit()).observe(this.node)
  }

  /** @param {Tile[]} tiles */
  update(tiles) {
    // A newly shared screen is enlarged automatically, once.
    const screens = tiles.filter(tile => tile.tag === 'screen' && !tile.isMe).map(tile => tile.key)
    const fresh = screens.find(key => !this.#screens.includes(key))
    this.#screens = screens
    if (fresh) this.pinned = fresh
    else if (!tiles.some(tile => tile.key === this.pinned)) this.pinned = null
    const sides = tiles.flatMap(({ side }) => side ?? [])
    this.#sides = sides.length > 2 && sides.length === tiles.length ? sides : []
    keyed(this.node, tiles, tile => tile.key, tile => this.#tile(tile))
    this.#fit()
  }

  // The picture to watch alone: the enlarged one, else somebody else's, else our own.
  get main() {
    const shown = [...this.#parts.values()].filter(({ node }) => !node.classList.contains('without'))
    return (shown.find(({ node }) => node.classList.contains('pinned')) ?? shown.find(({ isMe }) => !isMe) ?? shown[0])?.video ?? null
  }

  /** @param {Tile} given @returns {TileParts} */
  #tile({ key, userId, isMe, tag }) {
    const whose = `${isMix(userId) ? text.stage.mixTile : userId}${isMe ? text.stage.you : ''}${tag === 'screen' ? ` · ${text.stage.screenTag}` : ''}`
    const video = h('video', { 'aria-label': text.stage.pictureOf(whose), set: { muted: true, autoplay: true, playsInline: true } })
    const face = h('div', { class: 'tile-face' }, avatar(userId))
    const silent = icon('microphone-off', 'small')
    const reading = h('div', { class: 'tile-reading number' })
    const pin = () => {
      this.pinned = this.pinned === key ? null : key
      this.changed()
    }
    const enlarge = iconButton('wide', words.stage.enlarge(userId), event => { event.stopPropagation(); pin() }, 'tile-button small')
    /** @type {HTMLSelectElement | null} */
    const quality = isMe ? null : h('select', {
      class: 'tile-quality', 'aria-label': text.stage.qualityOf(userId), data: { action: 'quality' },
      on: { click: event => event.stopPropagation(), change: () => tile.trackId && this.receive({ trackId: tile.trackId, ...QUALITIES[quality?.value ?? ''] }) },
    }, Object.entries(text.stage.qualities).map(([value, name]) => h('option', { value }, name)))
    const why = h('span')
    const note = h('div', { class: 'tile-note', hidden: true }, icon('pause', 'small'), why)
    const connection = isMix(userId) ? null : qualityBars(isMe ? null : userId, words.stage)
    const size = h('small', { class: 'tile-size number', title: text.stage.receivedSize, hidden: true })
    const score = tileScore(words.stage)
    const node = h('figure', { class: 'tile', data: { user: userId }, on: { click: pin } }, face, video, note, reading, score.node, enlarge, quality,
      h('figcaption', {}, silent, h('span', {}, whose),
        size, connection?.node))
    /** @type {Tile['stream']} */
    let shown = null
    /** @type {TileParts} */
    const tile = {
      node, video, reading, size, isMe, userId,
      update: now => {
        // Our own track is wrapped here, so that a changed camera is a changed stream.
        const source = now.stream ?? null
        if (source !== shown) {
          shown = source
          video.srcObject = source instanceof MediaStreamTrack ? new MediaStream([source]) : source
          if (source) video.play().catch(() => {})
          video.classList.toggle('mirrored', isMe && tag !== 'screen' && source instanceof MediaStreamTrack && isMirrored(source))
        }
        tile.trackId = now.trackId
        node.classList.toggle('without', !source)
        if (quality) quality.hidden = !source
        const paused = source ? now.paused : null
        note.hidden = !paused
        if (paused) say(why, text.stage.paused[paused])
        node.classList.toggle('paused', Boolean(paused))
        // The last picture stays; without one there is the avatar.
        node.classList.toggle('blank', Boolean(paused) && !video.videoWidth)
        connection?.update(now.quality)
        score.update(now.side)
        node.classList.toggle('screen', tag === 'screen' || isMix(userId))
        attribute(silent, 'hidden', !now.isSilent && !now.side?.muted && !now.side?.mutedForAll)
        node.classList.toggle('pinned', this.pinned === key)
        enlarge.show('wide', this.pinned === key ? text.stage.backToGrid : words.stage.enlarge(userId))
      },
      remove: () => {
        video.srcObject = null
        this.#parts.delete(key)
      },
    }
    this.#parts.set(key, tile)
    return tile
  }

  /** @param {string[]} speakers */
  speak(speakers) {
    for (const { node, userId } of this.#parts.values()) node.classList.toggle('speaking', speakers.includes(userId))
  }

  // Shows or hides what is measured of each picture.
  /** @param {Call} call @param {boolean} isShown */
  readings(call, isShown) {
    for (const { reading, trackId } of this.#parts.values()) {
      const measured = isShown && trackId && call.statistics.get(trackId)
      reading.hidden = !measured
      if (!measured) continue
      const { width, height, fps, kbps, loss, jitter, rtt, codec } = measured
      say(reading, [
        [codec, width && `${width}×${height}`, `${Math.round(fps)} fps`].filter(Boolean).join('  '),
        [joined(rate(kbps)), text.stage.lost(percent(loss))].join('  '),
        [`${text.stage.jitter} ${milliseconds(jitter)}`, rtt !== undefined && `${text.stage.rtt} ${milliseconds(rtt)}`].filter(Boolean).join('  '),
      ].join('\n'))
    }
  }

  // The size of each received picture: the server says it before the first picture of that size arrives.
  /** @param {Call} call */
  sizes(call) {
    for (const { size, isMe, trackId, node } of this.#parts.values()) {
      const isShown = trackId && !isMe && !node.classList.contains('without') && !node.classList.contains('paused')
      const stream = isShown ? call.network.stream(trackId) : undefined
      const { width, height } = (stream?.width ? stream : isShown && call.statistics.get(trackId)) || {}
      size.hidden = !width
      say(size, width ? `${width}×${height}` : '')
    }
  }

  // Finds the number of columns that makes the tiles largest; a pinned tile gets the space, with the others in a row below it.
  #fit() {
    const total = this.node.children.length
    const isSplit = this.node.classList.contains('pk') && total === 2
    const { clientWidth: width, clientHeight: height } = this.node
    this.node.classList.toggle('has-pinned', this.pinned !== null && total > 1)
    this.node.classList.toggle('framed', this.#sides.length > 0)
    if (!total || !width) return
    framesOf(this.#sides, width > height).forEach((frame, index) => {
      const { style } = /** @type {HTMLElement} */ (this.node.children[index])
      for (const [key, value] of Object.entries(frame)) style.setProperty(`--${key}`, `${value * 100}%`)
    })
    const [gap, narrow] = [isSplit ? 2 : 8, width < 560]
    const [least, most] = isSplit ? [0.56, 1.78] : narrow ? [0.75, 1.78] : [1.25, 1.78]
    let best = { area: 0, columns: 1, width: 0, height: 0 }
    for (let columns = isSplit ? 2 : 1; columns <= total; columns++) {
      const rows = Math.ceil(total / columns)
      const cell = { width: (width - gap * (columns - 1)) / columns, height: (height - gap * (rows - 1)) / rows }
      const shape = Math.min(most, Math.max(least, cell.width / cell.height))
      const tileWidth = Math.min(cell.width, cell.height * shape)
      const area = tileWidth * tileWidth / shape
      if (area > best.area + 1) best = { area, columns, width: tileWidth, height: tileWidth / shape }
    }
    this.node.style.setProperty('--tile-width', `${Math.floor(best.width)}px`)
    this.node.style.setProperty('--tile-height', `${Math.floor(best.height)}px`)
    this.node.style.setProperty('--columns', String(best.columns))
  }
}
