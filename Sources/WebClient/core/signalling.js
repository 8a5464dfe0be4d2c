// One WebSocket of api/signalling.md: requests with their answers, events, and a silence timeout.
import { ConnectionLost, RoomError } from './errors.js'
import { checked, read } from './messages.js'

const SILENCE = 15_000

export class Signalling {
  /** @type {Map<number, { method: string, resolve: (result: Data) => void, reject: (error: Error) => void }>} */
  #asked = new Map()
  #lastId = 0
  /** @type {number[]} */
  #timers = []

  // `url` is the server's. `received(event, data, seq)` receives the events in order, with `seq` if it is a numbered change;
  // `closed()` is called once, after the last event, `broken(error)` for a message that is no use.
  /** @param {string} url @param {{ received: (event: string, data: Data, seq?: number) => void, closed: () => void, broken: (error: Error) => void }} given */
  constructor(url, { received, closed, broken }) {
    this.socket = new WebSocket(url)
    this.lastReceived = Date.now()
    this.isOver = false
    this.opened = new Promise((resolve, reject) => {
      this.socket.onopen = resolve
      this.lost = () => {
        this.lost = () => {}
        this.isOver = true
        this.#timers.forEach(clearInterval)
        // A socket without listeners can be freed while it closes.
        this.socket.onopen = this.socket.onclose = this.socket.onmessage = null
        this.socket.close()
        const error = new ConnectionLost()
        reject(error)
        for (const waiting of this.#asked.values()) waiting.reject(error)
        this.#asked.clear()
        closed()
      }
    })
    this.opened.catch(() => {})
    this.socket.onclose = () => this.lost()
    this.socket.onmessage = ({ data }) => {
      this.lastReceived = Date.now()
      const message = read(data)
      if (message instanceof Error) return broken(message)
      if (message.event) return received(message.event, message.data, message.seq)
      const waiting = this.#asked.get(message.id)
      this.#asked.delete(message.id)
      if (!waiting) return
      if (message.error) return waiting.reject(new RoomError(message.error))
      const result = checked(waiting.method, message.result)
      if (!(result instanceof Error)) return waiting.resolve(result)
      broken(result)
      waiting.reject(result)
    }
    this.#timers.push(setInterval(() => { if (Date.now() - this.lastReceived > SILENCE) this.lost() }, 1000))
  }

  /** @param {string} method @param {object} [params] @returns {Promise<Data>} */
  request(method, params) {
    if (this.socket.readyState !== WebSocket.OPEN) return Promise.reject(new ConnectionLost())
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { method, resolve, reject })
      this.socket.send(JSON.stringify({ id, method, params }))
    })
  }

  /** @param {number} interval */
  ping(interval) {
    this.#timers.push(setInterval(() => this.request('ping').catch(() => {}), interval))
  }

  close() { this.lost() }
}
