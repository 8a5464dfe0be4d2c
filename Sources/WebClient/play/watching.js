// Asks the server again and again what is live, as long as somebody watches.

const HOPS = 3 // from one draining server to the next
const GRACE = 20_000 // milliseconds in which a host may return to a draining server

/**
 * A size of the picture to choose.
 * @typedef {{ name: string, width?: number, height?: number }} Quality
 */
/**
 * What somebody said to all in the room: a text, or a gift of a type and a count.
 * @typedef {{ seq: number, user: string, kind: string, text?: string, type?: string, count?: number, at: number }} WatchMessage
 */
/**
 * The answer of `GET /v1/watch/…`.
 * @typedef {object} WatchState
 * @property {number} at Milliseconds since 1970.
 * @property {number} startedAt When the server started.
 * @property {boolean} isLive
 * @property {string} [whep] Like the others, a path of the server.
 * @property {Array<{ encodingId: string, width: number, height: number }>} [layers]
 * @property {Array<Quality & { flv?: string, hls?: string, notInHLS?: string[] }>} sources
 * @property {number} [viewers]
 * @property {WatchMessage[]} [messages]
 * @property {number} poll Milliseconds until the next request.
 * @property {string} [redirect]
 * @property {string[]} [alternatives] Of the header Roomserver-Alternatives.
 */

/**
 * An error of the server, with the status of its answer; or the reason that there is none.
 * @typedef {Error & { status?: number, code?: number }} Refusal
 */

// Whether an answer has the form that a player depends on.
/** @param {any} body @returns {body is WatchState} */
function isState(body) {
  const isList = (/** @type {unknown} */ list) => list === undefined || Array.isArray(list) && list.every(each => each && typeof each === 'object')
  return Boolean(body) && Number.isFinite(body.at) && typeof body.isLive === 'boolean' && Array.isArray(body.sources) && Number.isFinite(body.poll)
    && [body.sources, body.layers, body.messages].every(isList)
}

export class Watching {
  // `path` is `{room}` or `{app}/{stream}` with its query; `received` gets each answer, `refused` each error. A viewer whose
  // server drains moves to the server that is named: `site.server` changes.
  /** @param {{ path: string, site: { server: import('./server.js').Server }, token: () => Promise<string | null>, received(state: WatchState, trip: number): void, refused(error: Refusal, hasToken: boolean): void }} given */
  constructor({ path, site, token, received, refused }) {
    this.site = site
    this.hops = 0
    this.lastLive = -Infinity
    this.path = path
    this.token = token
    this.received = received
    this.refused = refused
    this.after = 0 // the last message
    this.again = false // whether to ask again as soon as the answer is there
    this.program = false // whether the server must make a stream for this viewer
    this.onShow = () => { if (!document.hidden) this.#ask() }
    document.addEventListener('visibilitychange', this.onShow)
    this.#ask()
  }

  // Asks for a stream that the server makes for viewers without WebRTC, now and as long as this page is open.
  wantProgram() {
    this.program = true
    if (this.isAsking) this.again = true
    else this.#ask()
  }

  async #ask() {
    if (this.isAsking || this.isClosed) return
    this.isAsking = true
    clearTimeout(this.timer)
    let wait = 2000
    /** @type {string | null} */
    let token = null
    try {
      token = await this.token()
      const began = performance.now()
      const answer = await fetch(`${this.site.server.base}/v1/watch/${this.path}${this.path.includes('?') ? '&' : '?'}after=${this.after}${this.program ? '&program=true' : ''}`, {
        headers: token ? { Authorization: `Bearer ${token}` } : {}, signal: /** @type {any} */ (AbortSignal).timeout?.(8000),
      })
      const body = await answer.json()
      if (this.isClosed) return
      if (!answer.ok) throw Object.assign(new Error(body?.message), { status: answer.status, code: body?.code })
      if (!isState(body)) throw new Error('The answer of the server is not a state to watch.')
      for (const message of body.messages ?? []) this.after = Math.max(this.after, message.seq || 0)
      wait = Math.max(100, body.poll)
      const now = performance.now()
      if (body.isLive) this.lastLive = now
      this.redirect = body.redirect
      body.alternatives = answer.headers.get('Roomserver-Alternatives')?.split(' ')
      if (!body.isLive && now - this.lastLive > GRACE && this.#move()) wait = 0
      else this.received(body, now - began)
    } catch (error) {
      if (this.isClosed) return
      if (!error.status && this.#move()) wait = 0
      this.refused(error, Boolean(token))
    } finally {
      this.isAsking = false
      if (this.again) wait = 0
      this.again = false
      // Many pages ask at different times.
      if (!this.isClosed) this.timer = setTimeout(() => this.#ask(), wait * (0.85 + Math.random() * 0.3))
    }
  }

  // Moves to the server that takes over, if one is known. Viewers of a show stay until it or the server ends.
  #move() {
    const next = this.hops < HOPS ? this.site.server.next(this.redirect) : null
    if (!next) return false
    this.site.server = next
    this.hops += 1
    this.after = 0
    this.redirect = undefined
    return true
  }

  close() {
    this.isClosed = true
    clearTimeout(this.timer)
    document.removeEventListener('visibilitychange', this.onShow)
  }
}
