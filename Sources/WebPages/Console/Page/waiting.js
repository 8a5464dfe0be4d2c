// Pending requests, each with the remaining seconds, a line that shrinks, and its buttons.
import { h, keyed, say } from './dom.js'
import { text } from './text.js'

/** @param {number} expiresAt */
const remaining = expiresAt => `${Math.max(0, Math.ceil((expiresAt - Date.now()) / 1000))} ${text.common.units.s}`

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
    const [words, left] = [h('span'), h('span', { class: 'left faint number', 'aria-hidden': 'true' })]
    const node = h('li', { data: { kind, user } }, h('div', { class: 'waiting-text' }, words, left),
      h('div', { class: 'buttons' }, buttons.map(button => {
        if (!button) return null
        const { action, label, style = '', run } = button
        return h('button', { type: 'button', class: `button small ${style}`, data: { action }, on: { click: run } }, label)
      })))
    return {
      node,
      update: item => {
        say(words, item.text)
        left.expiresAt = item.expiresAt
        node.lasts = item.expiresAt - item.at
        tell(left)
      },
    }
  }
}

/** @param {HTMLElement} node */
function tell(node) {
  const expiresAt = node.expiresAt ?? 0
  say(node, remaining(expiresAt))
  const item = node.closest('li')
  item?.style.setProperty('--rest', Math.min(1, Math.max(0, (expiresAt - Date.now()) / (item.lasts || 30_000))).toFixed(3))
}
