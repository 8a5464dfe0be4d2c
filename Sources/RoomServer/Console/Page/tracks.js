// The tracks of a room and their statistics.
import { attribute, h, icon, iconButton, keyed, say } from './dom.js'
import { Spark } from './charts.js'
import { loudness } from './devices.js'
import { count, milliseconds, percent, rate } from './format.js'

/** @type {Record<string, string>} */
const CODECS = { h264: 'H.264', vp8: 'VP8', vp9: 'VP9', av1: 'AV1', opus: 'Opus' }
/** @type {Record<string, string>} */
const NAMES = { camera: 'Camera', microphone: 'Microphone', screen: 'Screen' }

export class Tracks {
  /** @type {Map<string, HTMLElement>} */
  #meters = new Map()

  /** @param {Actions} actions */
  constructor(actions) {
    this.actions = actions
    this.count = h('span', { class: 'count number' })
    this.rows = h('tbody')
    const columns = [['Track', ''], ['Format', 'format'], ['Bitrate', ''], ['Frames', 'right'], ['Loss', 'right'], ['Jitter', 'right jitter'], ['Round trip', 'right rtt'], ['Receivers', 'right receivers']]
    this.table = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Tracks' }, h('table', { class: 'table tracks number' },
      h('thead', {}, h('tr', {}, columns.map(([name, style]) => h('th', { scope: 'col', class: style }, name)),
        h('th', {}, h('span', { class: 'only-read' }, 'Actions')))), this.rows))
    this.empty = h('div', { class: 'empty small' }, h('p', {}, 'Nothing is published. Tracks appear here when a participant sends audio or video.'))
    this.node = h('section', { class: 'card tracks-card', 'aria-label': 'Tracks' },
      h('div', { class: 'card-head' }, h('h2', {}, 'Tracks'), this.count), this.empty, this.table)
  }

  /** @param {TrackRow[]} tracks */
  update(tracks) {
    say(this.count, tracks.length ? String(tracks.length) : '')
    this.empty.hidden = tracks.length > 0
    this.table.hidden = tracks.length === 0
    keyed(this.rows, tracks, track => track.trackId, track => this.#row(track))
  }

  /** @param {Map<string, number>} levels */
  levels(levels) {
    for (const [trackId, meter] of this.#meters) {
      const level = levels.get(trackId)
      if (level !== undefined) setLevel(meter, level)
    }
  }

  /** @param {TrackRow} given @returns {Part<TrackRow>} */
  #row({ trackId, userId, kind, tag }) {
    const what = NAMES[tag] ?? (tag || (kind === 'video' ? 'Video' : 'Audio'))
    const drawing = h('span', { class: 'track-icon' })
    const spark = new Spark({ width: 88, height: 26, label: `Bitrate of ${userId}’s ${what.toLowerCase()} over the last minute` })
    /** @param {string} style */
    const cell = style => h('td', { class: style })
    const format = cell('muted format')
    const [kbps, unit] = [h('b'), h('small')]
    const loss = cell('right loss')
    const jitter = cell('right muted jitter')
    const rtt = cell('right muted rtt')
    const receivers = cell('right muted receivers')
    const frames = cell('right frames')
    const meter = kind === 'audio' ? h('i') : null
    if (meter) {
      frames.append(h('div', { class: 'meter level', role: 'img', 'aria-label': `Loudness of ${userId}` }, meter))
      this.#meters.set(trackId, meter)
    }
    const mute = iconButton('microphone', '', () => this.actions.mute(latest), 'quiet small')
    mute.dataset.action = 'mute'
    /** @type {TrackRow} */
    let latest
    const node = h('tr', { data: { track: trackId, kind } },
      h('td', { class: 'track' }, h('div', {}, drawing, h('div', {}, h('b', {}, userId), h('span', { class: 'muted' }, what)))),
      format, h('td', { class: 'bitrate' }, h('div', {}, spark.node, h('span', { class: 'reading' }, kbps, unit))),
      frames, loss, jitter, rtt, receivers, h('td', { class: 'tight' }, mute))
    return {
      node,
      remove: () => this.#meters.delete(trackId),
      update: track => {
        latest = track
        const base = kind === 'audio' ? 'microphone' : tag === 'screen' ? 'screen' : 'camera'
        /** @type {Icon} */
        const shown = track.muted && base !== 'screen' ? `${base}-off` : base
        if (drawing.dataset.icon !== shown) {
          drawing.dataset.icon = shown
          drawing.replaceChildren(icon(shown))
        }
        node.classList.toggle('is-muted', track.muted)
        say(format, [CODECS[track.codec ?? ''] ?? track.codec, track.width && `${track.width}×${track.height}`].filter(Boolean).join('  '))
        spark.update(track.history, kind === 'audio' ? 64 : 300)
        const [number, unitText] = rate(track.muted ? 0 : track.kbps)
        say(kbps, track.muted ? 'Muted' : number)
        say(unit, track.muted ? '' : unitText)
        if (meter) setLevel(meter, track.muted ? -127 : track.level)
        else say(frames, track.muted ? '–' : `${Math.round(track.fps)}\u202ffps`)
        say(loss, percent(track.loss))
        loss.classList.toggle('bad', track.loss >= 0.05)
        loss.classList.toggle('warn', track.loss >= 0.01 && track.loss < 0.05)
        loss.classList.toggle('muted', track.loss < 0.01)
        say(jitter, milliseconds(track.jitter))
        say(rtt, track.rtt === undefined ? '–' : milliseconds(track.rtt))
        say(receivers, track.receivers === undefined ? '–' : count(track.receivers))
        mute.show(shown, `${track.muted ? 'Unmute' : 'Mute'} ${userId}’s ${what.toLowerCase()}`)
        attribute(mute, 'aria-pressed', String(track.muted))
        mute.hidden = !this.actions.mayMute(track)
      },
    }
  }
}

/** @param {HTMLElement} meter @param {number} level */
const setLevel = (meter, level) => { meter.style.transform = `scaleX(${loudness(level).toFixed(2)})` }
