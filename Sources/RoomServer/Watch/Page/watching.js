// Asks the server again and again what is live, as long as somebody watches.
import { here } from './server.js'

export class Watching {
  // `path` is `{room}` or `{app}/{stream}` with its query; `received` gets each answer, `refused` each error.
  /** @param {{ path: string, token?: () => Promise<string | null>, received(state: WatchState, trip: number): void, refused(error: Failure): void }} given */
  constructor({ path, token = async () => null, received, refused }) {
    this.path = path
    this.token = token
    this.received = received
    this.refused = refused
    this.after = 0 // the last message
    this.onShow = () => { if (!document.hidden) this.#ask() }
    document.addEventListener('visibilitychange', this.onShow)
    this.#ask()
  }

  async #ask() {
    if (this.isAsking || this.isClosed) return
    this.isAsking = true
    clearTimeout(this.timer)
    let wait = 2000
    try {
      const token = await this.token()
      const began = performance.now()
      const answer = await fetch(`${here().base}/v1/watch/${this.path}${this.path.includes('?') ? '&' : '?'}after=${this.after}`, {
        headers: token ? { Authorization: `Bearer ${token}` } : {}, signal: /** @type {any} */ (AbortSignal).timeout?.(8000),
      })
      const body = await answer.json()
      if (this.isClosed) return
      if (!answer.ok) throw Object.assign(new Error(body.message), { status: answer.status })
      for (const message of body.messages ?? []) this.after = Math.max(this.after, message.seq)
      wait = body.poll
      this.received(body, performance.now() - began)
    } catch (error) {
      if (this.isClosed) return
      this.refused(error)
    } finally {
      this.isAsking = false
      // Many pages ask at different times.
      if (!this.isClosed) this.timer = setTimeout(() => this.#ask(), wait * (0.85 + Math.random() * 0.3))
    }
  }

  close() {
    this.isClosed = true
    clearTimeout(this.timer)
    document.removeEventListener('visibilitychange', this.onShow)
  }
}
