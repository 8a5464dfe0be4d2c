// The server: its load and its history.
import { poll } from './api.js'
import { Chart } from './charts.js'
import { ClusterCard } from './cluster.js'
import { problem } from './dialogs.js'
import { h, keyed, say } from './dom.js'
import { DrainCard } from './drain.js'
import { card, nothing, segments } from './fields.js'
import { bytes, count, joined, percent, rate, span } from './format.js'
import { Samples, Workers, cpuChart, memoryChart, perSecond } from './samples.js'
import { text } from './text.js'

const MINUTE = 60_000

export class ServerView {
  title = text.shell.server

  /** @param {Operator} app */
  constructor(app) {
    this.app = app
    this.samples = new Samples()
    this.range = 15 * MINUTE
    this.facts = h('div', { class: 'facts' }, '\u00a0')
    this.failure = h('div')
    /** @type {Record<string, (number: string, unitText: string, moreText?: string) => void>} */
    this.figures = {}
    /** @param {string} key @param {string} name */
    const figure = (key, name) => {
      const [value, unit, more] = [h('span', { class: 'number' }, '–'), h('span', { class: 'unit' }), h('div', { class: 'more number' }, '\u00a0')]
      this.figures[key] = (number, unitText, moreText) => { say(value, number); say(unit, unitText); say(more, moreText || '\u00a0') }
      return h('div', { class: 'figure' }, h('dt', {}, name), h('dd', {}, value, unit), more)
    }
    const words = text.server
    this.charts = {
      cpu: cpuChart(), memory: memoryChart(),
      packets: new Chart({ title: words.packets, series: [words.out, words.in], format: perSecond, least: 100 }),
      bits: new Chart({ title: words.traffic, series: [words.out, words.in], format: value => joined(rate(value)), least: 500 }),
      people: new Chart({ title: words.participants, series: [''], format: value => count(Math.round(value)), least: 5 }),
      drops: new Chart({ title: words.dropped, series: [''], format: perSecond, least: 10 }),
    }
    this.workers = new Workers()
    this.drain = new DrainCard(app.api)
    this.cluster = new ClusterCard(app.api)
    this.drops = h('ul', { class: 'list number' })
    this.noDrops = nothing(words.noDrops)
    this.node = h('div', { class: 'view' },
      h('header', { class: 'view-head' }, h('div', { class: 'titles' }, h('h1', {}, text.shell.server), this.facts), this.#ranges()),
      this.failure,
      h('dl', { class: 'card figures' }, figure('cpu', words.processor), figure('memory', words.memory), figure('out', words.sent), figure('in', words.received),
        figure('people', words.participants), figure('joins', words.joins)),
      h('div', { class: 'charts' }, Object.values(this.charts).map(chart => chart.node)),
      h('div', { class: 'columns' },
        this.workers.node,
        card(words.byReason, { label: null }, this.noDrops, this.drops)),
      this.cluster.node, this.drain.node)
    this.stop = poll(2000, () => this.#load(), error => this.failure.replaceChildren(problem(error)))
  }

  #ranges() {
    const { node, mark } = segments(text.server.range, { 5: text.server.minutes(5), 15: text.server.minutes(15), 60: text.server.hour }, 'minutes', minutes => {
      this.range = Number(minutes) * MINUTE
      this.#draw()
    })
    mark('15')
    return node
  }

  async #load() {
    const [sample] = await Promise.all([this.samples.read(this.app.api), this.drain.read(), this.cluster.read()])
    this.failure.replaceChildren()
    if (this.samples.state) this.#tell(this.samples.state, sample)
    this.#draw()
  }

  /** @param {Wire.Server} state @param {Sample | null} [sample] */
  #tell(state, sample) {
    say(this.facts, text.server.facts(span(state.at - state.startedAt), state.workers.length, state.process.cores, state.process.openFiles))
    const { figures } = this
    if (sample) {
      figures.cpu(percent(sample.cpu, 0).replace(/\D+$/, ''), '%', text.server.ofAll(`${state.process.cores * 100}\u202f%`))
      figures.out(...rate(sample.kbpsSent), perSecond(Math.round(sample.packetsSent)))
      figures.in(...rate(sample.kbpsReceived), perSecond(Math.round(sample.packetsReceived)))
    }
    figures.memory(...bytes(state.process.residentBytes), text.server.inRings(joined(bytes(state.workers.reduce((sum, worker) => sum + worker.ringBytes, 0)))))
    figures.people(count(state.participants), '', text.server.inRooms(state.rooms, state.tracks))
    figures.joins(count(state.joins.accepted), '', text.server.joinFacts(count(state.joins.refused), count(state.resumes)))
    this.workers.update(this.samples)
    const drops = Object.entries(state.drops).sort((a, b) => b[1] - a[1])
    this.noDrops.hidden = drops.length > 0
    keyed(this.drops, drops, ([reason]) => reason, ([reason]) => {
      const value = h('span', { class: 'muted' })
      return { node: h('li', {}, text.server.drops[reason] ?? inWords(reason), value), update: ([, number]) => say(value, count(number)) }
    })
  }

  #draw() {
    const to = this.samples.list.at(-1)?.at
    if (!to) return
    /** @param {Chart} chart @param {...keyof Sample} names */
    const draw = (chart, ...names) => chart.update(this.samples.points(...names), to - this.range, to)
    draw(this.charts.cpu, 'cpu')
    draw(this.charts.memory, 'megabytes')
    draw(this.charts.packets, 'packetsSent', 'packetsReceived')
    draw(this.charts.bits, 'kbpsSent', 'kbpsReceived')
    draw(this.charts.people, 'participants')
    draw(this.charts.drops, 'droppedPerSecond')
  }
}

// "awaitingKeyFrame" → "Awaiting key frame"
/** @param {string} name */
const inWords = name => (name[0].toUpperCase() + name.slice(1)).replace(/([a-z])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`)
  .replace(/\b(ssrc|rtp|rtcp|nack)\b/gi, word => word.toUpperCase())
