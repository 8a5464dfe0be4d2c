// The audience's side of the web client: plays what a room or a stream shows in a video element.
import { address } from './address.js'
import { Playing } from './playing.js'
import { Watching } from './watching.js'

/** @typedef {import('./watching.js').Quality} Quality */
/** @typedef {import('./watching.js').WatchMessage} WatchMessage */

/**
 * - `connecting`: the server has not answered, or the first picture is awaited.
 * - `offline`: nothing is live; the player begins by itself.
 * - `playing`, `reconnecting`
 * - `unplayable`: no method shows a picture; the player tries again every 5 s.
 * - `refused`: the viewer may not watch, or the room or stream can't exist.
 * - `lost`: the server does not answer; the player asks again.
 * @typedef {'connecting' | 'offline' | 'playing' | 'reconnecting' | 'unplayable' | 'refused' | 'lost'} PlayerState
 */

/** Why nothing plays. */
export class PlayerError extends Error {
  /**
   * @param {'codec' | 'network' | 'permission' | 'token' | 'server'} reason
   * @param {string} message
   * @param {{ status?: number, code?: number }} [answer]
   */
  constructor(reason, message, answer = {}) {
    super(message)
    this.name = 'PlayerError'
    /** `token`: the token has expired or is revoked, such as by a kick; `permission`: there is none, or it allows nothing. */
    this.reason = reason
    /** The HTTP status of the answer, if there is one. */
    this.status = answer.status
    /** The stable code of the server's error, if there is one. */
    this.code = answer.code
  }
}

const UNPLAYABLE = { codec: 'The browser lacks the codecs.', network: 'The network carries no media.', permission: 'The server refuses the media.', offline: 'Nothing is live.' }

/**
 * Plays a room's program or a stream in a video element, by the first method that works: WebRTC (WHEP), HLS with parts, HTTP-FLV, the
 * browser's own HLS. It begins at once, and again after each loss, until it is closed.
 *
 * Events: `change` for any property; `error`, an ErrorEvent whose `error` is a PlayerError; `message`, a MessageEvent whose `data` is
 * a {@link WatchMessage} of the room, if the room shows them to viewers.
 *
 * A browser permits no sound before the viewer has touched the page: a player that may not sound mutes its video.
 */
export class Player extends EventTarget {
  /** The element in which it plays. */
  video
  /**
   * Why nothing plays; null if there is no error.
   * @type {PlayerError | null}
   */
  error = null
  /**
   * How many watch; undefined if the server does not say.
   * @type {number | undefined}
   */
  viewers
  /** Whether the room shows its messages to viewers. */
  hasChat = false

  /** @type {Playing} */
  #playing
  /** @type {Watching | undefined} */
  #watching
  #path = ''
  #isAnswered = false // the server has said whether something is live
  /** @type {PlayerError | undefined} */
  #refusal // the server's last answer, or that there is none
  /** @type {Set<string>} */
  #reported = new Set()
  #site
  #problem = '' // the last one that an event named

  /**
   * @param {HTMLVideoElement} video
   * @param {object} options
   * @param {string} options.src The URL of a watch page, `https://host/watch/{room}` or `https://host/watch/{app}/{stream}`; or of a
   *   stream: of WHEP, or one that ends with `.m3u8` or `.flv`.
   * @param {string | null | (() => string | null | Promise<string | null>)} [options.token] A room token that may subscribe, or what
   *   returns one before each request; by default the one in the URL. A public room needs none.
   * @throws {TypeError} if `src` is no such URL.
   */
  constructor(video, { src, token }) {
    super()
    this.video = video
    const found = address(src)
    this.#site = { server: found.server }
    const mint = async () => (typeof token === 'function' ? await token() : token) ?? ('token' in found ? found.token : null)
    this.#playing = new Playing(video, this.#site, mint)
    this.#playing.addEventListener('change', () => this.#changed())
    if ('stream' in found) {
      const { whep, ...urls } = found.stream
      this.#isAnswered = true
      this.#playing.update({ at: Date.now(), startedAt: 0, isLive: true, whep, sources: whep ? [] : [{ name: 'source', ...urls }], poll: 0 })
      return
    }
    this.#path = found.path
    const watching = this.#watching = new Watching({
      path: found.path, site: this.#site, token: mint, received: (state, trip) => this.#received(state, trip), refused: (error, hasToken) => this.#refused(error, hasToken),
    })
    this.#playing.addEventListener('program', () => watching.wantProgram())
  }

  /** What the player does.
   * @returns {PlayerState} */
  get state() {
    const { status } = this.#playing
    if (this.#refusal && this.#refusal.reason !== 'server') return 'refused'
    if (this.#refusal && (status === 'offline' || status === 'unplayable')) return 'lost'
    return status === 'offline' && !this.#isAnswered ? 'connecting' : status
  }

  /** The method that plays; null if nothing plays. */
  get method() { return this.#playing.status === 'playing' ? this.#playing.source?.kind ?? null : null }

  /** Seconds from capture to the screen, or behind the newest picture received, if the stream does not say more; undefined if nothing plays. */
  get latency() { return this.#playing.latency }

  /**
   * What {@link choose} chooses from. By WebRTC the first one, `auto`, is the best that the network carries.
   * @returns {Quality[]}
   */
  get qualities() { return this.#playing.qualities }
  /** The index of the chosen one. */
  get quality() { return this.#playing.quality }
  /** Chooses a quality by its index in `qualities`; 0 is the first.
   * @param {number} index */
  choose(index) { this.#playing.choose(index) }

  /**
   * The codecs of the stream that the method does not carry.
   * @returns {string[]}
   */
  get missing() { return this.#playing.missing }

  /** Whether the viewer has paused it. */
  get paused() { return this.#playing.isPaused }
  /** Continues after a pause, with what is live now. */
  play() { this.#playing.pause(false) }
  /** Pauses. */
  pause() { this.#playing.pause(true) }

  /** Ends it, and what it has in the video element. */
  close() {
    this.#watching?.close()
    this.#playing.close()
  }

  /** @param {import('./watching.js').WatchState} state @param {number} trip */
  #received(state, trip) {
    this.#isAnswered = true
    this.#refusal = undefined
    this.viewers = state.viewers
    this.hasChat = Boolean(state.messages)
    this.#playing.update(state, trip)
    for (const data of state.messages ?? []) this.dispatchEvent(new MessageEvent('message', { data }))
  }

  /** @param {import('./watching.js').Refusal} error @param {boolean} hasToken */
  #refused(error, hasToken) {
    // What plays continues when its link expires during the show.
    if (error.status && this.#playing.status === 'playing') return
    const isFinal = error.status === 401 || error.status === 403 || error.status === 404
    const reason = !isFinal ? 'server' : error.status === 401 && hasToken ? 'token' : 'permission'
    this.#refusal = new PlayerError(reason, error.message, error)
    if (isFinal) {
      this.#playing.refuse()
      this.#report('permission')
      // What plays over WebRTC may play on.
    } else if (!error.status) this.#playing.lose()
    this.#changed()
  }

  #changed() {
    const { state } = this
    const { reason, hasPlayed, status } = this.#playing
    this.error = state === 'refused' || state === 'lost' ? this.#refusal ?? null
      : state === 'unplayable' ? new PlayerError(reason === 'offline' ? 'network' : reason, UNPLAYABLE[reason]) : null
    if (status === 'unplayable') this.#report(reason)
    else if (state === 'offline' && !hasPlayed) this.#report('offline')
    this.dispatchEvent(new Event('change'))
    const problem = this.error ? `${state} ${this.error.message}` : ''
    if (this.error && problem !== this.#problem) this.dispatchEvent(new ErrorEvent('error', { error: this.error, message: this.error.message }))
    this.#problem = problem
  }

  // Reports to the server why this viewer sees nothing: each reason once.
  /** @param {import('./unplayable.js').Reason} reason */
  #report(reason) {
    if (!this.#path || this.#reported.has(reason)) return
    this.#reported.add(reason)
    fetch(`${this.#site.server.base}/v1/watch-failures`, {
      method: 'POST', body: JSON.stringify({ reason, path: this.#path.split('?')[0] }), headers: { 'Content-Type': 'application/json' },
    }).catch(() => {})
  }
}
