// The state of all rooms, polled.

const MOST_ROOMS = 24 // rooms whose state is requested in one turn; further ones take turns

export class RoomsWatch {
  /** @type {WatchedRoom[]} */
  rooms = [] // as REST lists them, each with `state` and `people` if they were requested
  /** @type {Map<string, WatchedRoom>} */
  #known = new Map() // by name
  #next = 0

  /** @param {Api} api */
  async turn(api) {
    const list = await api.rooms()
    const asked = list.length <= MOST_ROOMS ? list : Array.from({ length: MOST_ROOMS }, (_, index) => list[(this.#next + index) % list.length])
    this.#next = (this.#next + MOST_ROOMS) % Math.max(1, list.length)
    /** @type {Map<string, Pick<WatchedRoom, 'state' | 'people'>>} */
    const told = new Map()
    await Promise.all(asked.map(async ({ name }) => {
      // A room may close meanwhile.
      const both = await Promise.all([api.state(name), api.room(name)]).catch(() => null)
      if (both) told.set(name, { state: both[0], people: both[1].participants })
    }))
    this.#known = new Map(list.map(room => [room.name, { ...this.#known.get(room.name), ...room, ...told.get(room.name) }]))
    this.rooms = [...this.#known.values()]
  }
}
