// The REST API (api/openapi.yaml).
import { here } from './server.js'

// An error of the server, or the reason that it was not reached: a stable code, its name and a message. While the server is
// drained, also the signalling URL of another server.
export class Refusal extends Error {
  constructor({ code, name, message, redirect }, status = 0) {
    super(message)
    Object.assign(this, { code, name, redirect, status })
  }
}

export class Api {
  #where

  // `expired` is called when the token is no longer valid. Requests go to the server that the console uses, or always to
  // `server`.
  constructor(token, expired, where = null) {
    Object.assign(this, { token, expired })
    this.#where = where
  }

  // The same API at another server, which may not know the token.
  at(server) { return server === here() ? this : new Api(this.token, () => {}, server) }

  // All of them, page by page.
  async rooms() {
    const rooms = []
    let next
    do {
      const page = await this.call('GET', `/v1/rooms${next ? `?after=${encodeURIComponent(next)}` : ''}`)
      rooms.push(...page.rooms)
      next = page.next
    } while (next)
    return rooms
  }

  createRoom(room) { return this.call('POST', '/v1/rooms', room) }
  room(name) { return this.call('GET', `/v1/rooms/${encodeURIComponent(name)}`) }
  changeRoom(name, changes) { return this.call('PATCH', `/v1/rooms/${encodeURIComponent(name)}`, changes) }
  statistics(name) { return this.call('GET', `/v1/rooms/${encodeURIComponent(name)}/statistics`) }
  closeRoom(name) { return this.call('DELETE', `/v1/rooms/${encodeURIComponent(name)}`) }
  kick(room, user) { return this.call('DELETE', `/v1/rooms/${encodeURIComponent(room)}/participants/${encodeURIComponent(user)}`) }
  mute(room, track, muted) {
    return this.call('POST', `/v1/rooms/${encodeURIComponent(room)}/tracks/${encodeURIComponent(track)}/mute`, { muted })
  }
  roomToken(room, user, grants) { return this.call('POST', '/v1/tokens', { room, user, grants, ttl: 3600 }).then(answer => answer.token) }
  state(room) { return this.call('GET', `/v1/rooms/${encodeURIComponent(room)}/state`) }
  act(room, method, params) { return this.call('POST', `/v1/rooms/${encodeURIComponent(room)}/calls/${encodeURIComponent(method)}`, params) }
  jobs(room) { return this.call('GET', `/v1/rooms/${encodeURIComponent(room)}/jobs`).then(answer => answer.jobs) }
  startForward(room, job) { return this.call('POST', `/v1/rooms/${encodeURIComponent(room)}/jobs`, job) }
  startMerge(room, job) { return this.call('POST', `/v1/rooms/${encodeURIComponent(room)}/merge-jobs`, job) }
  stopJob(room, job) { return this.call('DELETE', `/v1/rooms/${encodeURIComponent(room)}/jobs/${encodeURIComponent(job)}`) }
  streams() { return this.call('GET', '/v1/streams').then(answer => answer.streams) }
  endStream(path) { return this.call('DELETE', `/v1/streams/${path.split('/').map(encodeURIComponent).join('/')}`) }
  server() { return this.call('GET', '/v1/server') }
  drain() { return this.call('GET', '/v1/server/drain') }
  beginDrain(order) { return this.call('POST', '/v1/server/drain', order) }
  endDrain() { return this.call('DELETE', '/v1/server/drain') }
  // The newest events, oldest first.
  events(limit) { return this.call('GET', `/v1/events${limit ? `?limit=${limit}` : ''}`).then(answer => answer.events) }
  history() { return this.call('GET', '/v1/server/history') }

  async call(method, path, body) {
    const headers = { Authorization: `Bearer ${this.token}` }
    if (body) headers['Content-Type'] = 'application/json'
    let response
    try {
      response = await fetch((this.#where ?? here()).base + path, { method, headers, body: body && JSON.stringify(body), cache: 'no-store', signal: AbortSignal.timeout(10_000) })
    } catch {
      throw new Refusal({ code: 0, name: 'unreachable', message: 'The server does not answer. The console retries automatically.' })
    }
    if (response.ok) return response.status === 204 ? null : response.json()
    const error = await response.json().catch(() => null)
    const refusal = new Refusal(error ?? { code: 0, name: 'unknown', message: `The server answered ${response.status}.` }, response.status)
    if (response.status === 401) this.expired(refusal)
    throw refusal
  }
}

// Calls `ask` repeatedly, one call at a time, and only while the page is visible. Returns a function that stops it.
export function poll(interval, ask, failed) {
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
