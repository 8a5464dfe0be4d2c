// All rooms with live pictures: each is a small WHEP session of the current speaker. Only visible rooms play, and only a few at
// a time.
import { attribute, h, icon, keyed, say } from './dom.js'
import { count, plural } from './format.js'
import { Viewing, lookingToken } from './whep.js'

/** @typedef {Part<WatchedRoom> & { node: HTMLElement, hasPicture: boolean, open(): void, fail(mine: Viewing): void, close(): void }} WallTile */

const MOST = 9
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

  /** @param {WatchedRoom[]} rooms */
  update(rooms) {
    keyed(this.node, rooms, room => `${room.name} ${room.createdAt}`, room => this.#tile(room))
    this.#look()
  }

  #look() {
    let open = 0
    for (const tile of this.#tiles.values()) {
      const wanted = !document.hidden && tile.node.inSight && tile.hasPicture && open < MOST
      if (wanted) {
        open += 1
        tile.open()
      } else {
        tile.close()
      }
    }
  }

  /** @param {WatchedRoom} given @returns {WallTile} */
  #tile({ name }) {
    const video = h('video', { set: { muted: true, autoplay: true, playsInline: true }, tabindex: '-1' })
    const [users, facts] = [h('span', { class: 'muted' }), h('span', { class: 'wall-marks' })]
    const node = h('a', { class: 'wall-tile card', href: `#/rooms/${encodeURIComponent(name)}`, data: { room: name } },
      h('div', { class: 'wall-picture' }, icon('camera-off'), video, facts), h('div', { class: 'wall-text' }, h('b', {}, name), users))
    /** @type {Viewing | null} */
    let viewing = null
    let failed = 0
    let drawn = ''
    /** @type {WallTile} */
    const tile = {
      node, hasPicture: false,
      open: () => {
        if (viewing || Date.now() - failed < PATIENCE) return
        const mine = viewing = new Viewing({ room: name, token: lookingToken(this.api, name), video, kinds: ['video'] })
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
      update: ({ participants, viewers, people = [], state }) => {
        tile.hasPicture = people.some(person => person.tracks.some(track => track.kind === 'video' && !track.muted))
        const names = people.filter(person => !person.userId.startsWith('@') && !person.grants.includes('hidden')).map(person => person.userId)
        say(users, names.length ? names.slice(0, 3).join(', ') + (names.length > 3 ? ` and ${count(names.length - 3)} more` : '') : participants ? plural(participants, 'participant') : 'Empty')
        const jobs = state?.jobs.filter(job => job.target && job.onAir).length ?? 0
        const seated = state?.seats.filter(seat => seat.userId).length ?? 0
        const watching = viewers - (viewing ? 1 : 0) // our own session is not counted
        const marks = /** @type {string[][]} */ ([jobs && ['live', jobs > 1 ? `${jobs} live` : 'Live'], state?.pk && ['pk', `PK with ${state.pk.room}`], seated > 1 && ['', `${seated} on seats`], watching > 0 && ['', plural(watching, 'viewer')]].filter(Boolean))
        if (drawn !== String(marks)) {
          drawn = String(marks)
          facts.replaceChildren(...marks.map(([style, text]) => h('span', { class: `wall-mark ${style}` }, text)))
        }
        attribute(node, 'aria-label', [name, ...marks.map(([, text]) => text), users.textContent].join(', '))
      },
    }
    video.addEventListener('playing', () => { if (viewing) node.classList.add('on') })
    this.#tiles.set(name, tile)
    this.sight.observe(node)
    return tile
  }
}
