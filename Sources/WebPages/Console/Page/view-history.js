// What happened on the server: lives, sessions and events, newest first. The address contains the tab and the filters.
import { problem } from './dialogs.js'
import { h, say } from './dom.js'
import { moodOf } from './event-log.js'
import { button, field, line, nothing, roomLink, segments, select } from './fields.js'
import { duration, moment } from './format.js'
import { text } from './text.js'

const words = text.history
/** @typedef {'lives' | 'sessions' | 'events'} Tab */
const tabs = /** @type {Tab[]} */ (['lives', 'sessions', 'events'])
const filters = ['room', 'user', 'kind', 'from', 'to']

// The value of a `datetime-local` field, which is local time without a zone.
/** @param {number} at */
const local = at => new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
/** @param {string | undefined} reason */
const inWords = reason => reason && (/** @type {Record<string, string>} */ ({ ...words.reasons, ...text.alarms.kinds })[reason] ?? reason)
/** @param {string | undefined} by */
const byWhom = by => by === undefined ? undefined : words.by(by || words.api)

export class HistoryView {
  title = text.shell.history
  #turn = 0 // the number of the last request, which outdates earlier ones

  // `address` is the tab and the filters: "events?room=demo&kind=roomClosed".
  /** @param {Operator} app @param {string} [tab] */
  constructor(app, tab) {
    this.app = app
    this.tab = tabs.find(each => each === tab) ?? 'lives'
    const given = new URLSearchParams(location.hash.split('?')[1])
    this.failure = h('div')
    this.rows = h('ul', { class: 'list history-list' })
    this.none = nothing(words.none)
    this.older = button('older', null, text.recordings.older, () => this.#load(this.next), '')
    this.older.hidden = true
    this.tabs = segments(text.shell.history, Object.fromEntries(tabs.map(each => [each, words[each]])), 'tab', tab => { this.tab = /** @type {Tab} */ (tab); this.#changed() }, 'history-tabs')
    /** @param {string} name @param {string} label @param {Attributes<HTMLInputElement>} [attributes] */
    const input = (name, label, attributes = {}) => {
      const node = line(`history-${name}`, '', { ...attributes, on: { change: () => this.#changed() } })
      return { node, field: h('div', { class: `field ${attributes.type ? 'time' : ''}` }, h('label', { for: node.id }, label), node) }
    }
    const name = { maxlength: '64' }
    const inputs = {
      room: input('room', text.shell.room, name), user: input('user', words.user, name),
      from: input('from', words.from, { type: 'datetime-local' }), to: input('to', words.to, { type: 'datetime-local' }),
    }
    const kind = select('history-kind', { '': words.allKinds, ...words.kinds }, { on: { change: () => this.#changed() } })
    this.kindField = field(kind, words.kind)
    /** @type {Record<string, HTMLInputElement | HTMLSelectElement>} */
    this.fields = { room: inputs.room.node, user: inputs.user.node, kind, from: inputs.from.node, to: inputs.to.node }
    for (const each of filters) {
      const value = given.get(each)
      if (value) this.fields[each].value = ['from', 'to'].includes(each) ? Number.isFinite(Number(value)) ? local(Number(value)) : '' : value
    }
    this.node = h('div', { class: 'view history' },
      h('header', { class: 'view-head' }, h('div', { class: 'titles' }, h('h1', {}, text.shell.history)),
        button('refresh', 'again', words.refresh, () => this.#load(), '')),
      this.tabs.node,
      h('form', { class: 'filters', 'aria-label': words.filters, on: { submit: event => { event.preventDefault(); this.#changed() } } },
        inputs.room.field, inputs.user.field, this.kindField, inputs.from.field, inputs.to.field),
      this.failure,
      h('section', { class: 'card', 'aria-label': text.shell.history }, this.none, this.rows),
      h('div', { class: 'buttons' }, this.older))
    this.#changed()
  }

  stop() { this.#turn += 1 }

  // The filters that are set; times in milliseconds since 1970. A minute in `to` is meant wholly.
  #filters() {
    /** @type {Record<string, string>} */
    const set = {}
    for (const name of filters) {
      const value = this.fields[name].value.trim()
      if (!value || (name === 'kind' && this.tab !== 'events')) continue
      if (name === 'from') set.from = String(new Date(value).getTime())
      else if (name === 'to') set.to = String(new Date(value).getTime() + 59_999)
      else set[name] = value
    }
    return set
  }

  #changed() {
    this.tabs.mark(this.tab)
    this.kindField.hidden = this.tab !== 'events'
    const query = String(new URLSearchParams(this.#filters()))
    history.replaceState(history.state, '', `#/history/${this.tab}${query && `?${query}`}`)
    this.#load()
  }

  // Loads the newest rows, or those before a row.
  /** @param {string} [before] */
  async #load(before) {
    const turn = ++this.#turn
    // A page of other filters has other rows before it.
    this.older.disabled = true
    try {
      const page = await this.app.api.get(`/v1/history/${this.tab}`, { ...this.#filters(), ...before && { before } })
      if (turn !== this.#turn) return
      this.failure.replaceChildren(...page.unanswered?.length ? [h('p', { class: 'muted' }, text.cluster.unanswered(page.unanswered))] : [])
      const rows = this.tab === 'lives' ? /** @type {Wire.HistoryLives} */ (page).lives.map(live => this.#live(live))
        : this.tab === 'sessions' ? /** @type {Wire.HistorySessions} */ (page).sessions.map(session => this.#session(session))
          : /** @type {Wire.HistoryEvents} */ (page).events.map(event => this.#event(event))
      if (before) this.rows.append(...rows)
      else this.rows.replaceChildren(...rows)
      // The keyboard continues at the first row that was added.
      if (before && rows[0]) {
        rows[0].tabIndex = -1
        rows[0].focus()
      }
      this.next = page.next
      this.older.disabled = false
      this.older.hidden = !page.next
      this.none.hidden = this.rows.childElementCount > 0
    } catch (error) {
      if (turn !== this.#turn) return
      this.older.disabled = !before
      this.failure.replaceChildren(problem(error))
    }
  }

  /** @param {{ id: number, at: number, mood?: string }} given @param {Children} what @param {Array<string | undefined | false>} facts */
  #row({ id, at, mood = '' }, what, facts) {
    const more = h('span', { class: 'muted' })
    say(more, facts.filter(Boolean).join(' · '))
    return h('li', { data: { id: String(id) } }, h('span', { class: `dot ${mood}` }),
      h('div', { class: 'grow' }, h('div', {}, ...what), more), h('time', { class: 'faint', datetime: new Date(at).toISOString() }, moment(at)))
  }

  /** @param {Wire.HistoryLive} given */
  #live({ id, node, room, job, stream, target, user, startedAt, endedAt, reason, detail, peakViewers }) {
    return this.#row({ id, at: startedAt, mood: endedAt === undefined ? 'good' : reason === 'failed' ? 'bad' : '' }, [...room ? [roomLink(room), ' '] : [], stream ?? target ?? job ?? ''], [
      endedAt === undefined ? words.running : duration(endedAt - startedAt), inWords(reason), detail, byWhom(user), node,
      peakViewers !== undefined && words.peak(peakViewers),
    ])
  }

  /** @param {Wire.HistorySession} given */
  #session({ id, node, room, user, joinedAt, leftAt, reason, by }) {
    return this.#row({ id, at: joinedAt, mood: leftAt === undefined ? 'good' : '' }, [h('b', {}, user), ' ', roomLink(room)],
      [leftAt === undefined ? words.present : duration(leftAt - joinedAt), inWords(reason), byWhom(by), node])
  }

  /** @param {Wire.HistoryEvent} given */
  #event({ id, node, time, kind, room, user, by, job, reason, detail }) {
    const what = [h('b', {}, words.kinds[kind] ?? kind), ...user ? [` ${user}`] : [], ...room ? [' ', roomLink(room)] : []]
    return this.#row({ id, at: time, mood: moodOf(kind) }, what, [job, inWords(reason), detail, by !== user && byWhom(by), node])
  }
}
