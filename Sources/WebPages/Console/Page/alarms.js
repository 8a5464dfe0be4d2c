// The server's alarms: a badge beside the link of the overview, and the list at the top of it.
import { poll } from './api.js'
import { card, counter, roomLink } from './fields.js'
import { count, moment, span } from './format.js'
import { attribute, h, keyed, say } from './dom.js'
import { text } from './text.js'

const INTERVAL = 3000
const RECENT = 3_600_000 // cleared alarms are shown for an hour

/** @param {Wire.Alarm} alarm */
const keyOf = ({ node, kind, room, job, name, since, clearedAt }) => [node, kind, room, job, name, since, clearedAt].join(' ')

/** @param {Wire.Alarm} alarm */
const title = ({ kind }) => /** @type {Record<string, string>} */ (text.alarms.kinds)[kind] ?? kind

export class Alarms {
  /** @param {Api} api @param {HTMLElement[]} links The links of the navigation. */
  constructor(api, links) {
    this.badges = links.filter(link => link.dataset.section === 'overview').map(link => {
      const [digits, words] = [h('span', { 'aria-hidden': 'true' }), h('span', { class: 'only-read', role: 'status' })]
      const node = h('span', { class: 'badge alarm', hidden: true, data: { badge: 'alarms' } }, digits, words)
      link.append(node)
      return { node, digits, words }
    })
    this.rows = h('ul', { class: 'list' })
    this.more = h('p', { class: 'muted more', hidden: true })
    this.past = h('ul', { class: 'list' })
    this.number = counter()
    this.summary = h('summary', {})
    this.history = h('details', {}, this.summary, this.past)
    this.node = card(text.alarms.title, { style: 'alarms', head: [this.number] }, this.rows, this.more, this.history)
    this.node.hidden = true
    // A failure is shown by the view; the last alarms stay.
    this.stop = poll(INTERVAL, async () => this.#update(await api.get('/v1/alarms')), () => {})
  }

  /** @param {Wire.AlarmList} alarms */
  #update({ active, unlisted, cleared }) {
    const recent = cleared.filter(alarm => Date.now() - (alarm.clearedAt ?? 0) < RECENT)
    const number = active.length + unlisted
    for (const { node, digits, words } of this.badges) {
      node.hidden = !number
      node.classList.toggle('bad', active.some(alarm => alarm.severity === 'critical'))
      say(digits, count(number))
      say(words, ` ${text.alarms.count(number)}`)
    }
    this.node.hidden = !number && !recent.length
    say(this.number, number ? count(number) : '')
    this.more.hidden = !unlisted
    say(this.more, unlisted ? text.alarms.more(unlisted) : '')
    keyed(this.rows, active, keyOf, alarm => this.#row(alarm))
    this.rows.hidden = !active.length
    this.history.hidden = !recent.length
    say(this.summary, text.alarms.cleared(recent.length))
    keyed(this.past, recent, keyOf, alarm => this.#row(alarm))
  }

  /** @param {Wire.Alarm} alarm @returns {Part<Wire.Alarm>} */
  #row(alarm) {
    const { node: at, kind, room, job, since } = alarm
    const [dot, severity, message, time] = [h('span', { class: 'dot' }), h('span', { class: 'only-read' }), h('div', { class: 'muted' }), h('time', { class: 'faint number', datetime: new Date(since).toISOString() })]
    const node = h('li', { data: { alarm: kind, ...(job && { job }) } }, dot, h('div', { class: 'grow' },
      severity, h('b', {}, title(alarm)), room && [' · ', roomLink(room)], job && ` · ${job}`, at && ` · ${at}`, message), time)
    return {
      node,
      update: ({ severity: level, message: sentence, clearedAt }) => {
        dot.className = `dot ${clearedAt ? 'good' : level === 'critical' ? 'bad' : 'warn'}`
        say(severity, `${clearedAt ? text.alarms.isCleared : text.alarms[level]}: `)
        say(message, sentence)
        attribute(time, 'title', moment(since))
        say(time, clearedAt ? text.alarms.lasted(span(clearedAt - since)) : text.alarms.lasts(span(Date.now() - since)))
      },
    }
  }
}
