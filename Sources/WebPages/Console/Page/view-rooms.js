// The rooms of the server.
import { poll } from './api.js'
import { confirm, prompt, toast } from './dialogs.js'
import { avatar, h, icon, iconButton, keyed, say } from './dom.js'
import { ago, count, moment } from './format.js'
import { Freshness } from './freshness.js'
import { ListTools } from './list-tools.js'
import { badges } from './room-badges.js'
import { text } from './text.js'

const { rooms: words } = text

export class RoomsView {
  title = text.shell.rooms
  #turn = 0 // the number of the last request, which outdates the answers to earlier ones

  /** @param {Operator} app */
  constructor(app) {
    this.app = app
    this.facts = h('div', { class: 'facts' }, '\u00a0')
    this.rows = h('tbody')
    const columns = /** @type {Array<keyof typeof words.columns>} */ (['name', 'state', 'people', 'participants', 'viewers', 'created'])
    this.table = h('div', { class: 'card', hidden: true }, h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': text.shell.rooms }, h('table', { class: 'table rooms' },
      h('thead', {}, h('tr', {}, columns.map(name => h('th', { scope: 'col', class: `${name}${['participants', 'viewers'].includes(name) ? ' right' : ''}` }, words.columns[name])),
        h('th', {}, h('span', { class: 'only-read' }, text.lists.actions)))),
      this.rows)))
    const create = () => h('button', { class: 'button primary', data: { action: 'new-room' }, on: { click: () => this.#create() } }, icon('plus', 'small'), words.newRoom)
    this.empty = h('div', { class: 'card empty', hidden: true, data: { notice: 'no-rooms' } }, icon('rooms'), h('h2', {}, words.none), h('p', {}, words.noneHint), h('div', { class: 'buttons' }, create()))
    this.tools = new ListTools({ path: 'rooms', hint: words.searchHint, filters: words.filters, orders: words.orders, rows: this.rows, changed: () => this.#load().catch(error => this.fresh.failed(error)) })
    const content = h('div', { class: 'list-content' }, this.empty, this.table, this.tools.none, this.tools.foot)
    this.fresh = new Freshness(content)
    this.node = h('div', { class: 'view' },
      h('header', { class: 'view-head' }, h('div', { class: 'titles' }, h('h1', {}, text.shell.rooms), this.facts), create()),
      this.tools.node, this.fresh.node, content)
    this.endPoll = poll(2000, () => this.#load(), error => this.fresh.failed(error))
  }

  stop() {
    this.#turn = -1
    this.tools.stop()
    this.endPoll()
  }

  async #load() {
    if (this.#turn < 0) return
    const turn = ++this.#turn
    const list = await this.app.api.listRooms(this.tools.query)
    if (turn !== this.#turn) return
    this.list = list
    this.fresh.good()
    this.changed()
  }

  changed() {
    const { list, tools } = this
    if (!list) return
    const { rooms, totals } = list
    this.empty.hidden = totals.rooms > 0 || !tools.isWhole
    tools.node.hidden = !this.empty.hidden
    this.table.hidden = !rooms.length
    say(this.facts, [text.lists.rooms(totals.rooms), text.lists.people(totals.participants), text.lists.live(totals.live), text.lists.viewers(totals.viewers)].join(' · '))
    keyed(this.rows, rooms, room => room.name + room.createdAt, room => this.#row(room))
    tools.update(rooms.length, totals.rooms)
  }

  /** @param {Wire.Room} given @returns {Part<Wire.Room>} */
  #row({ name, createdAt }) {
    const path = `rooms/${encodeURIComponent(name)}`
    const people = h('div', { class: 'faces' })
    const state = h('div', { class: 'badges' })
    const [participants, viewers] = [h('span'), h('span')]
    const created = h('span', { title: moment(createdAt) })
    const node = h('tr', { data: { room: name } },
      h('td', { class: 'name' }, h('a', { href: `#/${path}` }, name)),
      h('td', { class: 'state' }, state),
      h('td', { class: 'people' }, people),
      h('td', { class: 'right number participants' }, participants),
      h('td', { class: 'right number viewers' }, viewers),
      h('td', { class: 'muted created' }, created),
      h('td', { class: 'tight' }, iconButton('trash', words.delete(name), () => this.#delete(name), 'quiet small danger')))
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
    prompt({
      title: words.newRoom, text: words.newRoomText, label: words.name,
      hint: words.nameHint, pattern: '[A-Za-z0-9_.@:\\-]{1,64}', action: words.create,
      act: async name => {
        await this.app.createRoom({ name })
        this.app.go(`rooms/${encodeURIComponent(name)}`)
      },
    })
  }

  /** @param {string} name */
  #delete(name) {
    confirm({
      title: text.room.deleteTitle(name), text: text.room.deleteText, action: text.room.deleteRoom,
      act: async () => {
        await this.app.api.closeRoom(name)
        toast(words.deleted(name))
        await this.#load()
      },
    })
  }
}
