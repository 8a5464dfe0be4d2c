// The rooms of the server.
import { poll } from './api.js'
import { confirm, problem, prompt, toast } from './dialogs.js'
import { avatar, h, icon, iconButton, keyed, say } from './dom.js'
import { ago, count, moment, plural } from './format.js'

export class RoomsView {
  title = 'Rooms'

  /** @param {Operator} app */
  constructor(app) {
    this.app = app
    this.facts = h('div', { class: 'facts' }, '\u00a0')
    this.failure = h('div')
    this.rows = h('tbody')
    this.table = h('div', { class: 'card', hidden: true }, h('table', { class: 'table rooms' },
      h('thead', {}, h('tr', {}, ['Room', 'In it', 'Participants', 'Tracks', 'Created'].map((name, index) =>
        h('th', { scope: 'col', class: ['', 'people', 'right', 'right', ''][index] }, name)), h('th', {}, h('span', { class: 'only-read' }, 'Actions')))),
      this.rows))
    const create = () => h('button', { class: 'button primary', data: { action: 'new-room' }, on: { click: () => this.#create() } }, icon('plus', 'small'), 'New room')
    this.empty = h('div', { class: 'card empty', hidden: true }, icon('rooms'), h('h2', {}, 'No rooms yet'),
      h('p', {}, 'Make a room here, by ', h('code', {}, 'POST /v1/rooms'), ', or start the server with ', h('code', {}, '--auto-create'), ' and join one.'),
      h('div', { class: 'buttons' }, create()))
    this.node = h('div', { class: 'view' },
      h('header', { class: 'view-head' }, h('div', { class: 'titles' }, h('h1', {}, 'Rooms'), this.facts), create()),
      this.failure, this.empty, this.table)
    this.stop = poll(2000, () => this.#load(), error => this.failure.replaceChildren(problem(error)))
  }

  async #load() {
    this.list = await this.app.api.rooms()
    this.failure.replaceChildren()
    this.changed()
  }

  changed() {
    const rooms = this.list
    if (!rooms) return
    this.empty.hidden = rooms.length > 0
    this.table.hidden = rooms.length === 0
    /** @param {'participants' | 'tracks'} name */
    const sum = name => rooms.reduce((total, room) => total + room[name], 0)
    say(this.facts, rooms.length ? `${plural(rooms.length, 'room')} with ${plural(sum('participants'), 'participant')} and ${plural(sum('tracks'), 'track')}` : 'None open')
    keyed(this.rows, rooms, room => room.name + room.createdAt, room => this.#row(room))
  }

  /** @param {Wire.Room} given @returns {Part<Wire.Room>} */
  #row({ name, createdAt }) {
    const path = `rooms/${encodeURIComponent(name)}`
    const people = h('div', { class: 'faces' })
    const participants = h('span')
    const tracks = h('span')
    const created = h('span', { title: moment(createdAt) })
    const node = h('tr', { data: { room: name } },
      h('td', { class: 'name' }, h('a', { href: `#/${path}` }, name)),
      h('td', { class: 'people' }, people),
      h('td', { class: 'right number participants' }, participants),
      h('td', { class: 'right number tracks' }, tracks),
      h('td', { class: 'muted created' }, created),
      h('td', { class: 'tight' }, iconButton('trash', `Delete ${name}`, () => this.#delete(name), 'quiet small danger')))
    // The whole row links to the room; its own controls take precedence.
    node.addEventListener('click', event => { if (!/** @type {Element} */ (event.target).closest('a, button')) this.app.go(path) })
    return {
      node,
      update: room => {
        say(participants, count(room.participants))
        say(tracks, count(room.tracks))
        say(created, ago(createdAt))
        keyed(people, this.#faces(room), face => face.key, face => face.make())
      },
    }
  }

  // The participants: pictures if we are in the room and receive them, else initials.
  /** @param {Wire.Room} room */
  #faces(room) {
    const { call } = this.app
    const shown = call?.isOn && call.room === room.name
      ? [...call.remote.values()].filter(each => each.kind === 'video').slice(0, 4) : []
    const pictures = shown.map(({ trackId, userId, stream }) => ({
      key: `picture ${trackId}`,
      make: () => {
        const node = h('video', { class: 'face', title: userId, set: { muted: true, autoplay: true, playsInline: true, srcObject: stream } })
        node.play().catch(() => {})
        return { node, update() {}, remove() { node.srcObject = null } }
      },
    }))
    const seen = new Set(shown.map(each => each.userId))
    const rest = room.users.filter(user => !seen.has(user)).slice(0, 5)
    const letters = rest.map(user => ({ key: user, make: () => ({ node: avatar(user), update() {} }) }))
    const more = room.participants - seen.size - rest.length
    if (!room.participants) letters.push({ key: '', make: () => ({ node: h('span', { class: 'faint' }, 'Empty'), update() {} }) })
    if (more > 0) letters.push({ key: `+${more}`, make: () => ({ node: h('span', { class: 'more number' }, `+${count(more)}`), update() {} }) })
    return [...pictures, ...letters]
  }

  #create() {
    prompt({
      title: 'New room', text: 'It closes automatically after five minutes without participants.', label: 'Name',
      hint: 'Up to 64 letters, digits and _ . @ : -', pattern: '[A-Za-z0-9_.@:\\-]{1,64}', action: 'Create room',
      act: async name => {
        await this.app.createRoom({ name })
        this.app.go(`rooms/${encodeURIComponent(name)}`)
      },
    })
  }

  /** @param {string} name */
  #delete(name) {
    confirm({
      title: `Delete ${name}?`, text: 'All participants are removed, and their media ends.', action: 'Delete room',
      act: async () => {
        await this.app.api.closeRoom(name)
        toast(`${name} was deleted.`)
        await this.#load()
      },
    })
  }
}
