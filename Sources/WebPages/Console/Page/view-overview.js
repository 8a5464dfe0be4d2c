// The operator's view: the server's load, jobs, live streams and recent events, and the most active rooms with their pictures.
import { poll } from './api.js'
import { h, icon, keyed, say } from './dom.js'
import { DrainNotice } from './drain.js'
import { EventLog } from './event-log.js'
import { card, counter, nothing, roomLink } from './fields.js'
import { count, joined, rate } from './format.js'
import { Freshness } from './freshness.js'
import { watchStream } from './player.js'
import { Samples, Workers, cpuChart, memoryChart } from './samples.js'
import { text } from './text.js'
import { audience } from './view-live.js'
import { Wall } from './wall.js'

const RANGE = 15 * 60_000
const MOST_ROOMS = 60 // with a tile
const MOST_ROWS = 40 // in a card
/** @type {Record<string, string>} */
const MOODS = { connected: 'good', autoReconnecting: 'warn', connecting: 'warn', error: 'bad' }
const { overview: words } = text

export class OverviewView {
  title = text.shell.overview

  /** @param {Operator} app */
  constructor(app) {
    this.app = app
    this.samples = new Samples()
    this.events = new EventLog()
    this.drain = new DrainNotice()
    this.facts = h('div', { class: 'facts' }, '\u00a0')
    this.wall = new Wall(app.api)
    this.empty = h('div', { class: 'card empty', hidden: true, data: { notice: 'no-rooms' } }, icon('rooms'), h('h2', {}, text.rooms.none), h('p', {}, words.noRoomsHint))
    this.cpu = cpuChart()
    this.memory = memoryChart()
    this.workers = new Workers()
    /** @param {string} title @param {string} text */
    const list = (title, text) => {
      const [rows, none, number] = [h('ul', { class: 'list number', tabindex: '0', 'aria-label': title }), nothing(text), counter()]
      return { rows, none, number, node: card(title, { head: [number] }, none, rows) }
    }
    this.jobs = list(text.room.jobs, words.noJobs)
    this.streams = list(words.broadcasts, words.noBroadcasts)
    this.log = list(text.history.events, words.noEvents)
    this.log.rows.setAttribute('role', 'log')
    this.log.node.classList.add('log')
    this.all = h('a', { class: 'link', href: '#/rooms', hidden: true, data: { action: 'all-rooms' } })
    this.heading = h('div', { class: 'section-head', hidden: true }, h('h2', {}, text.shell.rooms), this.all)
    const content = h('div', { class: 'overview-content' },
      h('div', { class: 'columns three figures-row' }, this.cpu.node, this.memory.node, this.workers.node),
      h('div', { class: 'columns three' }, this.jobs.node, this.streams.node, this.log.node), this.heading, this.empty, this.wall.node)
    this.fresh = new Freshness(content)
    this.node = h('div', { class: 'view overview' },
      h('header', { class: 'view-head' }, h('div', { class: 'titles' }, h('h1', {}, text.shell.overview), this.facts)),
      this.fresh.node, this.app.shell?.alarms?.node, this.drain.node, content)
    this.endPoll = poll(2000, () => this.#load(), error => this.fresh.failed(error))
  }

  stop() {
    this.endPoll()
    this.wall.stop()
  }

  async #load() {
    const { api } = this.app
    const [list, { streams }, drain] = await Promise.all([
      api.get('/v1/rooms', { sort: 'live', limit: MOST_ROOMS }), api.get('/v1/streams'), api.get('/v1/server/drain'), this.samples.read(api), this.events.turn(api)])
    this.fresh.good()
    this.drain.update(drain)
    this.#fill(this.streams, streams, streams.length, stream => stream.path, stream => this.#stream(stream))
    this.#fill(this.log, this.events.lines, this.events.lines.length, event => event.key, event => this.#event(event), Infinity)
    this.workers.update(this.samples)
    this.#draw()
    this.#tell(list)
  }

  /** @param {Wire.RoomList} given */
  #tell({ rooms, totals }) {
    this.empty.hidden = rooms.length > 0
    this.heading.hidden = !rooms.length
    this.all.hidden = rooms.length === totals.rooms
    say(this.all, words.allRooms(totals.rooms))
    this.wall.update(rooms)
    const jobs = rooms.flatMap(room => room.jobs.map(job => ({ room: room.name, ...job })))
    this.#fill(this.jobs, jobs, totals.jobs, job => `${job.room} ${job.jobId} ${job.startedAt}`, job => this.#job(job))
    const { lists } = text
    say(this.facts, [lists.rooms(totals.rooms), lists.people(totals.participants), lists.live(totals.live), lists.viewers(totals.viewers), lists.jobs(totals.jobs)].join(' · '))
  }

  /** @template T @param {{ rows: HTMLElement, none: HTMLElement, number: HTMLElement }} list @param {T[]} items @param {number} all @param {(item: T) => unknown} keyOf @param {(item: T) => Part<T>} make @param {number} [most] */
  #fill({ rows, none, number }, items, all, keyOf, make, most = MOST_ROWS) {
    none.hidden = items.length > 0
    rows.hidden = !items.length
    const shown = items.slice(0, most)
    say(number, !all ? '' : shown.length < all ? text.lists.shown(count(shown.length), count(all)) : count(all))
    keyed(rows, shown, keyOf, make)
  }

  #draw() {
    const to = this.samples.list.at(-1)?.at
    if (!to) return
    this.cpu.update(this.samples.points('cpu'), to - RANGE, to)
    this.memory.update(this.samples.points('megabytes'), to - RANGE, to)
  }

  /** @param {Wire.Job & { room: string }} given @returns {Part<Wire.Job>} */
  #job({ room, jobId, kind }) {
    const [dot, way] = [h('span', { class: 'dot' }), h('span', { class: 'muted' })]
    const node = h('li', { data: { job: jobId } }, dot, h('div', { class: 'grow' }, h('b', {}, jobId), words.inRoom, roomLink(room), way))
    return {
      node,
      update: ({ state, target, publishAs, failure }) => {
        dot.className = `dot ${MOODS[state] ?? ''}`
        say(way, [words.kinds[kind], target && words.to(target), publishAs && text.room.intoRoom(publishAs), failure?.message].filter(Boolean).join(' · '))
      },
    }
  }

  /** @param {Wire.Stream} given @returns {Part<Wire.Stream>} */
  #stream({ path }) {
    const facts = h('span', { class: 'muted' })
    const node = h('li', { data: { stream: path } }, h('span', { class: 'dot good' }), h('div', { class: 'grow' }, h('button', { type: 'button', class: 'link', on: { click: () => watchStream(this.app.api, path) } }, path), facts))
    return {
      node,
      update: stream => {
        const { kbps, video } = stream
        say(facts, [video?.width && `${video.width}×${video.height}`, joined(rate(kbps)), text.lists.viewers(audience(stream))].filter(Boolean).join(' · '))
      },
    }
  }

  /** @param {EventLog['lines'][0]} given */
  #event({ at, room, text, mood }) {
    const time = new Date(at).toLocaleTimeString('en-GB')
    return { node: h('li', {}, h('time', { class: 'faint', datetime: new Date(at).toISOString() }, time), h('span', { class: `dot ${mood}` }), h('div', { class: 'grow' }, roomLink(room), ` ${text}`)), update() {} }
  }
}
