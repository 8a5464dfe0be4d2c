// Effects over the picture: barrage from right to left, hearts upwards, gifts for a moment. At most a fixed number is shown at
// a time.
import { h, icon } from './dom.js'
import { giftIcon, giftWords } from './gifts.js'
import { text } from './text.js'

const LANES = 4
const MOST = 24

export class Barrage {
  #lane = 0

  constructor() {
    this.node = h('div', { class: 'barrage', 'aria-hidden': 'true' })
  }

  /** @param {Wire.RoomMessage} given */
  show({ kind, userId, text: said, type, count }) {
    if (document.hidden || this.node.children.length >= MOST) return
    if (kind === 'barrage') {
      this.#lane = (this.#lane + 1) % LANES
      this.#fly(h('span', { class: `flying lane-${this.#lane}` }, said))
    } else if (kind === 'like') {
      this.#fly(h('span', { class: `like at-${Math.floor(Math.random() * 4)}` }, '♥'))
    } else if (kind === 'gift') {
      const gift = giftIcon(type)
      this.#fly(h('span', { class: 'given' }, gift && icon(gift), `${userId || text.chat.operator} ${giftWords({ type, count })}`))
    }
  }

  /** @param {HTMLElement} node */
  #fly(node) {
    node.addEventListener('animationend', () => node.remove())
    setTimeout(() => node.remove(), 9000) // if animations are off
    this.node.append(node)
  }
}
