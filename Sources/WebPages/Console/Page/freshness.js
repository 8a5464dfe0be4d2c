// Whether what a view shows is current. After a failed request it says as of when that is, and dims it.
import { problem } from './dialogs.js'
import { h } from './dom.js'
import { clock } from './format.js'
import { text } from './text.js'

export class Freshness {
  #at = 0 // of the last answer
  #shown = ''

  /** @param {HTMLElement} content What is dimmed. */
  constructor(content) {
    this.content = content
    this.node = h('div')
  }

  // The server answered.
  good() {
    this.#at = Date.now()
    this.#shown = ''
    this.node.replaceChildren()
    this.content.classList.remove('stale')
  }

  /** @param {Failure} error */
  failed(error) {
    this.content.classList.toggle('stale', this.#at > 0)
    // A screen reader reads an alert once, and not with each further request.
    if (this.#shown === error.message) return
    this.#shown = error.message
    const alert = problem(error)
    if (this.#at) alert.append(h('span', { data: { notice: 'stale' } }, text.lists.asOf(clock(this.#at))))
    this.node.replaceChildren(alert)
  }
}
