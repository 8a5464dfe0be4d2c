// The tracks of a room and their statistics.
import { attribute, h, icon, keyed, say } from './dom.js'
import { loudness } from './devices.js'
import { actions, bitrateCell, card, cell, counter, nothing, rowButton, subject, table } from './fields.js'
import { codecName, count, milliseconds, percent } from './format.js'
import { text } from './text.js'

export class Tracks {
  /** @type {Map<string, HTMLElement>} */
  #meters = new Map()

  /** @param {Actions} actions */
  constructor(actions) {
    this.actions = actions
    this.count = counter()
    const columns = [['track'], ['format', 'format'], ['bitrate'], ['frames', 'right'], ['loss', 'right'], ['jitter', 'right jitter'], ['rtt', 'right rtt'], ['receivers', 'right receivers']]
    this.table = table(text.room.tracks, 'tracks number', columns.map(([name, style]) => [text.room.columns[/** @type {keyof typeof text.room.columns} */ (name)], style]))
    this.empty = nothing(text.room.noTracks)
    this.node = card(text.room.tracks, { style: 'tracks-card', head: [this.count] }, this.empty, this.table.node)
  }

  /** @param {TrackRow[]} tracks */
  update(tracks) {
    say(this.count, tracks.length ? String(tracks.length) : '')
    this.empty.hidden = tracks.length > 0
    this.table.node.hidden = !tracks.length
    keyed(this.table.rows, tracks, track => track.trackId, track => this.#row(track))
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
    const drawing = h('span')
    const bitrate = bitrateCell(text.room.bitrateOf(userId, what))
    const [format, frames, loss, jitter, rtt, receivers] = ['muted format', 'right frames', 'right loss', 'right muted jitter', 'right muted rtt', 'right muted receivers'].map(style => cell(style))
    const meter = kind === 'audio' ? h('i') : null
    if (meter) {
      frames.append(h('div', { class: 'meter level', role: 'img', 'aria-label': text.room.loudnessOf(userId) }, meter))
      this.#meters.set(trackId, meter)
    }
    const mute = rowButton('mute', 'microphone', '', () => this.actions.mute(latest))
    /** @type {TrackRow} */
    let latest
    const node = h('tr', { data: { track: trackId, kind } },
      subject(drawing, userId, h('span', { class: 'muted' }, what)), format, bitrate.node, frames, loss, jitter, rtt, receivers, actions(mute))
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
        say(format, [codecName(track.codec ?? ''), track.width && `${track.width}×${track.height}`].filter(Boolean).join('  '))
        bitrate.update(track.muted ? 0 : track.kbps, { least: kind === 'audio' ? 64 : 300, values: track.history, ...(track.muted && { instead: text.room.muted }) })
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
