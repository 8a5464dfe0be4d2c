// The server: its load and its history.
import { poll } from './api.js'
import { Chart } from './charts.js'
import { problem } from './dialogs.js'
import { h, keyed, say } from './dom.js'
import { DrainCard } from './drain.js'
import { bytes, count, joined, percent, plural, rate, span } from './format.js'
import { Samples, Workers } from './samples.js'

const MINUTE = 60_000
/** @param {number} value */
const perSecond = value => `${count(value)}/s`

export class ServerView {
  title = 'Server'

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
    this.charts = {
      cpu: new Chart({ title: 'Processor', series: [''], format: value => percent(value, 0), least: 0.1 }),
      memory: new Chart({ title: 'Memory', series: [''], format: value => joined(bytes(value * 2 ** 20)), least: 10 }),
      packets: new Chart({ title: 'Packets', series: ['out', 'in'], format: perSecond, least: 100 }),
      bits: new Chart({ title: 'Traffic', series: ['out', 'in'], format: value => joined(rate(value)), least: 500 }),
      people: new Chart({ title: 'Participants', series: [''], format: value => count(Math.round(value)), least: 5 }),
      drops: new Chart({ title: 'Dropped packets', series: [''], format: perSecond, least: 10 }),
    }
    this.workers = new Workers()
    this.drain = new DrainCard(app.api)
    this.drops = h('ul', { class: 'list number' })
    this.noDrops = h('div', { class: 'empty small' }, h('p', {}, 'No packet was dropped so far.'))
    this.node = h('div', { class: 'view' },
      h('header', { class: 'view-head' }, h('div', { class: 'titles' }, h('h1', {}, 'Server'), this.facts), this.#ranges()),
      this.failure,
      h('dl', { class: 'card figures' }, figure('cpu', 'Processor'), figure('memory', 'Memory'), figure('out', 'Sent'), figure('in', 'Received'),
        figure('people', 'Participants'), figure('joins', 'Joins')),
      h('div', { class: 'charts' }, Object.values(this.charts).map(chart => chart.node)),
      h('div', { class: 'columns' },
        this.workers.node,
        h('section', { class: 'card' }, h('div', { class: 'card-head' }, h('h2', {}, 'Dropped, by reason')), this.noDrops, this.drops)),
      this.drain.node)
    this.stop = poll(2000, () => this.#load(), error => this.failure.replaceChildren(problem(error)))
  }

  #ranges() {
    const choices = /** @type {Array<[number, string]>} */ ([[5, '5 min'], [15, '15 min'], [60, '1 h']])
    const buttons = choices.map(([minutes, name]) => h('button', {
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
    const [sample] = await Promise.all([this.samples.read(this.app.api), this.drain.read()])
    this.failure.replaceChildren()
    if (this.samples.state) this.#tell(this.samples.state, sample)
    this.#draw()
  }

  /** @param {Wire.Server} state @param {Sample | null} [sample] */
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
    this.workers.update(this.samples)
    const drops = Object.entries(state.drops).sort((a, b) => b[1] - a[1])
    this.noDrops.hidden = drops.length > 0
    keyed(this.drops, drops, ([reason]) => reason, ([reason]) => {
      const value = h('span', { class: 'muted' })
      return { node: h('li', {}, inWords(reason), value), update: ([, number]) => say(value, count(number)) }
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
