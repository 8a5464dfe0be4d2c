// The server: what it carries, and how it has been doing.
import { poll } from './api.js'
import { Chart } from './charts.js'
import { problem } from './dialogs.js'
import { h, keyed, say } from './dom.js'
import { bytes, count, joined, percent, plural, rate, span } from './format.js'

const MINUTE = 60_000
const perSecond = value => `${count(value)}/s`

export class ServerView {
  title = 'Server'

  constructor(app) {
    this.app = app
    this.samples = []
    this.range = 15 * MINUTE
    this.facts = h('div', { class: 'facts' }, '\u00a0')
    this.failure = h('div')
    this.figures = {}
    const figure = (key, name) => {
      const [value, unit, more] = [h('span', { class: 'number' }, '–'), h('span', { class: 'unit' }), h('div', { class: 'more number' }, '\u00a0')]
      this.figures[key] = (number, unitText, moreText) => { say(value, number); say(unit, unitText); say(more, moreText || '\u00a0') }
      return h('div', { class: 'figure' }, h('dt', {}, name), h('dd', {}, value, unit), more)
    }
    this.charts = {
      cpu: new Chart({ title: 'Processor', series: [''], format: value => percent(value, 0), least: 0.1 }),
      memory: new Chart({ title: 'Memory', series: [''], format: value => joined(bytes(value * 2 ** 20)), least: 10 }),
      packets: new Chart({ title: 'Packets', series: ['out', 'in'], format: perSecond, least: 100 }),
      bits: new Chart({ title: 'Traffic', series: ['out', 'in'], format: value => joined(rate(value)), least: 500 }),
      people: new Chart({ title: 'Participants', series: [''], format: value => count(Math.round(value)), least: 5 }),
      drops: new Chart({ title: 'Dropped packets', series: [''], format: perSecond, least: 10 }),
    }
    this.workers = h('tbody')
    this.drops = h('ul', { class: 'list number' })
    this.noDrops = h('div', { class: 'empty small' }, h('p', {}, 'No packet was dropped so far.'))
    this.node = h('div', { class: 'view' },
      h('header', { class: 'view-head' }, h('div', { class: 'titles' }, h('h1', {}, 'Server'), this.facts), this.#ranges()),
      this.failure,
      h('dl', { class: 'card figures' }, figure('cpu', 'Processor'), figure('memory', 'Memory'), figure('out', 'Sent'), figure('in', 'Received'),
        figure('people', 'Participants'), figure('joins', 'Joins')),
      h('div', { class: 'charts' }, Object.values(this.charts).map(chart => chart.node)),
      h('div', { class: 'columns' },
        h('section', { class: 'card' }, h('div', { class: 'card-head' }, h('h2', {}, 'Media workers')),
          h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Media workers' }, h('table', { class: 'table number' }, h('thead', {}, h('tr', {},
            ['Port', 'Processor', 'Rooms', 'Transports', 'Tracks', 'Subscriptions', 'In', 'Out', 'Dropped'].map((name, index) =>
              h('th', { scope: 'col', class: index > 1 ? 'right' : '' }, name)))), this.workers))),
        h('section', { class: 'card' }, h('div', { class: 'card-head' }, h('h2', {}, 'Dropped, by reason')), this.noDrops, this.drops)))
    this.stop = poll(2000, () => this.#load(), error => this.failure.replaceChildren(problem(error)))
  }

  #ranges() {
    const buttons = [[5, '5 min'], [15, '15 min'], [60, '1 h']].map(([minutes, name]) => h('button', {
      type: 'button', 'aria-pressed': String(minutes * MINUTE === this.range), on: {
        click: event => {
          this.range = minutes * MINUTE
          for (const other of buttons) other.setAttribute('aria-pressed', String(other === event.target))
          this.#draw()
        },
      },
    }, name))
    return h('div', { class: 'segments', role: 'group', 'aria-label': 'Time shown' }, buttons)
  }

  async #load() {
    if (!this.samples.length) {
      const { interval, samples } = await this.app.api.history()
      this.samples = samples.map(sample => ({ ...sample, megabytes: sample.residentBytes / 2 ** 20, droppedPerSecond: sample.dropped / interval }))
    }
    const state = await this.app.api.server()
    this.failure.replaceChildren()
    const sample = this.last && between(this.last, state)
    if (sample) this.samples.push(sample)
    while (this.samples.length > 2400) this.samples.shift()
    this.#tell(state, sample ?? this.samples.at(-1))
    this.last = state
    this.#draw()
  }

  #tell(state, sample) {
    say(this.facts, `Up for ${span(state.at - state.startedAt)} · ${plural(state.workers.length, 'worker')} on ${plural(state.process.cores, 'core')} · ${plural(state.process.openFiles, 'open file')}`)
    const { figures } = this
    if (sample) {
      figures.cpu(percent(sample.cpu, 0).replace(/\D+$/, ''), '%', `of ${state.process.cores * 100}\u202f%`)
      figures.out(...rate(sample.kbpsSent), perSecond(Math.round(sample.packetsSent)))
      figures.in(...rate(sample.kbpsReceived), perSecond(Math.round(sample.packetsReceived)))
    }
    figures.memory(...bytes(state.process.residentBytes), `${joined(bytes(state.workers.reduce((sum, worker) => sum + worker.ringBytes, 0)))} in packet rings`)
    figures.people(count(state.participants), '', `in ${plural(state.rooms, 'room')}, ${plural(state.tracks, 'track')}`)
    figures.joins(count(state.joins.accepted), '', `${count(state.joins.refused)} refused, ${count(state.resumes)} resumed`)
    const before = new Map(this.last?.workers.map(worker => [worker.port, worker]))
    const seconds = this.last ? (state.at - this.last.at) / 1000 : 0
    const rows = state.workers.map(worker => {
      const old = before.get(worker.port)
      return { worker, grown: name => old && seconds > 0 ? (worker[name] - old[name]) / seconds : 0 }
    })
    keyed(this.workers, rows, ({ worker }) => worker.port, workerRow)
    const drops = Object.entries(state.drops).sort((a, b) => b[1] - a[1])
    this.noDrops.hidden = drops.length > 0
    keyed(this.drops, drops, ([reason]) => reason, ([reason]) => {
      const value = h('span', { class: 'muted' })
      return { node: h('li', {}, inWords(reason), value), update: ([, number]) => say(value, count(number)) }
    })
  }

  #draw() {
    const to = this.samples.at(-1)?.at
    if (!to) return
    const draw = (chart, ...names) => chart.update(this.samples.map(sample => ({ at: sample.at, values: names.map(name => sample[name]) })), to - this.range, to)
    draw(this.charts.cpu, 'cpu')
    draw(this.charts.memory, 'megabytes')
    draw(this.charts.packets, 'packetsSent', 'packetsReceived')
    draw(this.charts.bits, 'kbpsSent', 'kbpsReceived')
    draw(this.charts.people, 'participants')
    draw(this.charts.drops, 'droppedPerSecond')
  }
}

function workerRow() {
  const bar = h('i')
  const cpu = h('span')
  const cells = ['rooms', 'transports', 'tracks', 'subscriptions', 'in', 'out', 'dropped'].map(() => h('td', { class: 'right' }))
  const port = h('td', { class: 'mono' })
  const node = h('tr', {}, port, h('td', {}, h('div', { class: 'load' }, cpu, h('div', { class: 'meter' }, bar))), cells)
  const update = ({ worker, grown }) => {
    const share = grown('cpuSeconds')
    say(port, String(worker.port))
    say(cpu, percent(share, 0))
    bar.style.transform = `scaleX(${Math.min(1, share).toFixed(3)})`
    const texts = [count(worker.rooms), count(worker.transports), count(worker.tracks), count(worker.subscriptions),
      perSecond(Math.round(grown('packetsReceived'))), perSecond(Math.round(grown('packetsSent'))), count(worker.dropped)]
    cells.forEach((cell, index) => say(cell, texts[index]))
  }
  return { node, update }
}

// "awaitingKeyFrame" → "Awaiting key frame"
const inWords = name => (name[0].toUpperCase() + name.slice(1)).replace(/([a-z])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`)
  .replace(/\b(ssrc|rtp|rtcp|nack)\b/gi, word => word.toUpperCase())

// What happened between two readings of the server; nil where no time lies between them.
function between(before, now) {
  const seconds = (now.at - before.at) / 1000
  if (seconds <= 0 || now.startedAt !== before.startedAt) return null
  const sum = (state, name) => state.workers.reduce((total, worker) => total + worker[name], 0)
  const grown = name => (sum(now, name) - sum(before, name)) / seconds
  return {
    at: now.at, cpu: (now.process.cpuSeconds - before.process.cpuSeconds) / seconds, megabytes: now.process.residentBytes / 2 ** 20,
    participants: now.participants, packetsReceived: grown('packetsReceived'), packetsSent: grown('packetsSent'),
    kbpsReceived: grown('bytesReceived') * 8 / 1000, kbpsSent: grown('bytesSent') * 8 / 1000, droppedPerSecond: grown('dropped'),
  }
}
