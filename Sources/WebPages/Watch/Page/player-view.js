// A player with its controls: the watch page and the console's dialogs show it.
import { attribute, h, iconButton, say } from './dom.js'
import { Playing } from './playing.js'
import { text } from './text.js'

const VOLUME = 'roomserver.volume'

export class PlayerView {
  // `token()` returns the token for WHEP; null if the room is public.
  /** @param {{ title: string, token?: () => Promise<string | null> }} given */
  constructor({ title, token = async () => null }) {
    this.video = h('video', { 'aria-label': title, set: { muted: true, autoplay: true, playsInline: true } })
    this.video.setAttribute('muted', '')
    this.video.setAttribute('playsinline', '')
    this.playing = new Playing(this.video, token)
    this.note = h('div', { class: 'screen-note', role: 'status' })
    this.sound = h('button', { type: 'button', class: 'screen-sound', on: { click: () => this.#mute(false) } }, text.watch.sound)
    this.live = h('span', { class: 'screen-live' }, text.watch.live)
    this.behind = h('span', { class: 'screen-behind number' })
    this.missing = h('span', { class: 'screen-missing' })
    this.toggle = iconButton('pause', text.watch.pause, () => this.playing.pause(!this.playing.isPaused))
    this.speaker = iconButton('sound-off', text.watch.unmute, () => this.#mute(!this.video.muted))
    /** @type {HTMLInputElement} */
    this.volume = h('input', { type: 'range', min: 0, max: 1, step: 0.05, class: 'screen-volume', 'aria-label': text.watch.volume, on: { input: () => this.#setVolume(Number(this.volume.value)) } })
    /** @type {HTMLSelectElement} */
    this.quality = h('select', { class: 'screen-quality', 'aria-label': text.watch.quality, title: text.watch.quality, on: { change: () => this.playing.choose(Number(this.quality.value)) } })
    this.inset = iconButton('inset', text.watch.inset, () => this.#toggleInset())
    this.wide = iconButton('wide', text.watch.full, () => this.#toggleFull())
    const bar = h('div', { class: 'screen-bar', role: 'group', 'aria-label': text.watch.player }, this.toggle, this.speaker, this.volume, this.live, this.behind, this.missing,
      h('span', { class: 'spacer' }), this.quality, this.inset, this.wide)
    this.node = h('div', { class: 'screen', tabindex: '0', role: 'region', 'aria-label': title, on: { keydown: event => this.#press(event), pointermove: () => this.#stir(), pointerdown: () => this.#stir(), focusin: () => this.#stir() } },
      this.video, this.note, this.sound, bar)
    this.inset.hidden = !document.pictureInPictureEnabled
    this.wide.hidden = !document.fullscreenEnabled && !('webkitEnterFullscreen' in this.video)
    const kept = Number(localStored(VOLUME) ?? 1)
    this.video.volume = kept >= 0 && kept <= 1 ? kept : 1
    this.playing.addEventListener('change', () => this.#draw())
    this.video.addEventListener('volumechange', () => this.#draw())
    this.shown = '' // the qualities in the list
    this.timer = setInterval(() => this.#measure(), 500)
    this.#draw()
    this.#stir()
  }

  // Replaces the note about the player's state, such as for a room that refuses the viewer; null removes it.
  /** @param {string[] | null} message */
  explain(message) {
    this.message = message
    this.#draw()
  }

  #draw() {
    const { playing, video } = this
    const { status } = playing
    this.node.dataset.state = this.message ? 'message' : status
    this.node.dataset.source = status === 'playing' ? playing.source?.kind ?? '' : ''
    const words = text.watch
    /** @type {Record<PlayState, string[]>} */
    const notes = {
      offline: words.reasons.offline, connecting: [words.connecting], reconnecting: [words.reconnecting],
      unplayable: words.reasons[playing.reason], playing: [''],
    }
    const [title, hint] = this.message ?? notes[status]
    if (this.note.textContent !== title + (hint ?? '')) this.note.replaceChildren(h('b', {}, title), h('span', {}, hint ?? ''))
    this.note.hidden = !title
    this.sound.hidden = !video.muted || status !== 'playing'
    this.toggle.show(playing.isPaused ? 'play' : 'pause', playing.isPaused ? words.play : words.pause)
    this.speaker.show(video.muted ? 'sound-off' : 'sound', video.muted ? words.unmute : words.mute)
    if (document.activeElement !== this.volume) this.volume.value = String(video.muted ? 0 : video.volume)
    this.live.hidden = status !== 'playing' || playing.isPaused
    const { qualities } = playing
    this.quality.hidden = qualities.length < 2
    const key = qualities.map(each => `${each.name} ${each.height}`).join()
    if (this.shown !== key) {
      this.shown = key
      this.quality.replaceChildren(...qualities.map((each, index) => h('option', { value: index }, index ? `${Math.min(each.width ?? 0, each.height ?? 0)}p` : each.name === 'auto' ? words.auto : words.original)))
    }
    this.quality.value = String(playing.quality)
  }

  #measure() {
    const { latency, source, isPaused, missing } = this.playing
    say(this.behind, latency === undefined || isPaused ? '' : text.watch.behind(latency < 0.1 ? '< 0.1' : latency.toFixed(1)))
    attribute(this.behind, 'title', source?.name ?? null)
    say(this.missing, missing.length ? text.watch.notInHLS(missing.join(', ')) : '')
  }

  /** @param {boolean} isMuted */
  #mute(isMuted) {
    this.video.muted = isMuted
    if (!isMuted && !this.video.volume) this.video.volume = 1
    if (!isMuted) this.video.play().catch(() => {})
  }

  /** @param {number} volume */
  #setVolume(volume) {
    this.video.volume = volume
    this.video.muted = volume === 0
    try { localStorage.setItem(VOLUME, String(volume)) } catch { /* storage is off */ }
  }

  async #toggleFull() {
    if (document.fullscreenElement) return document.exitFullscreen()
    if (document.fullscreenEnabled) return this.node.requestFullscreen().catch(() => {})
    const video = /** @type {any} */ (this.video)
    video.webkitEnterFullscreen?.() // phones with Safari: only the video
  }

  async #toggleInset() {
    if (document.pictureInPictureElement) return document.exitPictureInPicture()
    await this.video.requestPictureInPicture().catch(() => {})
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLSelectElement) return
    const isOnButton = event.target instanceof HTMLButtonElement || event.target instanceof HTMLInputElement
    const step = event.key === 'ArrowUp' ? 0.1 : event.key === 'ArrowDown' ? -0.1 : 0
    if (event.key === 'k' || (event.key === ' ' && !isOnButton)) this.playing.pause(!this.playing.isPaused)
    else if (event.key === 'm') this.#mute(!this.video.muted)
    else if (event.key === 'f') this.#toggleFull()
    else if (event.key === 'i' && !this.inset.hidden) this.#toggleInset()
    else if (step && event.target === this.node) this.#setVolume(Math.min(1, Math.max(0, (this.video.muted ? 0 : this.video.volume) + step)))
    else return
    event.preventDefault()
  }

  // Shows the controls for a while.
  #stir() {
    this.node.classList.add('stirred')
    clearTimeout(this.calm)
    this.calm = setTimeout(() => this.node.classList.remove('stirred'), 2500)
  }

  close() {
    clearInterval(this.timer)
    clearTimeout(this.calm)
    this.playing.close()
  }
}

/** @param {string} key */
function localStored(key) {
  try { return localStorage.getItem(key) } catch { return null }
}
