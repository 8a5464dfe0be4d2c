// The REST API (api/openapi.yaml).
import { RoomError } from './errors.js'
import { here } from './server.js'
import { text } from './text.js'

// TypeScript 4.8 does not know this method.
/** @type {(milliseconds: number) => AbortSignal} */
const after = milliseconds => /** @type {any} */ (AbortSignal).timeout(milliseconds)

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

  // All of them, page by page.
  /** @returns {Promise<Wire.Room[]>} */
  async rooms() {
    /** @type {Wire.Room[]} */
    const rooms = []
    /** @type {string | undefined} */
    let next
    do {
      /** @type {Wire.RoomList} */
      const page = await this.call('GET', `/v1/rooms${next ? `?after=${encodeURIComponent(next)}` : ''}`)
      rooms.push(...page.rooms)
      next = page.next
    } while (next)
    return rooms
  }

  // The rooms that match, with the sums of all that do.
  /** @param {Record<string, string | number>} query Empty members are left out. @returns {Promise<Wire.RoomList>} */
  listRooms(query) {
    const parts = Object.entries(query).filter(([, value]) => value).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    return this.call('GET', `/v1/rooms${parts.length ? `?${parts.join('&')}` : ''}`)
  }

  /** @param {Wire.NewRoom} room @returns {Promise<Wire.Room>} */
  createRoom(room) { return this.call('POST', '/v1/rooms', room) }
  /** @param {string} name @returns {Promise<Wire.RoomDetail>} */
  room(name) { return this.call('GET', `/v1/rooms/${encodeURIComponent(name)}`) }
  /** @param {string} name @returns {Promise<Wire.ShareLinks>} */
  share(name) { return this.call('GET', `/v1/rooms/${encodeURIComponent(name)}/share`) }
  /** @param {string} name @param {Wire.RoomChanges} changes @returns {Promise<Wire.RoomDetail>} */
  changeRoom(name, changes) { return this.call('PATCH', `/v1/rooms/${encodeURIComponent(name)}`, changes) }
  // The names of the images that a room's compositions may show.
  /** @param {string} room @returns {Promise<string[]>} */
  images(room) { return this.call('GET', `/v1/rooms/${encodeURIComponent(room)}/images`).then((/** @type {Wire.ImageList} */ answer) => answer.images.map(each => each.name)) }
  /** @param {string} room @param {string} name @param {File} file A PNG or JPEG file. */
  putImage(room, name, file) { return this.call('PUT', `/v1/rooms/${encodeURIComponent(room)}/images/${encodeURIComponent(name)}`, file) }
  /** @param {string} name @returns {Promise<Wire.RoomStatistics>} */
  statistics(name) { return this.call('GET', `/v1/rooms/${encodeURIComponent(name)}/statistics`) }
  /** @param {string} name */
  closeRoom(name) { return this.call('DELETE', `/v1/rooms/${encodeURIComponent(name)}`) }
  /** @param {string} room @param {string} user */
  kick(room, user) { return this.call('DELETE', `/v1/rooms/${encodeURIComponent(room)}/participants/${encodeURIComponent(user)}`) }
  /** @param {string} room @param {string} track @param {boolean} muted */
  mute(room, track, muted) {
    return this.call('POST', `/v1/rooms/${encodeURIComponent(room)}/tracks/${encodeURIComponent(track)}/mute`, { muted })
  }
  /** @param {string} room @param {string} user @param {Wire.Grant[]} grants @param {number} [ttl] In seconds. @returns {Promise<string>} */
  roomToken(room, user, grants, ttl = 3600) { return this.call('POST', '/v1/tokens', { room, user, grants, ttl }).then(answer => answer.token) }
  /** @param {string} room @returns {Promise<Wire.RoomState>} */
  state(room) { return this.call('GET', `/v1/rooms/${encodeURIComponent(room)}/state`) }
  /** @param {string} room @param {string} method @param {object} params @returns {Promise<Data>} */
  act(room, method, params) { return this.call('POST', `/v1/rooms/${encodeURIComponent(room)}/calls/${encodeURIComponent(method)}`, params) }
  /** @param {string} room @returns {Promise<Wire.JobDetail[]>} */
  jobs(room) { return this.call('GET', `/v1/rooms/${encodeURIComponent(room)}/jobs`).then(answer => answer.jobs) }
  /** @param {string} room @param {Wire.NewForward} job @returns {Promise<Wire.Job>} */
  startForward(room, job) { return this.call('POST', `/v1/rooms/${encodeURIComponent(room)}/jobs`, job) }
  /** @param {string} room @param {Wire.NewMerge} job @returns {Promise<Wire.Job>} */
  startMerge(room, job) { return this.call('POST', `/v1/rooms/${encodeURIComponent(room)}/merge-jobs`, job) }
  /** @param {string} room @param {string} job */
  stopJob(room, job) { return this.call('DELETE', `/v1/rooms/${encodeURIComponent(room)}/jobs/${encodeURIComponent(job)}`) }
  /** @param {string} room @param {Wire.NewPlayer} player @returns {Promise<Wire.Player>} */
  startPlayer(room, player) { return this.call('POST', `/v1/rooms/${encodeURIComponent(room)}/players`, player) }
  /** @param {string} room @param {string} player @param {Wire.PlayerChange} change @returns {Promise<Wire.Player>} */
  changePlayer(room, player, change) { return this.call('PATCH', `/v1/rooms/${encodeURIComponent(room)}/players/${encodeURIComponent(player)}`, change) }
  /** @param {string} room @param {string} player */
  stopPlayer(room, player) { return this.call('DELETE', `/v1/rooms/${encodeURIComponent(room)}/players/${encodeURIComponent(player)}`) }
  /** @returns {Promise<Wire.Stream[]>} */
  streams() { return this.call('GET', '/v1/streams').then(answer => answer.streams) }
  /** @param {string} path */
  endStream(path) { return this.call('DELETE', `/v1/streams/${path.split('/').map(encodeURIComponent).join('/')}`) }
  // The play URLs of a stream.
  /** @param {string} path @returns {Promise<Wire.PlayURLs>} */
  play(path) { return this.call('GET', `/v1/streams/${path.split('/').map(encodeURIComponent).join('/')}/play`) }
  // A page of recorded files, the newest first.
  /** @param {{ room?: string, after?: string, limit: number }} given @returns {Promise<Wire.RecordingList>} */
  recordings({ room, after, limit }) {
    const query = new URLSearchParams({ limit: String(limit), ...room && { room }, ...after && { after } })
    return this.call('GET', `/v1/recordings?${query}`)
  }
  // A URL of one file, which needs no token until it expires.
  /** @param {{ name: string, node?: string }} file @param {number} ttl In seconds. @returns {Promise<Wire.RecordingURL>} */
  signRecording({ name, node }, ttl) { return this.call('POST', `/v1/recordings/${encodeURIComponent(name)}/url${node ? `?node=${node}` : ''}`, { ttl }) }
  /** @param {{ name: string, node?: string }} file */
  deleteRecording({ name, node }) { return this.call('DELETE', `/v1/recordings/${encodeURIComponent(name)}${node ? `?node=${node}` : ''}`) }
  /** @returns {Promise<Wire.Server>} */
  server() { return this.call('GET', '/v1/server') }
  // The people at each node of the cluster.
  /** @returns {Promise<Wire.NodeList>} */
  nodes() { return this.call('GET', '/v1/nodes') }

  // The nodes of the server's cluster.
  /** @returns {Promise<Wire.Cluster>} */
  cluster() { return this.call('GET', '/v1/cluster') }
  /** @returns {Promise<Wire.Drain>} */
  drain() { return this.call('GET', '/v1/server/drain') }
  /** @param {Wire.DrainOrder} order */
  beginDrain(order) { return this.call('POST', '/v1/server/drain', order) }
  endDrain() { return this.call('DELETE', '/v1/server/drain') }
  // The newest events, oldest first.
  /** @param {number} [limit] @returns {Promise<Wire.RoomEvent[]>} */
  events(limit) { return this.call('GET', `/v1/events${limit ? `?limit=${limit}` : ''}`).then(answer => answer.events) }
  // A page of what happened, newest first.
  /** @param {'lives' | 'sessions' | 'events'} what @param {Record<string, string>} filters @returns {Promise<Wire.HistoryLives | Wire.HistorySessions | Wire.HistoryEvents>} */
  past(what, filters) { return this.call('GET', `/v1/history/${what}?${new URLSearchParams(filters)}`) }
  /** @returns {Promise<Wire.AlarmList>} */
  alarms() { return this.call('GET', '/v1/alarms') }
  /** @returns {Promise<Wire.ServerHistory>} */
  history() { return this.call('GET', '/v1/server/history') }

  /** @param {string} method @param {string} path @param {object} [body] @returns {Promise<Data>} */
  async call(method, path, body) {
    if (this.refused) throw this.refused
    /** @type {Record<string, string>} */
    const headers = { Authorization: `Bearer ${this.token}` }
    const isFile = body instanceof Blob
    if (body) headers['Content-Type'] = isFile ? body.type : 'application/json'
    let response
    try {
      response = await fetch((this.#where ?? here()).base + path, { method, headers, body: isFile ? body : body && JSON.stringify(body), cache: 'no-store', signal: after(10_000) })
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
