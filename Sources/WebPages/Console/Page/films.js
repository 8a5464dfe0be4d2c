// The files and URLs that the room plays: their buttons for hosts and operators, and what plays for everybody else.
import { ask, toast, toastError } from './dialogs.js'
import { h, icon, iconButton, keyed, say } from './dom.js'
import { button, card, counter, field, line } from './fields.js'
import { duration } from './format.js'
import { position } from './room-calls.js'
import { text } from './text.js'

const PLAYER = '/v1/rooms/{room}/players/{player}'

export class Films {
  /** @type {Wire.Player[]} */
  #players = []
  #lists = 0

  /** @param {Acts} acts */
  constructor(acts) {
    this.acts = acts
    this.count = counter()
    this.add = button('play-url', 'plus', text.films.play, () => this.#begin())
    this.list = h('div', { class: 'films' })
    this.node = card(text.films.title, { style: 'films-card', head: [this.count, h('div', { class: 'buttons' }, this.add)] }, this.list)
    // The positions advance without a message.
    this.timer = setInterval(() => this.#draw(), 500)
  }

  stop() { clearInterval(this.timer) }

  /** @param {Wire.RoomState} state */
  update(state) {
    this.#players = state.players ?? []
    this.add.hidden = !this.acts.isAdmin
    this.node.hidden = !this.#players.length && !this.acts.isAdmin
    say(this.count, this.#players.length ? String(this.#players.length) : '')
    this.#draw()
  }

  #draw() {
    this.list.hidden = !this.#players.length
    keyed(this.list, this.#players, player => `${player.userId} ${this.acts.isAdmin}`, player => this.#row(player))
  }

  /** @param {Wire.Player} given @returns {Part<Wire.Player>} */
  #row({ userId, url, upload }) {
    /** @type {Wire.Player | null} */
    let shown = null
    let isHeld = false // the slider, by somebody
    const mayChange = this.acts.isAdmin
    const change = (/** @type {Wire.PlayerChange} */ what) => { this.#change(userId, what).catch(toastError) }
    const toggle = iconButton('pause', text.films.pause, () => change({ paused: shown?.state !== 'paused' }))
    const seek = h('input', { type: 'range', class: 'slider', min: 0, max: 1, step: 1, 'aria-label': text.films.position(userId) })
    seek.addEventListener('input', () => { isHeld = true })
    seek.addEventListener('change', () => { isHeld = false; change({ position: Number(seek.value) }) })
    const volume = h('input', { type: 'range', class: 'slider short', min: 0, max: 2, step: 0.05, 'aria-label': text.films.volume(userId) })
    volume.addEventListener('change', () => change({ volume: Number(volume.value) }))
    const loop = h('input', { type: 'checkbox', id: `film-loop-${++this.#lists}` })
    loop.addEventListener('change', () => change({ loop: loop.checked }))
    const time = h('span', { class: 'number muted' })
    const end = iconButton('stop', text.films.stop(userId), () => { this.#stop(userId).catch(toastError) }, 'quiet small danger')
    const node = h('div', { class: 'film', data: { film: userId } },
      h('div', { class: 'film-head' }, h('b', {}, userId), h('span', { class: 'muted' }, url ?? upload ?? ''), time),
      mayChange && h('div', { class: 'film-controls' }, toggle, seek, icon('sound', 'small'), volume,
        h('label', { for: loop.id }, loop, text.films.loop), end))
    return {
      node,
      update: player => {
        shown = player
        node.dataset.state = player.state
        const at = position(player)
        say(time, player.state === 'opening' ? text.films.opening
          : player.duration ? `${duration(at * 1000)} / ${duration(player.duration * 1000)}` : duration(at * 1000))
        if (player.state === 'paused') toggle.show('play', text.films.resume)
        else toggle.show('pause', text.films.pause)
        seek.disabled = !player.seekable
        if (player.duration) seek.max = String(Math.ceil(player.duration))
        if (!isHeld) seek.value = String(at)
        if (document.activeElement !== volume) volume.value = String(player.volume)
        loop.checked = player.loop
      },
    }
  }

  /** @param {string} userId @param {Wire.PlayerChange} what */
  #change(userId, what) {
    const { acts } = this
    return acts.ask('admin', 'changePlayer', { userId, ...what }, api => api.send('PATCH', PLAYER, { room: acts.room, player: userId }, what))
  }

  /** @param {string} userId */
  #stop(userId) {
    const { acts } = this
    return acts.ask('admin', 'stopPlayer', { userId }, api => api.send('DELETE', PLAYER, { room: acts.room, player: userId }))
  }

  #begin() {
    const url = line('film-url', '', { type: 'url', required: true, maxlength: 2048, placeholder: 'https://media.example.org/film.mp4' })
    const loop = h('input', { type: 'checkbox', id: 'film-loop' })
    ask({
      title: text.films.play, text: text.films.hint, action: text.films.play,
      act: async () => {
        const { acts } = this
        const params = { url: url.value.trim(), loop: loop.checked }
        await acts.ask('admin', 'startPlayer', params, api => api.send('POST', '/v1/rooms/{room}/players', { room: acts.room }, params))
        toast(text.films.begun)
      },
    }, field(url, 'URL'), h('label', { class: 'check', for: 'film-loop' }, loop, text.films.loop))
  }
}
