// Asks the server again and again what is live, as long as somebody watches.
import { here, settle } from './server.js'

const HOPS = 3 // from one draining server to the next
const GRACE = 20_000 // milliseconds in which a host may return to a draining server

export class Watching {
  // `path` is `{room}` or `{app}/{stream}` with its query; `received` gets each answer, `refused` each error. With
  // `follows` the page moves to the server that a draining one names.
  /** @param {{ path: string, follows?: boolean, token?: () => Promise<string | null>, received(state: WatchState, trip: number): void, refused(error: Failure): void }} given */
  constructor({ path, follows = false, token = async () => null, received, refused }) {
    this.follows = follows
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
    try {
      const token = await this.token()
      const began = performance.now()
      const answer = await fetch(`${here().base}/v1/watch/${this.path}${this.path.includes('?') ? '&' : '?'}after=${this.after}${this.program ? '&program=true' : ''}`, {
        headers: token ? { Authorization: `Bearer ${token}` } : {}, signal: /** @type {any} */ (AbortSignal).timeout?.(8000),
      })
      const body = await answer.json()
      if (this.isClosed) return
      if (!answer.ok) throw Object.assign(new Error(body.message), { status: answer.status })
      for (const message of body.messages ?? []) this.after = Math.max(this.after, message.seq)
      wait = body.poll
      const now = performance.now()
      if (body.isLive) this.lastLive = now
      this.redirect = body.redirect
      body.alternatives = answer.headers.get('Roomserver-Alternatives')?.split(' ')
      if (!body.isLive && now - this.lastLive > GRACE && this.#move()) wait = 0
      else this.received(body, now - began)
    } catch (error) {
      if (this.isClosed) return
      if (!error.status && this.#move()) wait = 0
      this.refused(error)
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
    const next = this.follows && this.hops < HOPS ? here().next(this.redirect) : null
    if (!next) return false
    settle(next)
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
