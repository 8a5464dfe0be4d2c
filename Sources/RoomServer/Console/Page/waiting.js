// Pending requests, each with the remaining seconds and its buttons.
import { h, keyed, say } from './dom.js'

/** @param {number} expiresAt */
const remaining = expiresAt => `${Math.max(0, Math.ceil((expiresAt - Date.now()) / 1000))} s`

export class WaitingList {
  constructor() {
    this.node = h('ul', { class: 'waiting', 'aria-live': 'polite', hidden: true })
    this.parts = []
  }

  // `items`: `{ key, kind, user, text, expiresAt, buttons }`; a button is `{ action, label, style, run }`.
  /** @param {WaitingItem[]} items */
  update(items) {
    this.node.hidden = !items.length
    keyed(this.node, items, item => item.key, item => this.#item(item))
    clearInterval(this.timer)
    if (items.length) this.timer = setInterval(() => this.node.isConnected ? this.node.querySelectorAll('.left').forEach(node => tell(/** @type {HTMLElement} */ (node))) : clearInterval(this.timer), 500)
  }

  /** @param {WaitingItem} given @returns {Part<WaitingItem>} */
  #item({ kind, user, buttons }) {
    const [text, left] = [h('span'), h('span', { class: 'left faint number', 'aria-hidden': 'true' })]
    const node = h('li', { data: { kind, user } }, h('div', { class: 'waiting-text' }, text, left),
      h('div', { class: 'buttons' }, buttons.map(button => {
        if (!button) return null
        const { action, label, style = '', run } = button
        return h('button', { type: 'button', class: `button small ${style}`, data: { action }, on: { click: run } }, label)
      })))
    return {
      node,
      update: item => {
        say(text, item.text)
        left.expiresAt = item.expiresAt
        tell(left)
      },
    }
  }
}

/** @param {HTMLElement} node */
const tell = node => say(node, remaining(node.expiresAt ?? 0))
