// The server's last hour, updated by further readings.
import { Chart } from './charts.js'
import { h, keyed, say } from './dom.js'
import { card, cell, loadCell, table } from './fields.js'
import { bytes, count, joined, percent } from './format.js'
import { text } from './text.js'

const MOST = 2400

/** @typedef {keyof Wire.Worker} Count */
/** @typedef {{ worker: Wire.Worker, grown: (name: Count) => number }} Load */

export class Samples {
  /** @type {Sample[]} */
  list = [] // oldest first: `{ at, cpu, megabytes, participants, packetsSent, … }`
  /** @type {Wire.Server | null} */
  state = null // the last reading of the server
  /** @type {Wire.Server | null} */
  before = null // the one before it

  /** @param {Api} api */
  async read(api) {
    if (!this.list.length) {
      const { interval, samples } = await api.get('/v1/server/history')
      this.list = samples.map(sample => ({ ...sample, megabytes: sample.residentBytes / 2 ** 20, droppedPerSecond: sample.dropped / interval }))
    }
    this.before = this.state
    this.state = await api.get('/v1/server')
    const sample = this.before && between(this.before, this.state)
    if (sample) this.list.push(sample)
    while (this.list.length > MOST) this.list.shift()
    return sample ?? this.list.at(-1)
  }

  // Returns a chart's points of these names.
  /** @param {...keyof Sample} names */
  points(...names) { return this.list.map(sample => ({ at: sample.at, values: names.map(name => sample[name]) })) }
}

/** @param {number} value */
export const perSecond = value => `${count(value)}/s`

export const cpuChart = () => new Chart({ title: text.server.processor, series: [''], format: value => percent(value, 0), least: 0.1 })
export const memoryChart = () => new Chart({ title: text.server.memory, series: [''], format: value => joined(bytes(value * 2 ** 20)), least: 10 })

// The media workers, and the load of each.
export class Workers {
  constructor() {
    const { node, rows } = table(text.server.workers, 'number', Object.values(text.server.columns).map((name, index) => [name, index > 1 ? 'right' : '']), false)
    this.rows = rows
    this.node = card(text.server.workers, { label: null }, node)
  }

  /** @param {Samples} given */
  update({ state, before: last }) {
    if (!state) return
    const before = new Map(last?.workers.map(worker => [worker.port, worker]))
    const seconds = last ? (state.at - last.at) / 1000 : 0
    const rows = state.workers.map(worker => {
      const old = before.get(worker.port)
      return { worker, grown: (/** @type {Count} */ name) => old && seconds > 0 ? (worker[name] - old[name]) / seconds : 0 }
    })
    keyed(this.rows, rows, ({ worker }) => worker.port, workerRow)
  }
}

/** @returns {Part<Load>} */
function workerRow() {
  const [port, load] = [cell('mono'), loadCell()]
  const cells = Array.from({ length: 7 }, () => cell('right'))
  const node = h('tr', {}, port, load.node, cells)
  /** @param {Load} load */
  const update = ({ worker, grown }) => {
    const share = grown('cpuSeconds')
    say(port, String(worker.port))
    load.update(share, percent(share, 0))
    const texts = [count(worker.rooms), count(worker.transports), count(worker.tracks), count(worker.subscriptions),
      perSecond(Math.round(grown('packetsReceived'))), perSecond(Math.round(grown('packetsSent'))), count(worker.dropped)]
    cells.forEach((cell, index) => say(cell, texts[index]))
  }
  return { node, update }
}

// The activity between two readings of the server; null if no time has passed between them.
/** @param {Wire.Server} before @param {Wire.Server} now @returns {Sample | null} */
function between(before, now) {
  const seconds = (now.at - before.at) / 1000
  if (seconds <= 0 || now.startedAt !== before.startedAt) return null
  /** @param {Wire.Server} state @param {Count} name */
  const sum = (state, name) => state.workers.reduce((total, worker) => total + worker[name], 0)
  /** @param {Count} name */
  const grown = name => (sum(now, name) - sum(before, name)) / seconds
  return {
    at: now.at, cpu: (now.process.cpuSeconds - before.process.cpuSeconds) / seconds, megabytes: now.process.residentBytes / 2 ** 20,
    participants: now.participants, packetsReceived: grown('packetsReceived'), packetsSent: grown('packetsSent'),
    kbpsReceived: grown('bytesReceived') * 8 / 1000, kbpsSent: grown('bytesSent') * 8 / 1000, droppedPerSecond: grown('dropped'),
  }
}
