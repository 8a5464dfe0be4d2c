// Adds to a score. What is added before the server has answered is sent as one sum.

const PAUSE = 150 // ms between two requests

export class ScoreSum {
  #send
  /** @type {number | null} */
  #wanted = null // what the server does not have yet
  /** @type {Promise<void> | null} */
  #sending = null

  // `send` sets the score at the server.
  /** @param {(score: number) => Promise<unknown>} send */
  constructor(send) { this.#send = send }

  // Takes the score that the server reports; undefined without a PK.
  /** @param {number} [score] */
  settle(score) { if (score === undefined || score === this.#wanted) this.#wanted = null }

  // `score` is the last one that the server has reported.
  /** @param {number} points @param {number} score */
  add(points, score) {
    this.#wanted = (this.#wanted ?? score) + points
    return this.#sending ??= this.#sendAll().finally(() => { this.#sending = null })
  }

  async #sendAll() {
    for (let sent; this.#wanted !== null && this.#wanted !== sent;) {
      if (sent !== undefined) await new Promise(resolve => setTimeout(resolve, PAUSE))
      sent = this.#wanted
      try { await this.#send(sent) } catch (error) {
        this.#wanted = null
        throw error
      }
    }
  }
}
