// Messages of an app over data channels (api/signalling-data.md), which take the shortest path and are not stored.
import { DataError, MalformedMessage } from './errors.js'
import { readFrame } from './messages.js'

const LIMITS = { payload: 60_000, topic: 256, receivers: 64 } // bytes, bytes of UTF-8, user ids
const BUFFERED = 1_048_576 // bytes of a channel that the network has not taken
const WAITING = 64 // messages that wait for an open channel
const PATIENCE = 10_000 // milliseconds for which they do

/** @param {string} text @returns {Uint8Array} */
const utf8 = text => new TextEncoder().encode(text)

// Two bytes with the length of the header, the header as JSON, and the payload.
/** @param {{ topic?: string, to?: string[] }} header @param {Uint8Array} payload */
function framed({ topic, to }, payload) {
  if (payload.length > LIMITS.payload) throw new DataError('tooLarge', `a payload has at most ${LIMITS.payload} bytes`)
  if (topic && utf8(topic).length > LIMITS.topic) throw new DataError('tooLarge', `a topic has at most ${LIMITS.topic} bytes`)
  if (to && to.length > LIMITS.receivers) throw new DataError('tooLarge', `a message has at most ${LIMITS.receivers} receivers`)
  const header = utf8(JSON.stringify({ topic, to }))
  if (header.length > 65_535) throw new DataError('tooLarge', 'the header has at most 65535 bytes')
  const bytes = new Uint8Array(2 + header.length + payload.length)
  new DataView(bytes.buffer).setUint16(0, header.length)
  bytes.set(header, 2)
  bytes.set(payload, 2 + header.length)
  return bytes
}

/** @param {string | ArrayBuffer | ArrayBufferView} payload */
function bytesOf(payload) {
  if (typeof payload === 'string') return utf8(payload)
  return ArrayBuffer.isView(payload) ? new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength) : new Uint8Array(payload)
}

/** Messages of an app over data channels, which take the shortest path and are not stored. */
export class RoomData {
  /** @type {Map<string, RTCDataChannel>} */
  #channels = new Map() // by label: of the connection that was made last
  /** @type {Set<{ label: string, done: (channel: RTCDataChannel | null) => void }>} */
  #waiting = new Set()
  #isOver = false
  #given

  // `received(message)` gets what arrives, `broken(error)` what is malformed.
  /** @param {{ isOn: boolean, received: (message: DataMessage) => void, broken: (error: Error) => void }} given */
  constructor(given) { this.#given = given }

  /** Sends a message to some users, or to all others. It waits up to 10 s for the connection. Throws a DataError: `tooLarge`, `congested`
   * or `unavailable`.
   * @param {string | ArrayBuffer | ArrayBufferView} payload @param {{ topic?: string, to?: string[], reliable?: boolean }} how */
  async send(payload, { topic, to, reliable = true } = {}) {
    const bytes = framed({ topic, to }, bytesOf(payload))
    const label = reliable ? 'reliable' : 'lossy'
    const open = this.#channels.get(label)
    if (open?.readyState === 'open') this.#pass(bytes, open)
    else await this.#later(label, channel => this.#pass(bytes, channel))
  }

  /** @param {Uint8Array} bytes @param {RTCDataChannel} channel */
  #pass(bytes, channel) {
    if (channel.bufferedAmount + bytes.length > BUFFERED) throw new DataError('congested', 'the connection does not carry what was sent before')
    channel.send(bytes)
  }

  /** @param {string} label @param {(channel: RTCDataChannel) => void} send @returns {Promise<void>} */
  #later(label, send) {
    if (!this.#given.isOn) throw new DataError('unavailable', 'the room was joined without the option `data`')
    if (this.#isOver) throw new DataError('unavailable', 'the room is over')
    if (this.#waiting.size >= WAITING) throw new DataError('congested', 'too many messages wait for the connection')
    return new Promise((resolve, reject) => {
      const waiting = {
        label,
        /** @param {RTCDataChannel | null} channel */
        done: channel => {
          clearTimeout(timer)
          this.#waiting.delete(waiting)
          try {
            if (!channel) throw new DataError('unavailable', 'there is no connection')
            resolve(send(channel))
          } catch (error) { reject(error) }
        },
      }
      const timer = setTimeout(() => waiting.done(null), PATIENCE)
      this.#waiting.add(waiting)
    })
  }

  /** Takes a channel over that the server has opened; others than its two are ignored.
   * @param {RTCDataChannel} channel
   * @internal */
  take(channel) {
    const { label } = channel
    if (label !== 'reliable' && label !== 'lossy') return
    channel.binaryType = 'arraybuffer'
    channel.onmessage = ({ data }) => {
      const message = readFrame(data)
      if (message instanceof MalformedMessage) this.#given.broken(message)
      else this.#given.received({ ...message, reliable: label === 'reliable' })
    }
    const opened = () => {
      this.#channels.set(label, channel)
      for (const waiting of [...this.#waiting]) if (waiting.label === label) waiting.done(channel)
    }
    if (channel.readyState === 'open') opened()
    else channel.onopen = opened
  }

  /** @internal */
  close() {
    this.#isOver = true
    for (const waiting of [...this.#waiting]) waiting.done(null)
  }
}
