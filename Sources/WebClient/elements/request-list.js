// Requests that wait, each with the seconds that remain, a share of them as --rest, and its buttons.
import { keyed } from './keyed.js'
import { h, say } from './markup.js'

/** @typedef {import('./requests.js').Waiting} Waiting */

const INTERVAL = 500 // milliseconds between drawings of the time

// `tried(work)` gets what a button does. The list draws its time while it is in a document.
/** @param {{ seconds: string, tried: (work: Promise<unknown>) => unknown }} given `seconds` is their unit. */
export function requestList({ seconds, tried }) {
  const node = h('ul', { class: 'waiting', part: 'requests', 'aria-live': 'polite', hidden: true })
  /** @type {Set<() => void>} */
  const clocks = new Set()
  /** @type {number | undefined} */
  let timer

  /** @param {Waiting} first */
  const item = ({ kind, user, buttons }) => {
    const [words, left] = [h('span', { part: 'text' }), h('span', { class: 'left faint number', part: 'time', 'aria-hidden': 'true' })]
    const row = h('li', { part: 'request', data: { kind, user } }, h('div', { class: 'waiting-text' }, words, left), h('div', { class: 'buttons' }, buttons.map(each => each
      && h('button', { type: 'button', class: `button small ${each.style ?? ''}`, part: `action ${each.style ?? ''}`, data: { action: each.action }, on: { click: () => tried(each.run()) } }, each.label))))
    let [at, expiresAt] = [0, 0]
    const tell = () => {
      const rest = expiresAt - Date.now()
      say(left, `${Math.max(0, Math.ceil(rest / 1000))} ${seconds}`)
      row.style.setProperty('--rest', Math.min(1, Math.max(0, rest / (expiresAt - at || 30_000))).toFixed(3))
    }
    clocks.add(tell)
    return {
      node: row,
      remove: () => clocks.delete(tell),
      update: (/** @type {Waiting} */ now) => {
        at = now.at
        expiresAt = now.expiresAt
        say(words, now.text)
        tell()
      },
    }
  }
  return {
    node,
    /** @param {Waiting[]} items */
    update(items) {
      node.hidden = !items.length
      keyed(node, items, ({ key }) => key, item)
      clearInterval(timer)
      if (items.length) timer = setInterval(() => node.isConnected ? clocks.forEach(tell => tell()) : clearInterval(timer), INTERVAL)
    },
  }
}
