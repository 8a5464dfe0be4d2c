// The tracks of a room and their statistics.
import { attribute, h, icon, iconButton, keyed, say } from './dom.js'
import { Spark } from './charts.js'
import { loudness } from './devices.js'
import { count, milliseconds, percent, rate } from './format.js'
import { text } from './text.js'

/** @type {Record<string, string>} */
const CODECS = { h264: 'H.264', vp8: 'VP8', vp9: 'VP9', av1: 'AV1', opus: 'Opus' }
export class Tracks {
  /** @type {Map<string, HTMLElement>} */
  #meters = new Map()

  /** @param {Actions} actions */
  constructor(actions) {
    this.actions = actions
    this.count = h('span', { class: 'count number' })
    this.rows = h('tbody')
    const columns = [['track', ''], ['format', 'format'], ['bitrate', ''], ['frames', 'right'], ['loss', 'right'], ['jitter', 'right jitter'], ['rtt', 'right rtt'], ['receivers', 'right receivers']]
    this.table = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': text.room.tracks }, h('table', { class: 'table tracks number' },
      h('thead', {}, h('tr', {}, columns.map(([name, style]) => h('th', { scope: 'col', class: style }, text.room.columns[/** @type {keyof typeof text.room.columns} */ (name)])),
        h('th', {}, h('span', { class: 'only-read' }, text.room.actions)))), this.rows))
    this.empty = h('div', { class: 'empty small' }, h('p', {}, text.room.noTracks))
    this.node = h('section', { class: 'card tracks-card', 'aria-label': text.room.tracks },
      h('div', { class: 'card-head' }, h('h2', {}, text.room.tracks), this.count), this.empty, this.table)
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
    const { names } = text.room
    const what = names[/** @type {keyof typeof names} */ (tag)] ?? (tag || (kind === 'video' ? names.video : names.audio))
    const drawing = h('span', { class: 'track-icon' })
    const spark = new Spark({ width: 88, height: 26, label: text.room.bitrateOf(userId, what) })
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
      frames.append(h('div', { class: 'meter level', role: 'img', 'aria-label': text.room.loudnessOf(userId) }, meter))
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
        say(kbps, track.muted ? text.room.muted : number)
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
        mute.show(shown, text.room.muteOf(userId, what), track.muted ? text.room.unmute(userId, what) : text.room.mute(userId, what))
        attribute(mute, 'aria-pressed', String(track.muted))
        mute.hidden = !this.actions.mayMute(track)
      },
    }
  }
}

/** @param {HTMLElement} meter @param {number} level */
const setLevel = (meter, level) => { meter.style.transform = `scaleX(${loudness(level).toFixed(2)})` }
