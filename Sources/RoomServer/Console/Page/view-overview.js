// The operator's view: every room with its picture, the outgoing streams, the server's load, and recent events.
import { poll } from './api.js'
import { Chart } from './charts.js'
import { problem } from './dialogs.js'
import { h, icon, keyed, say } from './dom.js'
import { DrainNotice } from './drain.js'
import { EventLog } from './event-log.js'
import { bytes, count, joined, percent, plural, rate } from './format.js'
import { watchStream } from './player.js'
import { RoomsWatch } from './rooms-watch.js'
import { Samples, Workers } from './samples.js'
import { Wall } from './wall.js'

const RANGE = 15 * 60_000
/** @type {Record<string, string>} */
const MOODS = { connected: 'good', autoReconnecting: 'warn', connecting: 'warn', error: 'bad' }

export class OverviewView {
  title = 'Overview'

  /** @param {Operator} app */
  constructor(app) {
    this.app = app
    this.watch = app.watch ??= new RoomsWatch()
    this.samples = new Samples()
    this.events = new EventLog()
    this.drain = new DrainNotice()
    this.facts = h('div', { class: 'facts' }, '\u00a0')
    this.failure = h('div')
    this.wall = new Wall(app.api)
    this.empty = h('div', { class: 'card empty', hidden: true }, icon('rooms'), h('h2', {}, 'No rooms yet'), h('p', {}, 'Go live, or create a room, to see its picture here.'))
    this.cpu = new Chart({ title: 'Processor', series: [''], format: value => percent(value, 0), least: 0.1 })
    this.memory = new Chart({ title: 'Memory', series: [''], format: value => joined(bytes(value * 2 ** 20)), least: 10 })
    this.workers = new Workers()
    /** @param {string} title @param {string} text */
    const list = (title, text) => {
      const [rows, none, number] = [h('ul', { class: 'list number' }), h('div', { class: 'empty small' }, h('p', {}, text)), h('span', { class: 'count number' })]
      return { rows, none, number, node: h('section', { class: 'card', 'aria-label': title }, h('div', { class: 'card-head' }, h('h2', {}, title), number), none, rows) }
    }
    this.jobs = list('Jobs', 'No jobs.')
    this.streams = list('Broadcasts', 'Nothing is live at this origin.')
    this.log = list('Events', 'Nothing happened so far.')
    this.log.rows.setAttribute('role', 'log')
    this.log.rows.tabIndex = 0
    this.log.node.classList.add('log')
    this.node = h('div', { class: 'view overview' },
      h('header', { class: 'view-head' }, h('div', { class: 'titles' }, h('h1', {}, 'Overview'), this.facts)),
      this.failure, this.app.shell?.alarms?.node, this.drain.node, this.empty, this.wall.node,
      h('div', { class: 'columns even' }, this.jobs.node, this.streams.node),
      h('div', { class: 'charts' }, this.cpu.node, this.memory.node), this.workers.node, this.log.node)
    this.endPoll = poll(2000, () => this.#load(), error => this.failure.replaceChildren(problem(error)))
    this.#tell()
  }

  stop() {
    this.endPoll()
    this.wall.stop()
  }

  async #load() {
    const { api } = this.app
    const [streams, drain] = await Promise.all([api.streams(), api.drain(), this.samples.read(api), this.watch.turn(api), this.events.turn(api)])
    this.failure.replaceChildren()
    this.drain.update(drain)
    this.#fill(this.streams, streams, stream => stream.path, stream => this.#stream(stream))
    this.workers.update(this.samples)
    this.#draw()
    this.#tell()
  }

  #tell() {
    const { rooms } = this.watch
    this.empty.hidden = rooms.length > 0
    this.wall.update(rooms)
    const jobs = rooms.flatMap(room => room.state?.jobs.map(job => ({ room: room.name, ...job })) ?? [])
    this.#fill(this.jobs, jobs, job => `${job.room} ${job.jobId} ${job.startedAt}`, job => this.#job(job))
    this.#fill(this.log, this.events.lines, event => event.key, event => this.#event(event))
    const people = rooms.reduce((sum, room) => sum + room.participants, 0)
    say(this.facts, [plural(rooms.length, 'room'), plural(people, 'participant'), plural(jobs.length, 'job')].join(' · '))
  }

  /** @template T @param {{ rows: HTMLElement, none: HTMLElement, number: HTMLElement }} list @param {T[]} items @param {(item: T) => unknown} keyOf @param {(item: T) => Part<T>} make */
  #fill({ rows, none, number }, items, keyOf, make) {
    none.hidden = items.length > 0
    rows.hidden = !items.length
    say(number, items.length ? count(items.length) : '')
    keyed(rows, items, keyOf, make)
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
    const node = h('li', { data: { job: jobId } }, dot, h('div', { class: 'grow' }, h('b', {}, jobId), ' in ', h('a', { class: 'link', href: `#/rooms/${encodeURIComponent(room)}` }, room), way))
    return {
      node,
      update: ({ state, target, publishAs, failure }) => {
        dot.className = `dot ${MOODS[state] ?? ''}`
        say(way, [kind === 'merge' ? 'mix' : 'forward', target && `to ${target}`, publishAs && `into the room as ${publishAs}`, failure?.message].filter(Boolean).join(' · '))
      },
    }
  }

  /** @param {Wire.Stream} given @returns {Part<Wire.Stream>} */
  #stream({ path }) {
    const text = h('span', { class: 'muted' })
    const node = h('li', { data: { stream: path } }, h('span', { class: 'dot good' }), h('div', { class: 'grow' }, h('button', { type: 'button', class: 'link', on: { click: () => watchStream(this.app.api, path) } }, path), text))
    return {
      node,
      update: ({ kbps, viewers, video }) => {
        const watching = Object.values(viewers).reduce((sum, value) => sum + value, 0)
        say(text, [video?.width && `${video.width}×${video.height}`, joined(rate(kbps)), plural(watching, 'viewer')].filter(Boolean).join(' · '))
      },
    }
  }

  /** @param {EventLog['lines'][0]} given */
  #event({ at, room, text, mood }) {
    const time = new Date(at).toLocaleTimeString('en-GB')
    return { node: h('li', {}, h('time', { class: 'faint', datetime: new Date(at).toISOString() }, time), h('span', { class: `dot ${mood}` }), h('div', { class: 'grow' }, h('a', { class: 'link', href: `#/rooms/${encodeURIComponent(room)}` }, room), ` ${text}`)), update() {} }
  }
}
