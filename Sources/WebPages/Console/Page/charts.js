// Two drawings: a spark, which is only a line, and a chart with a scale, a time axis and a value under the pointer.
import { h, say, svg } from './dom.js'
import { clock } from './format.js'
import { text } from './text.js'

// The last values of a number, as a line.
export class Spark {
  /** @param {{ width?: number, height?: number, length?: number, label: string }} given */
  constructor({ width = 96, height = 26, length = 60, label }) {
    this.width = width
    this.height = height
    this.length = length
    this.area = svg('path', { class: 'area' })
    const base = svg('line', { class: 'base', x1: 0, x2: width, y1: height - 0.5, y2: height - 0.5 })
    this.line = svg('path', { class: 'line' })
    this.node = svg('svg', { class: 'spark', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label }, base, this.area, this.line)
  }

  // Newest last; drawn from the right, so that a short line grows to the left.
  /** @param {number[]} values @param {number} [least] */
  update(values, least = 1) {
    const shown = values.slice(-this.length)
    const top = Math.max(least, ...shown) * 1.08
    const step = this.width / (this.length - 1)
    const left = this.width - (shown.length - 1) * step
    const points = shown.map((value, index) => `${(left + index * step).toFixed(1)} ${(this.height - 1 - value / top * (this.height - 2)).toFixed(1)}`)
    const path = points.length > 1 ? `M${points.join('L')}` : ''
    this.line.setAttribute('d', path)
    this.area.setAttribute('d', path && `${path}L${this.width} ${this.height}L${left.toFixed(1)} ${this.height}Z`)
    this.node.classList.toggle('off', !shown.some(value => value > 0))
  }
}

const HEIGHT = 120
const FOOT = 18

// One or two lines over time. `series` names them; `format` writes a value; `scale` rounds the top of the scale.
export class Chart {
  /** @param {{ title: string, series: string[], format: (value: number) => string, least?: number }} given */
  constructor({ title, series, format, least = 1 }) {
    this.title = title
    this.series = series
    this.format = format
    this.least = least
    /** @type {Point[]} */
    this.points = []
    /** @type {number | null} */
    this.hovered = null
    this.from = 0
    this.to = 0
    this.values = series.map(() => h('span', { class: 'number' }))
    const keys = series.map((name, index) => h('span', { class: `key${index ? ' second' : ''}` },
      series.length > 1 && h('i'), this.values[index], name && h('small', {}, name)))
    this.plot = svg('svg', { class: 'plot', role: 'img', 'aria-label': title })
    this.node = h('section', { class: 'card chart' },
      h('div', { class: 'chart-head' }, h('h2', {}, title), h('div', { class: 'now' }, keys)), this.plot)
    this.plot.addEventListener('pointermove', event => { this.hovered = event.offsetX; this.draw() })
    this.plot.addEventListener('pointerleave', () => { this.hovered = null; this.draw() })
    new ResizeObserver(() => this.draw()).observe(this.plot)
  }

  // `points`: `{ at, values }`, oldest first; those since `from` are shown.
  /** @param {Point[]} points @param {number} from @param {number} to */
  update(points, from, to) {
    this.points = points.filter(point => point.at >= from)
    this.from = Math.max(from, this.points[0]?.at ?? from)
    this.to = to
    this.draw()
  }

  draw() {
    const width = this.plot.clientWidth
    if (!width || !this.to) return
    const { points } = this
    const floor = HEIGHT - FOOT
    const top = niceTop(Math.max(this.least, ...points.flatMap(point => point.values)))
    /** @param {number} at */
    const x = at => (at - this.from) / Math.max(1, this.to - this.from) * width
    /** @param {number} value */
    const y = value => floor - Math.max(0, value) / top * (floor - 8)
    const parts = []
    for (const share of [0, 0.5, 1]) {
      const height = Math.round(y(top * share)) + 0.5
      parts.push(svg('line', { class: 'grid', x1: 0, x2: width, y1: height, y2: height }))
    }
    this.series.map((_, index) => index).reverse().forEach(index => {
      if (points.length < 2) return
      const path = `M${points.map(point => `${x(point.at).toFixed(1)} ${y(point.values[index]).toFixed(1)}`).join('L')}`
      if (!index) parts.push(svg('path', { class: 'area', d: `${path}L${x(points[points.length - 1].at)} ${floor}L${x(points[0].at)} ${floor}Z` }))
      parts.push(svg('path', { class: index ? 'line second' : 'line', d: path }))
    })
    /** @param {number} at @param {string} words @param {string} anchor */
    const mark = (at, words, anchor) => svg('text', { x: at, y: HEIGHT - 3, 'text-anchor': anchor }, words)
    parts.push(mark(0, clock(this.from), 'start'), mark(width, clock(this.to), 'end'))
    parts.push(svg('text', { x: width, y: 5, 'text-anchor': 'end' }, this.format(top)))

    const { hovered } = this
    let shown = points.at(-1)
    if (hovered !== null && points.length) {
      shown = points.reduce((best, point) => Math.abs(x(point.at) - hovered) < Math.abs(x(best.at) - hovered) ? point : best)
      const at = x(shown.at)
      parts.push(svg('line', { class: 'cross', x1: at, x2: at, y1: 0, y2: floor }))
      parts.push(mark(Math.min(width - 60, Math.max(60, at)), clock(shown.at), 'middle'))
    }
    this.plot.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`)
    this.plot.replaceChildren(...parts)
    const texts = shown?.values.map(value => this.format(value))
    this.values.forEach((node, index) => say(node, texts ? texts[index] : '–'))
    this.plot.setAttribute('aria-label', `${this.title}: ${texts ? this.series.map((name, index) => `${name} ${texts[index]}`).join(', ') : text.server.nothingYet}`)
  }
}

// The next of 1, 2, 2.5, 5 times a power of ten.
/** @param {number} value */
function niceTop(value) {
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 2.5, 5, 10].map(step => step * power).find(step => step >= value) ?? value
}
