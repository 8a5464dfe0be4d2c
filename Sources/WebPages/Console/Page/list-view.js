// A view with a list that is searched, filtered and asked for again and again. A view of this kind has `find()`, which asks the server for what
// the tools want, and `show(found)`, which draws the answer.
import { poll } from './api.js'
import { h, keyed, say } from './dom.js'
import { Freshness } from './freshness.js'
import { ListTools } from './list-tools.js'

/** @typedef {{ searchHint: string, filters: Record<string, string>, orders: Record<string, string> }} Words */

export class ListView {
  #turn = 0 // the number of the last request, which outdates the answers to earlier ones
  /** @type {Data} */
  found = null // the last answer

  // `empty` takes the place of the table on a server that has none; `head` stands beside the title.
  /** @param {{ app: Operator, title: string, path: string, words: Words, table: { node: HTMLElement, rows: HTMLElement }, empty: HTMLElement, interval: number, head?: Children }} given */
  constructor({ app, title, path, words: { searchHint, filters, orders }, table: { node, rows }, empty, interval, head = [] }) {
    this.app = app
    this.title = title
    this.rows = rows
    this.empty = empty
    this.facts = h('div', { class: 'facts' }, '\u00a0')
    this.table = h('div', { class: 'card', hidden: true }, node)
    const failed = (/** @type {Failure} */ error) => this.fresh.failed(error)
    this.tools = new ListTools({ path, hint: searchHint, filters, orders, rows, changed: () => this.load().catch(failed) })
    const content = h('div', { class: 'list-content' }, empty, this.table, this.tools.none, this.tools.foot)
    empty.hidden = true
    this.fresh = new Freshness(content)
    this.node = h('div', { class: 'view' },
      h('header', { class: 'view-head' }, h('div', { class: 'titles' }, h('h1', {}, title), this.facts), ...head), this.tools.node, this.fresh.node, content)
    this.endPoll = poll(interval, () => this.load(), failed)
  }

  stop() {
    this.#turn = -1
    this.tools.stop()
    this.endPoll()
  }

  async load() {
    if (this.#turn < 0) return
    const turn = ++this.#turn
    const view = /** @type {Data} */ (this)
    const found = await view.find()
    if (turn !== this.#turn) return
    this.found = found
    this.fresh.good()
    view.show(found)
  }

  // Draws the shown items of all that match. `isNone` says that the server has none at all.
  /** @template T @param {{ shown: T[], all: number, isNone: boolean, facts: string[] }} given @param {(item: T) => unknown} keyOf @param {(item: T) => Part<T>} make */
  list({ shown, all, isNone, facts }, keyOf, make) {
    this.empty.hidden = !isNone || !this.tools.isWhole
    this.tools.node.hidden = !this.empty.hidden
    this.table.hidden = !shown.length
    say(this.facts, facts.join(' · '))
    keyed(this.rows, shown, keyOf, make)
    this.tools.update(shown.length, all)
  }
}
