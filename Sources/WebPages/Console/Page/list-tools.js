// The search, filters, order and pages of a list. The address keeps them, so that a link, a reload and Back show the same list.
import { h, icon, say } from './dom.js'
import { button, segments } from './fields.js'
import { count } from './format.js'
import { text } from './text.js'

const PAGE = 50
const PAUSE = 250 // ms after the last key before a search begins

export class ListTools {
  limit = PAGE // how many items are shown
  /** @type {number | undefined} */
  #timer
  /** @type {HTMLElement | null} */
  #last = null // the last row before more were asked for

  // The first filter and the first order are the defaults. `changed()` loads the list anew; `rows` has one child for each item.
  /** @param {{ path: string, hint: string, filters: Record<string, string>, orders: Record<string, string>, rows: HTMLElement, changed: () => void }} given */
  constructor({ path, hint, filters, orders, rows, changed }) {
    this.path = path
    this.rows = rows
    this.changed = changed
    this.filters = filters
    this.orders = orders
    const given = new URLSearchParams(location.hash.split('?')[1])
    /** @param {string} name @param {Record<string, string>} known */
    const choice = (name, known) => Object.hasOwn(known, given.get(name) ?? '') ? /** @type {string} */ (given.get(name)) : Object.keys(known)[0]
    this.search = h('input', {
      class: 'input', type: 'search', 'aria-label': text.lists.search, placeholder: hint, value: given.get('q') ?? '', maxlength: 64, autocomplete: 'off', spellcheck: 'false',
      data: { list: 'search' }, on: { input: () => this.#later() },
    })
    this.filter = choice('state', filters)
    this.segments = segments(text.lists.filter, filters, 'filter', name => { this.filter = name; this.#apply() })
    this.sort = h('select', { class: 'input', 'aria-label': text.lists.order, data: { list: 'order' }, on: { change: () => this.#apply() } },
      Object.entries(orders).map(([value, label]) => h('option', { value, selected: value === choice('sort', orders) }, label)))
    this.node = h('div', { class: 'list-tools', role: 'search' }, h('div', { class: 'list-search' }, icon('search', 'small'), this.search),
      this.segments.node, this.sort)
    this.more = button('more', null, text.lists.more, () => this.#more(), '')
    this.number = h('span', { class: 'muted number', 'aria-live': 'polite' })
    this.foot = h('div', { class: 'list-foot', hidden: true }, this.number, this.more)
    this.none = h('div', { class: 'card empty', hidden: true, data: { notice: 'no-match' } }, icon('search'), h('h2', {}, text.lists.noMatch), h('p', {}, text.lists.noMatchHint),
      h('div', { class: 'buttons' }, button('clear', null, text.lists.clear, () => this.#clear(), '')))
    this.segments.mark(this.filter)
  }

  // What is asked for; empty members are left out.
  get query() {
    const { filter } = this
    return { q: this.search.value.trim(), state: filter === Object.keys(this.filters)[0] ? '' : filter, sort: this.sort.value, limit: this.limit }
  }

  // Whether the list contains everything.
  get isWhole() {
    const { q, state } = this.query
    return !q && !state
  }

  // After a new answer: how many items are shown, of how many that match.
  /** @param {number} shown @param {number} all */
  update(shown, all) {
    this.none.hidden = all > 0 || this.isWhole
    this.foot.hidden = shown >= all
    say(this.number, text.lists.shown(count(shown), count(all)))
    // The keyboard continues at the first of the new rows.
    const next = this.#last && (this.#last.isConnected ? this.#last.nextElementSibling : this.rows.firstElementChild)
    if (!next) return
    this.#last = null
    if (document.activeElement === this.more || document.activeElement === document.body) /** @type {HTMLElement | null} */ (next.querySelector('a, button'))?.focus()
  }

  stop() { clearTimeout(this.#timer) }

  #later() {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#apply(), PAUSE)
  }

  #apply() {
    clearTimeout(this.#timer)
    this.limit = PAGE
    this.segments.mark(this.filter)
    this.#remember()
    this.changed()
  }

  #more() {
    this.#last = /** @type {HTMLElement | null} */ (this.rows.lastElementChild)
    this.limit += PAGE
    this.changed()
  }

  #clear() {
    this.search.value = ''
    this.filter = Object.keys(this.filters)[0]
    this.#apply()
    this.search.focus()
  }

  #remember() {
    const { q, state, sort } = this.query
    const parts = Object.entries({ q, state, sort: sort === Object.keys(this.orders)[0] ? '' : sort }).filter(([, value]) => value)
    history.replaceState(history.state, '', `#/${this.path}${parts.length ? `?${new URLSearchParams(parts)}` : ''}`)
  }
}
