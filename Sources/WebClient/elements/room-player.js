// <room-player src="https://host/watch/room" controls muted>: a player with its controls.
import { attribute, define, h, shadow } from './markup.js'
import { PlayerControls } from './player-controls.js'
import { style } from './player-style.js'
import { wordsFor } from './player-words.js'
import { Player, PlayerError } from './roomplayer.js'

/** @typedef {string | null | (() => string | null | Promise<string | null>)} Token */

const CALM = 2500 // milliseconds for which a movement shows the controls

/**
 * A player. Attributes: `src` and `token` as of {@link Player}, `muted`, `controls`, and `aria-label`, its name for screen readers.
 * The element sets `state`, a PlayerState, and `method` while it plays. Events: `change`, `error` and `message` of the player.
 */
export class RoomPlayer extends (globalThis.HTMLElement ?? /** @type {typeof HTMLElement} */ (class {})) {
  static get observedAttributes() { return ['src', 'token', 'muted', 'controls'] }

  /**
   * What plays; null while the element is in no document, or has no `src` that can be played.
   * @type {Player | null}
   */
  player = null

  /** @type {Token} */
  #token = null
  #isOpening = false
  /** @type {(() => void) | undefined} */
  #end

  /** @returns {Token} */
  get token() { return this.#token }
  /** A token, or a function that returns one before each request. */
  set token(token) { this.#token = token }

  get src() { return this.getAttribute('src') ?? '' }
  set src(src) { this.setAttribute('src', src) }
  get muted() { return this.hasAttribute('muted') }
  set muted(isMuted) { this.toggleAttribute('muted', isMuted) }
  get controls() { return this.hasAttribute('controls') }
  set controls(hasControls) { this.toggleAttribute('controls', hasControls) }

  connectedCallback() { this.#open() }
  disconnectedCallback() { this.#close() }

  /** @param {string} name @param {string | null} before @param {string | null} now */
  attributeChangedCallback(name, before, now) {
    if (before === now) return
    if (name === 'token') this.#token = now
    else if (name === 'src') this.#open()
    else if (name === 'muted' && this.player) this.player.video.muted = now !== null
    else this.#draw()
  }

  #draw = () => {}

  // Once for all attributes that a page sets at a time.
  #open() {
    if (this.#isOpening) return
    this.#isOpening = true
    queueMicrotask(() => {
      this.#isOpening = false
      this.#close()
      if (this.isConnected && this.src) this.#show()
    })
  }

  #show() {
    const words = wordsFor(this)
    const name = this.getAttribute('aria-label') ?? words.player
    const video = h('video', { part: 'video', 'aria-label': name, playsinline: true, muted: this.muted, set: { autoplay: true, muted: this.muted } })
    const controls = new PlayerControls({ host: this, video, words })
    const note = h('div', { class: 'note', part: 'note', role: 'status' })
    /** @type {number | undefined} */
    let calm
    // Shows the controls for a while.
    const stir = () => {
      screen.classList.add('stirred')
      clearTimeout(calm)
      calm = setTimeout(() => screen.classList.remove('stirred'), CALM)
    }
    const screen = h('div', {
      class: 'screen', tabindex: 0, role: 'region', 'aria-label': name,
      on: { keydown: event => { if (this.controls) controls.press(event) }, pointermove: stir, pointerdown: stir, focusin: stir },
    }, video, note, controls.sound, controls.bar)
    const root = this.shadowRoot ?? shadow(this, style)
    root.replaceChildren(screen)

    /** @type {Player | undefined} */
    let player
    this.#draw = () => {
      const state = player?.state ?? 'refused'
      attribute(this, 'state', state)
      attribute(this, 'method', player?.method ?? null)
      const [title, hint = ''] = state === 'playing' ? ['']
        : state === 'unplayable' || state === 'refused' ? words.reasons[player?.error?.reason ?? 'source'] : words[state]
      if (note.textContent !== title + hint) note.replaceChildren(h('b', {}, title), h('span', {}, hint))
      note.hidden = !title
      controls.bar.hidden = !this.controls
      controls.draw()
      if (!this.controls) controls.sound.hidden = true
    }
    try {
      player = new Player(video, { src: this.src, token: async () => typeof this.#token === 'function' ? this.#token() : this.#token })
    } catch (error) {
      this.#draw()
      const problem = new PlayerError('permission', error.message)
      this.dispatchEvent(new ErrorEvent('error', { error: problem, message: problem.message }))
      return
    }
    this.player = controls.player = player
    player.addEventListener('change', () => {
      this.#draw()
      this.dispatchEvent(new Event('change'))
    })
    player.addEventListener('error', event => {
      const { error, message } = /** @type {ErrorEvent} */ (event)
      this.dispatchEvent(new ErrorEvent('error', { error, message }))
    })
    player.addEventListener('message', event => { this.dispatchEvent(new MessageEvent('message', { data: /** @type {MessageEvent} */ (event).data })) })
    video.addEventListener('volumechange', () => this.#draw())
    const timer = setInterval(() => controls.measure(), 500)
    this.#end = () => {
      clearInterval(timer)
      clearTimeout(calm)
      player?.close()
    }
    this.#draw()
    stir()
  }

  #close() {
    this.#end?.()
    this.#end = undefined
    this.player = null
    this.#draw = () => {}
  }
}

define('room-player', RoomPlayer)
