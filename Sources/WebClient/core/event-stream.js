// The events of a room as an async iterator. A slow reader loses the oldest ones; `eventsLost` states how many.

export class EventStream {
  /** @type {RoomEvent[]} */
  #waiting = []
  #lost = 0
  #isOver = false
  /** @type {((result: IteratorResult<RoomEvent>) => void) | null} */
  #reader = null

  /** @param {EventTarget} room @param {number} limit */
  constructor(room, limit) {
    this.room = room
    this.limit = Math.max(1, limit)
    room.addEventListener('event', this)
  }

  /** For EventTarget.
   * @param {Event} event */
  handleEvent(event) {
    const { detail } = /** @type {CustomEvent<RoomEvent>} */ (event)
    if (this.#waiting.push(detail) > this.limit) {
      this.#waiting.shift()
      this.#lost += 1
    }
    if (detail.event === 'ended') this.#end()
    this.#serve()
  }

  #end() {
    this.#isOver = true
    this.room.removeEventListener('event', this)
  }

  #serve() {
    const reader = this.#reader
    if (!reader) return
    /** @type {RoomEvent | undefined} */
    const value = this.#lost ? { event: 'eventsLost', data: { count: this.#lost }, isNew: true } : this.#waiting.shift()
    if (!value && !this.#isOver) return
    this.#lost = 0
    this.#reader = null
    reader(value ? { value, done: false } : { value: undefined, done: true })
  }

  [Symbol.asyncIterator]() { return this }

  /** One call at a time, as `for await` does.
   * @returns {Promise<IteratorResult<RoomEvent>>} */
  next() {
    return new Promise(resolve => {
      this.#reader = resolve
      this.#serve()
    })
  }

  /** @returns {Promise<IteratorResult<RoomEvent>>} */
  async return() {
    this.#end()
    this.#waiting = []
    this.#lost = 0
    this.#serve()
    return { value: undefined, done: true }
  }
}
