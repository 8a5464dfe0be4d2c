// The REST API (api/openapi.yaml).
import { RoomError } from './errors.js'
import { here } from './server.js'
import { text } from './text.js'

// TypeScript 4.8 does not know this method.
/** @type {(milliseconds: number) => AbortSignal} */
const after = milliseconds => /** @type {any} */ (AbortSignal).timeout(milliseconds)

/** @typedef {Record<string, string | number | undefined>} Names */

// '/v1/rooms/{room}/state' with its names.
/** @param {string} path @param {Names} [names] */
function filled(path, names = {}) {
  const query = new Map(Object.entries(names).filter(([, value]) => value).map(([name, value]) => [name, String(value)]))
  const place = path.replace(/\{(\w+)\}/g, (_, name) => {
    query.delete(name)
    return encodeURIComponent(names[name] ?? '')
  })
  return query.size ? `${place}?${new URLSearchParams([...query])}` : place
}

// The names of a stream in the API, by its path at the origin.
/** @param {string} path */
export function ofStream(path) {
  const [app, ...stream] = path.split('/')
  return { app, stream: stream.join('/') }
}

// A token for an operator, who counts as no viewer: a hidden host.
/** @param {Api} api @param {string} room */
export const lookingToken = (api, room) => () => api.roomToken(room, `console-${crypto.randomUUID().slice(0, 8)}`, ['subscribe', 'hidden', 'admin'])

export class Api {
  #where
  /** @type {RoomError | null} */
  refused = null // why the server no longer accepts the token

  // `expired` is called when the token is no longer valid. Requests go to the server that the console uses, or always to
  // `server`.
  /** @param {string} token @param {(error: RoomError) => void} expired @param {Server | null} [where] */
  constructor(token, expired, where = null) {
    this.token = token
    this.expired = expired
    this.#where = where
  }

  // A newer token continues the work of an expired one.
  /** @param {string} token */
  renew(token) {
    this.token = token
    this.refused = null
  }

  // The same API at another server, which may not know the token.
  /** @param {Server} server @returns {Api} */
  at(server) { return server === here() ? this : new Api(this.token, () => {}, server) }

  // Returns what the server answers to a GET. `names` fills the path; the rest of them is the query, without empty values.
  /** @template {keyof Wire.Answers} P @param {P} path @param {Names} [names] @returns {Promise<Wire.Answers[P]>} */
  get(path, names) { return this.send('GET', path, names) }

  // All rooms, page by page.
  async rooms() {
    /** @type {Wire.Room[]} */
    const rooms = []
    /** @type {string | undefined} */
    let after
    do {
      /** @type {Wire.RoomList} */
      const page = await this.get('/v1/rooms', { after })
      rooms.push(...page.rooms)
      after = page.next
    } while (after)
    return rooms
  }

  /** @param {string} room @param {string} user @param {Wire.Grant[]} grants @param {number} [ttl] In seconds. @returns {Promise<string>} */
  roomToken(room, user, grants, ttl = 3600) { return this.send('POST', '/v1/tokens', {}, { room, user, grants, ttl }).then(answer => answer.token) }

  // Sends a request of api/openapi.yaml; `body` is JSON or a file.
  /** @param {string} method @param {string} path @param {Names} [names] @param {object} [body] @returns {Promise<Data>} */
  async send(method, path, names, body) {
    if (this.refused) throw this.refused
    /** @type {Record<string, string>} */
    const headers = { Authorization: `Bearer ${this.token}` }
    const isFile = body instanceof Blob
    if (body) headers['Content-Type'] = isFile ? body.type : 'application/json'
    let response
    try {
      response = await fetch((this.#where ?? here()).base + filled(path, names), { method, headers, body: isFile ? body : body && JSON.stringify(body), cache: 'no-store', signal: after(10_000) })
    } catch {
      throw new RoomError({ code: 0, name: 'unreachable', message: text.common.unreachable })
    }
    if (response.ok) return response.status === 204 ? null : response.json()
    const error = await response.json().catch(() => null)
    const refusal = new RoomError(error ?? { code: 0, name: 'unknown', message: text.common.answered(response.status) }, response.status)
    if (response.status === 401) {
      this.refused = refusal
      this.expired(refusal)
    }
    throw refusal
  }
}

// Calls `ask` repeatedly, one call at a time, and only while the page is visible. Returns a function that stops it.
/** @param {number} interval @param {() => Promise<void>} ask @param {(error: Failure) => void} failed */
export function poll(interval, ask, failed) {
  /** @type {number} */
  let timer
  let running = true
  const turn = async () => {
    if (!document.hidden) {
      try { await ask() } catch (error) { if (running) failed(error) }
    }
    if (running) timer = setTimeout(turn, interval)
  }
  turn()
  return () => {
    running = false
    clearTimeout(timer)
  }
}
