// What goes on in all rooms, by asking again and again: their states, and what happened between two readings.

const MOST_ROOMS = 24 // whose state is asked in one turn; of more, each in its turn
const MOST_EVENTS = 300

export class RoomsWatch {
  rooms = [] // as REST lists them, each with `state` and `people` where they were asked
  events = [] // newest first: `{ at, room, text, mood }`
  #known = null // by name
  #next = 0

  async turn(api) {
    const list = await api.rooms()
    const asked = list.length <= MOST_ROOMS ? list : Array.from({ length: MOST_ROOMS }, (_, index) => list[(this.#next + index) % list.length])
    this.#next = (this.#next + MOST_ROOMS) % Math.max(1, list.length)
    const told = new Map()
    await Promise.all(asked.map(async ({ name }) => {
      // A room may close meanwhile.
      const both = await Promise.all([api.state(name), api.room(name)]).catch(() => null)
      if (both) told.set(name, { state: both[0], people: both[1].participants })
    }))
    const known = new Map(list.map(room => [room.name, { ...this.#known?.get(room.name), ...room, ...told.get(room.name) }]))
    if (this.#known) this.#compare(this.#known, known)
    this.#known = known
    this.rooms = [...known.values()]
  }

  #say(room, text, mood = '') {
    this.events.unshift({ at: Date.now(), room, text, mood, key: `${Date.now()} ${room} ${text}` })
    this.events.length = Math.min(this.events.length, MOST_EVENTS)
  }

  #compare(before, now) {
    for (const [name] of before) if (!now.has(name)) this.#say(name, 'closed')
    for (const [name, room] of now) {
      const old = before.get(name)
      if (!old || old.createdAt !== room.createdAt) this.#say(name, 'opened', 'good')
      else if (old.state && room.state) this.#inRoom(name, old, room)
    }
  }

  #inRoom(name, old, room) {
    const users = each => new Set(each.people.map(person => person.userId))
    const [was, is] = [users(old), users(room)]
    for (const user of is) if (!was.has(user)) this.#say(name, `${user} joined`)
    for (const user of was) if (!is.has(user)) this.#say(name, `${user} left`)
    const published = each => new Set(each.people.flatMap(({ userId, tracks }) => tracks.length ? [userId] : []))
    const [before, after] = [published(old), published(room)]
    for (const user of after) if (!before.has(user)) this.#say(name, `${user} publishes`)
    for (const user of before) if (!after.has(user) && is.has(user)) this.#say(name, `${user} publishes no more`)
    room.state.seats.forEach((seat, index) => {
      const last = old.state.seats[index]
      if (!last) return
      if (seat.userId !== last.userId) this.#say(name, seat.userId ? `${seat.userId} took seat ${index + 1}` : `${last.userId} left seat ${index + 1}`)
      if (seat.locked !== last.locked) this.#say(name, `seat ${index + 1} ${seat.locked ? 'locked' : 'unlocked'}`)
      if (seat.muted !== last.muted) this.#say(name, `seat ${index + 1} ${seat.muted ? 'muted' : 'unmuted'}`)
    })
    if (room.state.layout.type !== old.state.layout.type) this.#say(name, `layout ${room.state.layout.type}`)
    const [pkBefore, pk] = [old.state.pk, room.state.pk]
    if (pk && pk.pkId !== pkBefore?.pkId) this.#say(name, `PK with ${pk.userId} of ${pk.room}`, 'good')
    if (pkBefore && pkBefore.pkId !== pk?.pkId) this.#say(name, 'PK over')
    const jobs = each => new Map(each.state.jobs.map(job => [job.jobId, job]))
    const [jobsBefore, jobsNow] = [jobs(old), jobs(room)]
    for (const [id, job] of jobsNow) {
      const last = jobsBefore.get(id)
      if (!last) this.#say(name, `job ${id} began`, 'good')
      else if (last.state !== job.state) this.#say(name, `job ${id}: ${job.state}${job.failure ? `, ${job.failure.message}` : ''}`, job.state === 'connected' ? 'good' : job.failure ? 'bad' : 'warn')
    }
    for (const id of jobsBefore.keys()) if (!jobsNow.has(id)) this.#say(name, `job ${id} ended`)
  }
}
