// The rooms of the server.
import { ask, confirm, toast } from './dialogs.js'
import { avatar, h, icon, keyed, say } from './dom.js'
import { PATTERN } from './entrance.js'
import { actions, button, cell, field, line, rowButton, table } from './fields.js'
import { ago, count, moment } from './format.js'
import { ListView } from './list-view.js'
import { badges } from './room-badges.js'
import { text } from './text.js'

const { rooms: words } = text

export class RoomsView extends ListView {
  /** @param {Operator} app */
  constructor(app) {
    const create = () => button('new-room', 'plus', words.newRoom, () => this.#create(), 'primary')
    super({
      app, title: text.shell.rooms, path: 'rooms', words, interval: 2000, head: [create()],
      table: table(text.shell.rooms, 'rooms', Object.entries(words.columns).map(([name, label]) => [label, `${name}${['participants', 'viewers'].includes(name) ? ' right' : ''}`])),
      empty: h('div', { class: 'card empty', data: { notice: 'no-rooms' } }, icon('rooms'), h('h2', {}, words.none), h('p', {}, words.noneHint), h('div', { class: 'buttons' }, create())),
    })
  }

  find() { return this.app.api.get('/v1/rooms', this.tools.query) }

  // The pictures of a call in a row come and go.
  changed() { if (this.found) this.show(this.found) }

  /** @param {Wire.RoomList} given */
  show({ rooms, totals }) {
    const { lists } = text
    const facts = [lists.rooms(totals.rooms), lists.people(totals.participants), lists.live(totals.live), lists.viewers(totals.viewers)]
    this.list({ shown: rooms, all: totals.rooms, isNone: !totals.rooms, facts }, room => room.name + room.createdAt, room => this.#row(room))
  }

  /** @param {Wire.Room} given @returns {Part<Wire.Room>} */
  #row({ name, createdAt }) {
    const path = `rooms/${encodeURIComponent(name)}`
    const people = h('div', { class: 'faces' })
    const state = h('div', { class: 'badges' })
    const [participants, viewers] = [h('span'), h('span')]
    const created = h('span', { title: moment(createdAt) })
    const node = h('tr', { data: { room: name } },
      cell('name', h('a', { href: `#/${path}` }, name)), cell('state', state), cell('people', people), cell('right number participants', participants),
      cell('right number viewers', viewers), cell('muted created', created), actions(rowButton('delete', 'trash', words.delete(name), () => this.#delete(name), 'danger')))
    // The whole row links to the room; its own controls take precedence.
    node.addEventListener('click', event => { if (!/** @type {Element} */ (event.target).closest('a, button')) this.app.go(path) })
    return {
      node,
      update: room => {
        say(participants, count(room.participants))
        say(viewers, count(room.viewers + (room.live?.viewers ?? 0)))
        say(created, ago(createdAt))
        keyed(state, badges(room), ([style]) => style, ([style]) => {
          const node = h('span', { class: `badge ${style}` })
          return { node, update: ([, words]) => say(node, words) }
        })
        keyed(people, this.#faces(room), face => face.key, face => face.make())
      },
    }
  }

  // The participants: pictures if we are in the room and receive them, else initials.
  /** @param {Wire.Room} room */
  #faces(room) {
    const { call } = this.app
    const shown = call?.isOn && call.room === room.name
      ? [...call.remoteTracks.values()].filter(each => each.kind === 'video').slice(0, 4) : []
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
    if (!room.participants) letters.push({ key: '', make: () => ({ node: h('span', { class: 'faint' }, text.state.empty), update() {} }) })
    if (more > 0) letters.push({ key: `+${more}`, make: () => ({ node: h('span', { class: 'more number' }, `+${count(more)}`), update() {} }) })
    return [...pictures, ...letters]
  }

  #create() {
    const name = line('room-name', '', { required: true, pattern: PATTERN, maxlength: 64 })
    ask({
      title: words.newRoom, text: words.newRoomText, action: words.create,
      act: async () => {
        await this.app.createRoom({ name: name.value.trim() })
        this.app.go(`rooms/${encodeURIComponent(name.value.trim())}`)
      },
    }, field(name, words.name, text.stage.nameRule))
  }

  /** @param {string} name */
  #delete(name) {
    confirm({
      title: text.room.deleteTitle(name), text: text.room.deleteText, action: text.room.deleteRoom,
      act: async () => {
        await this.app.api.send('DELETE', '/v1/rooms/{room}', { room: name })
        toast(words.deleted(name))
        await this.load()
      },
    })
  }
}
