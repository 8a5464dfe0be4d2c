// The way to the server that has the session: one socket after the other, at as many servers as necessary (api/signalling.md §3).
import { ConnectionLost } from './errors.js'
import { followed } from './server.js'
import { Signalling } from './signalling.js'

// Milliseconds for which a lost connection is retried.
const PATIENCE = 120_000
// Milliseconds in which the server confirms that we leave.
const FAREWELL = 2000
const WAITS = { first: 250, longest: 5000, growth: 1.5 }
// Milliseconds in which a socket opens after a lost connection, at first. TCP repeats its first packet ever more rarely, so a new socket
// learns sooner that the network is back; a slow network gets more time with each try.
const OPENING = { first: 4000, longest: 15_000 }
// Codes of the server after which a join is tried again: it was not reached, or too many join at once.
const PASSING = [0, 80101]

export class Link {
  /** @type {'joining' | 'joined' | 'reconnecting' | 'ended'} */
  state = 'joining'
  /** @type {Signalling | null} */
  signalling = null
  /** @type {string | undefined} */
  #sessionId
  /** @type {string[]} */
  #alternatives = [] // the signalling URLs of servers at which the session can continue
  #isMoving = false
  #wasIn = false
  #opening = OPENING.longest
  #over = new AbortController()

  // `server` may change. `params()` returns the parameters of a join, with a `since` that counts only for a session that
  // resumes. `joined(result, again)` receives each answer, `received(event, data, seq)` each event, `broken(error)` each malformed
  // message, `lost()` is called when a connection is lost, and `failed(reason, error)` when retries end.
  /** @param {LinkGiven} given */
  constructor(given) {
    this.given = given
    this.server = given.server
  }

  /** @param {string} method @param {object} [params] @returns {Promise<Data>} */
  request(method, params) { return this.signalling ? this.signalling.request(method, params) : Promise.reject(new ConnectionLost()) }

  // Joins; changes to the server that a drained server names.
  async connect() { this.server = await followed(this.server, server => this.#joinAt(server)) }

  // Leaves the room. The server may close the socket first, or be away.
  async leave() {
    await Promise.race([this.request('leave').catch(() => {}), new Promise(resolve => setTimeout(resolve, FAREWELL))])
  }

  // Ends for good: nothing is retried or reported from now on.
  close() {
    this.state = 'ended'
    this.#over.abort()
    const { signalling } = this
    this.signalling = null
    signalling?.close()
  }

  // Joins at a server. With `continues` the session continues there.
  /** @param {Server} server @param {boolean} [continues] */
  async #joinAt(server, continues = server === this.server) {
    const { given } = this
    const { since, ...params } = await given.params(server)
    if (this.state === 'ended') throw new ConnectionLost()
    /** @type {Signalling} */
    const signalling = new Signalling(server.signal, {
      received: (event, data, seq) => signalling === this.signalling && this.#received(event, data, seq),
      closed: () => this.#lost(signalling), broken: given.broken,
    })
    // While the session moves, the old server answers until the new one does.
    if (!this.#isMoving) this.signalling = signalling
    const timer = setTimeout(() => signalling.close(), this.#opening)
    await signalling.opened.finally(() => clearTimeout(timer))
    this.signalling = signalling
    const resume = continues && this.#sessionId
    /** @type {Joined} */
    const joined = await signalling.request('join', { version: 1, moves: true, ...params, ...(resume && { resume, since }) })
    signalling.ping(joined.pingInterval)
    this.server = server
    const again = this.#wasIn
    this.#wasIn = true
    this.#sessionId = joined.sessionId
    this.state = 'joined'
    given.joined(joined, again)
  }

  /** @param {Signalling} signalling */
  #lost(signalling) {
    if (signalling !== this.signalling) return
    this.signalling = null
    if (this.state !== 'joined') return
    this.state = 'reconnecting'
    this.given.lost()
    this.#reconnect()
  }

  /** @param {string} event @param {Data} data @param {number} [seq] */
  #received(event, data, seq) {
    if (event === 'alternatives') {
      this.#alternatives = data.urls
      if (data.leave) this.#move()
    } else if (event === 'ended' && data.reason === 'serverStopping') {
      this.#sessionId = undefined // the next server does not know the session
      this.server = this.server.next(data.redirect) ?? this.server
      this.signalling?.close()
    } else {
      this.given.received(event, data, seq)
    }
  }

  get #isOver() { return this.state === 'ended' }

  // Continues at another server, because this one ends; it serves until then.
  async #move() {
    if (this.#isMoving || this.state !== 'joined') return
    this.#isMoving = true
    const before = this.signalling
    for (const next of this.#others()) {
      try {
        await this.#joinAt(next, true)
        before?.close()
        break
      } catch {
        if (this.#isOver) return
        this.signalling = before
      }
    }
    this.#isMoving = false
    if (this.signalling?.isOver) this.#lost(this.signalling)
  }

  // The servers at which the session can continue.
  #others() {
    return this.#alternatives.flatMap(url => this.server.next(url) ?? []).filter(({ signal }) => signal !== this.server.signal)
  }

  async #reconnect() {
    const since = Date.now()
    const others = this.#others()
    let tried = since
    this.#opening = OPENING.first
    for (let pause = WAITS.first; this.state === 'reconnecting'; pause = Math.min(pause * WAITS.growth, WAITS.longest)) {
      // From the begin of the last try: a try that took long is not followed by a long wait too.
      await this.#wait(Math.max(WAITS.first, pause - (Date.now() - tried)))
      if (this.state !== 'reconnecting') return
      tried = Date.now()
      try {
        await this.connect()
      } catch (error) {
        if (this.state !== 'reconnecting') return
        this.signalling = null
        const next = error.code ? undefined : others.shift()
        if (next && await this.#joinAt(next, true).then(() => true, () => false)) return
        this.signalling = null
        this.#opening = Math.min(this.#opening * WAITS.growth, OPENING.longest)
        // Permanent: the token is invalid or the room is closed.
        if (error.code && !PASSING.includes(error.code)) return this.given.failed('refused', error)
        if (Date.now() - since > PATIENCE) return this.given.failed('connectionLost', error)
      }
    }
  }

  // Waits; the network's return and the end of the link end a wait.
  /** @param {number} milliseconds @returns {Promise<void>} */
  #wait(milliseconds) {
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer)
        removeEventListener('online', done)
        this.#over.signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, milliseconds)
      addEventListener('online', done)
      this.#over.signal.addEventListener('abort', done)
    })
  }
}
