// Rooms with live pictures: each is a small WHEP session of the room's own anchor. Only visible rooms play, and only a few at a time.
import { lookingToken } from './api.js'
import { attribute, avatar, h, keyed, say } from './dom.js'
import { badges } from './room-badges.js'
import { here } from './server.js'
import { text } from './text.js'
import { Viewing } from './whep.js'

/** @typedef {Part<Wire.Room> & { node: HTMLElement, shown?: string, open(): void, fail(mine: Viewing): void, close(): void }} WallTile */

const MOST = 9
const FACES = 4
const PATIENCE = 15_000 // before a room that sent no media is tried again

export class Wall {
  /** @type {Map<string, WallTile>} */
  #tiles = new Map() // by room
  #timer

  /** @param {Api} api */
  constructor(api) {
    this.api = api
    this.node = h('div', { class: 'wall' })
    // A room that is scrolled out of view stops, and another may start.
    this.sight = new IntersectionObserver(entries => {
      for (const { target, isIntersecting } of entries) target.inSight = isIntersecting
      this.#look()
    })
    this.hidden = () => this.#look()
    document.addEventListener('visibilitychange', this.hidden)
    this.#timer = setInterval(() => this.#look(), 3000)
  }

  stop() {
    clearInterval(this.#timer)
    document.removeEventListener('visibilitychange', this.hidden)
    this.sight.disconnect()
    for (const tile of this.#tiles.values()) tile.close()
  }

  /** @param {Wire.Room[]} rooms */
  update(rooms) {
    keyed(this.node, rooms, room => `${room.name} ${room.createdAt}`, room => this.#tile(room))
    this.#look()
  }

  #look() {
    let open = 0
    // In the order of the page: the first ones in sight play.
    for (const node of this.node.children) {
      const tile = this.#tiles.get(/** @type {HTMLElement} */ (node).dataset.room ?? '')
      if (!tile) continue
      if (!document.hidden && node.inSight && tile.shown && open < MOST) {
        open += 1
        tile.open()
      } else {
        tile.close()
      }
    }
  }

  /** @param {Wire.Room} given @returns {WallTile} */
  #tile({ name }) {
    const video = h('video', { set: { muted: true, autoplay: true, playsInline: true }, tabindex: '-1' })
    const [faces, users, marks] = [h('div', { class: 'wall-faces' }), h('span', { class: 'muted' }), h('span', { class: 'wall-marks' })]
    const node = h('a', { class: 'wall-tile card', href: `#/rooms/${encodeURIComponent(name)}`, data: { room: name } },
      h('div', { class: 'wall-picture' }, faces, video, marks), h('div', { class: 'wall-text' }, h('b', {}, name), users))
    /** @type {Viewing | null} */
    let viewing = null
    /** @type {string | undefined} */
    let viewed // whose camera that is
    let failed = 0
    /** @type {WallTile} */
    const tile = {
      node,
      open: () => {
        if (viewing && viewed === tile.shown) return
        tile.close()
        if (Date.now() - failed < PATIENCE) return
        viewed = tile.shown
        const mine = viewing = new Viewing({ room: name, user: viewed, token: lookingToken(this.api, name), video, kinds: ['video'], server: here() })
        mine.peer.addEventListener('connectionstatechange', () => { if (mine.peer.connectionState === 'failed') tile.fail(mine) })
        mine.open().catch(() => tile.fail(mine))
      },
      fail: mine => {
        if (viewing !== mine) return
        failed = Date.now()
        tile.close()
      },
      close: () => {
        viewing?.close()
        if (viewing) node.classList.remove('on')
        viewing = null
      },
      remove: () => {
        tile.close()
        this.sight.unobserve(node)
        this.#tiles.delete(name)
      },
      update: room => {
        tile.shown = room.shown
        video.hidden = !room.shown
        attribute(video, 'aria-label', room.shown ? text.stage.pictureOf(room.shown) : null)
        if (room.shown) node.dataset.user = room.shown
        else delete node.dataset.user
        // Without a camera the tile shows who speaks, else who is there.
        const [first, all] = room.speakers.length ? [room.speakers, room.speakers.length] : [room.users, room.participants]
        keyed(faces, first.slice(0, FACES).map(user => ({ user, speaks: room.speakers.includes(user) })), ({ user }) => user, ({ user }) => {
          const face = avatar(user)
          return { node: face, update: ({ speaks }) => { face.classList.toggle('speaking', speaks) } }
        })
        const [listed, others] = [first.slice(0, 3).join(', '), all - Math.min(3, first.length)]
        const names = others > 0 ? text.state.andMore(listed, others) : listed
        say(users, !room.participants ? text.state.empty : room.speakers.length ? text.state.speaking(names) : names)
        const watching = room.viewers + (room.live?.viewers ?? 0)
        const words = [...badges(room), .../** @type {Array<[string, string]>} */ (watching ? [['viewers', text.lists.viewers(watching)]] : [])]
        keyed(marks, words, ([style]) => style, ([style]) => {
          const mark = h('span', { class: `wall-mark ${style}` })
          return { node: mark, update: ([, words]) => say(mark, words) }
        })
        attribute(node, 'aria-label', [name, ...words.map(([, each]) => each), users.textContent].join(', '))
      },
    }
    video.addEventListener('playing', () => { if (viewing) node.classList.add('on') })
    this.#tiles.set(name, tile)
    this.sight.observe(node)
    return tile
  }
}
