// The player's bar: pause, sound, volume, quality, picture in picture and full screen, by pointer and by keys.
import { attribute, drawing, h, say } from './markup.js'
import { playerIcons } from './player-icons.js'

const VOLUME = 'room-player.volume'

/** @typedef {import('./roomplayer.js').Player} Player */
/** @typedef {ReturnType<typeof import('./player-words.js').wordsFor>} Words */
/** @typedef {keyof typeof playerIcons} Icon */

// A button with only an icon has a name, for screen readers and as a tooltip.
/** @param {() => unknown} action */
function iconButton(action) {
  const node = h('button', { type: 'button', part: 'button', on: { click: action } })
  return Object.assign(node, {
    /** @param {Icon} icon @param {string} name */
    show(icon, name) {
      if (node.title === name) return
      node.replaceChildren(drawing(playerIcons[icon]))
      node.title = name
      node.setAttribute('aria-label', name)
    },
  })
}

export class PlayerControls {
  /** @type {Player | null} */
  player = null
  #shown = '' // the qualities in the list

  // `host` is what becomes full screen.
  /** @param {{ host: HTMLElement, video: HTMLVideoElement, words: Words }} given */
  constructor({ host, video, words }) {
    this.host = host
    this.video = video
    this.words = words
    this.sound = h('button', { type: 'button', class: 'sound', part: 'sound', on: { click: () => this.mute(false) } }, words.sound)
    this.live = h('span', { class: 'live', part: 'live' }, words.live)
    this.behind = h('span', { class: 'behind', part: 'behind' })
    this.missing = h('span', { class: 'missing', part: 'missing' })
    this.toggle = iconButton(() => this.#togglePause())
    this.speaker = iconButton(() => this.mute(!video.muted))
    /** @type {HTMLInputElement} */
    this.volume = h('input', { type: 'range', min: 0, max: 1, step: 0.05, class: 'volume', part: 'volume', 'aria-label': words.volume, on: { input: () => this.#setVolume(Number(this.volume.value)) } })
    /** @type {HTMLSelectElement} */
    this.quality = h('select', { class: 'quality', part: 'quality', 'aria-label': words.quality, title: words.quality, on: { change: () => this.player?.choose(Number(this.quality.value)) } })
    this.inset = iconButton(() => this.#toggleInset())
    this.wide = iconButton(() => this.#toggleFull())
    this.inset.show('inset', words.inset)
    this.wide.show('wide', words.full)
    this.inset.hidden = !document.pictureInPictureEnabled
    this.wide.hidden = !document.fullscreenEnabled && !('webkitEnterFullscreen' in video)
    this.bar = h('div', { class: 'bar', part: 'bar', role: 'group', 'aria-label': words.player }, this.toggle, this.speaker, this.volume, this.live, this.behind, this.missing,
      h('span', { class: 'spacer' }), this.quality, this.inset, this.wide)
    const kept = Number(stored() ?? 1)
    video.volume = kept >= 0 && kept <= 1 ? kept : 1
  }

  draw() {
    const { player, video, words } = this
    const isPlaying = player?.state === 'playing'
    const isPaused = Boolean(player?.paused)
    this.sound.hidden = !video.muted || !isPlaying
    this.toggle.show(isPaused ? 'play' : 'pause', isPaused ? words.play : words.pause)
    this.speaker.show(video.muted ? 'sound-off' : 'sound', video.muted ? words.unmute : words.mute)
    if (!this.volume.matches(':focus')) this.volume.value = String(video.muted ? 0 : video.volume)
    this.live.hidden = !isPlaying || isPaused
    const qualities = player?.qualities ?? []
    this.quality.hidden = qualities.length < 2
    const key = qualities.map(each => `${each.name} ${each.height}`).join()
    if (this.#shown !== key) {
      this.#shown = key
      this.quality.replaceChildren(...qualities.map((each, index) => h('option', { value: index }, index ? `${Math.min(each.width ?? 0, each.height ?? 0)}p` : each.name === 'auto' ? words.auto : words.original)))
    }
    this.quality.value = String(player?.quality ?? 0)
  }

  // What changes without an event.
  measure() {
    const { latency, method, paused, missing } = this.player ?? { missing: [] }
    say(this.behind, latency === undefined || paused ? '' : this.words.behind(latency < 0.1 ? '< 0.1' : latency.toFixed(1)))
    attribute(this.behind, 'title', method ? { whep: 'WebRTC', hls: 'HLS', flv: 'HTTP-FLV', native: 'HLS' }[method] : null)
    say(this.missing, missing.length ? this.words.notInHLS(missing.join(', ')) : '')
  }

  /** @param {boolean} isMuted */
  mute(isMuted) {
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

  #togglePause() {
    if (this.player?.paused) this.player.play()
    else this.player?.pause()
  }

  async #toggleFull() {
    if (document.fullscreenElement) return document.exitFullscreen()
    if (document.fullscreenEnabled) return this.host.requestFullscreen().catch(() => {})
    const video = /** @type {any} */ (this.video)
    video.webkitEnterFullscreen?.() // phones with Safari: only the video
  }

  async #toggleInset() {
    if (document.pictureInPictureElement) return document.exitPictureInPicture()
    await this.video.requestPictureInPicture().catch(() => {})
  }

  // A key on the picture, or on a control that has no use for the key.
  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLSelectElement) return
    const isOnControl = event.target instanceof HTMLButtonElement || event.target instanceof HTMLInputElement
    const step = event.key === 'ArrowUp' ? 0.1 : event.key === 'ArrowDown' ? -0.1 : 0
    if (event.key === 'k' || (event.key === ' ' && !isOnControl)) this.#togglePause()
    else if (event.key === 'm') this.mute(!this.video.muted)
    else if (event.key === 'f') this.#toggleFull()
    else if (event.key === 'i' && !this.inset.hidden) this.#toggleInset()
    else if (step && !isOnControl) this.#setVolume(Math.min(1, Math.max(0, (this.video.muted ? 0 : this.video.volume) + step)))
    else return
    event.preventDefault()
  }
}

function stored() {
  try { return localStorage.getItem(VOLUME) } catch { return null }
}
