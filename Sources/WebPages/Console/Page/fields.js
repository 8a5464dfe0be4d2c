// What forms, cards and tables are made of.
import { Spark } from './charts.js'
import { h, icon, iconButton, say } from './dom.js'
import { rate } from './format.js'
import { text } from './text.js'

// MARK: Forms

// A control under its label, with a hint.
/** @param {HTMLElement} node @param {string} label @param {string | false | null} [hint] */
export function field(node, label, hint) {
  if (hint) node.setAttribute('aria-describedby', `${node.id}-hint`)
  return h('div', { class: 'field' }, h('label', { for: node.id }, label), node, hint && h('p', { class: 'hint', id: `${node.id}-hint` }, hint))
}

/** @param {string} id @param {string | number} value @param {Attributes<HTMLInputElement>} [more] */
export const line = (id, value, more) => h('input', { class: 'input', id, value, autocomplete: 'off', spellcheck: 'false', ...more })

/** @param {string} id @param {Record<string, string> | string[][]} choices Names by their values, or pairs of both. @param {Attributes<HTMLSelectElement>} [more] */
export const select = (id, choices, more) => h('select', { class: 'input', id, ...more },
  (Array.isArray(choices) ? choices : Object.entries(choices)).map(([value, label]) => h('option', { value }, label)))

// MARK: Cards

/** @param {string} action @param {Icon | null} drawing @param {string} label @param {(event: MouseEvent) => unknown} click @param {string} [style] */
export const button = (action, drawing, label, click, style = 'small') =>
  h('button', { type: 'button', class: `button ${style}`, data: { action }, on: { click } }, drawing && icon(drawing, 'small'), h('span', {}, label))

// A card. `head` stands beside its title.
/** @param {string} title @param {{ style?: string, label?: string | null, head?: Children }} given @param {Children} children */
export const card = (title, { style = '', label = title, head = [] }, ...children) =>
  h('section', { class: `card ${style}`, 'aria-label': label }, h('div', { class: 'card-head' }, h('h2', {}, title), ...head), ...children)

// How many there are, beside the title of a card.
export const counter = () => h('span', { class: 'count number' })

/** @param {string} words */
export const nothing = words => h('div', { class: 'empty small' }, h('p', {}, words))

/** @param {string} room */
export const roomLink = room => h('a', { class: 'link', href: `#/rooms/${encodeURIComponent(room)}` }, room)

// A segmented choice: the button of the chosen value is pressed. `mark(value)` presses another one.
/** @param {string} label @param {Record<string, string>} choices @param {string} key The name of the value in the dataset of its button. @param {(value: string) => void} chosen @param {string} [style] */
export function segments(label, choices, key, chosen, style = '') {
  const buttons = Object.entries(choices).map(([value, name]) => h('button', { type: 'button', data: { [key]: value }, on: { click: () => { mark(value); chosen(value) } } }, name))
  /** @param {string} now */
  const mark = now => { for (const each of buttons) each.setAttribute('aria-pressed', String(each.dataset[key] === now)) }
  return { node: h('div', { class: `segments ${style}`, role: 'group', 'aria-label': label }, buttons), mark }
}

// MARK: Tables

// A table that scrolls in its card. `columns` are titles with their styles; the last column has the buttons of a row.
/** @param {string} label @param {string} style @param {string[][]} columns @param {boolean} [hasButtons] */
export function table(label, style, columns, hasButtons = true) {
  const rows = h('tbody')
  const node = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label }, h('table', { class: `table ${style}` }, h('thead', {}, h('tr', {},
    columns.map(([name, style = '']) => h('th', { scope: 'col', class: style }, name)), hasButtons && h('th', {}, h('span', { class: 'only-read' }, text.lists.actions)))), rows))
  return { node, rows }
}

/** @param {string} style @param {Children} children */
export const cell = (style, ...children) => h('td', { class: style }, ...children)

// What a row is about: a drawing, a name, and more in grey.
/** @param {Node} drawing @param {string} name @param {Node} more */
export const subject = (drawing, name, more) => cell('track', h('div', {}, h('span', { class: 'track-icon' }, drawing), h('div', {}, h('b', {}, name), more)))

/** @param {Children} buttons */
export const actions = (...buttons) => cell('tight', h('div', { class: 'buttons' }, ...buttons))

// A button of a row.
/** @param {string} action @param {Icon} drawing @param {string} label @param {() => unknown} click @param {string} [style] */
export const rowButton = (action, drawing, label, click, style = '') => iconButton(drawing, label, click, `quiet small ${style}`, action)

// A state with its colour, and why it is so.
export function stateCell() {
  const [dot, state, why] = [h('span', { class: 'dot' }), h('b'), h('span', { class: 'muted' })]
  return {
    node: cell('job-state', h('div', {}, dot, h('div', {}, state, why))),
    /** @param {string} mood @param {string} words @param {string} [reason] */
    update(mood, words, reason) {
      dot.className = `dot ${mood}`
      say(state, words)
      say(why, reason ?? '')
    },
  }
}

const LENGTH = 60 // readings of a bitrate

// A bitrate with its last minute as a line.
/** @param {string} label */
export function bitrateCell(label) {
  const spark = new Spark({ width: 88, height: 26, length: LENGTH, label })
  const [value, unit] = [h('b'), h('small')]
  /** @type {number[]} */
  let history = []
  return {
    node: cell('bitrate', h('div', {}, spark.node, h('span', { class: 'reading' }, value, unit))),
    /** @param {number} kbps @param {{ least?: number, values?: number[], instead?: string }} how `instead` is shown in place of the number. */
    update(kbps, { least = 300, values, instead } = {}) {
      history = values ?? [...history, kbps].slice(-LENGTH)
      spark.update(history, least)
      const [number, unitText] = rate(kbps)
      say(value, instead ?? number)
      say(unit, instead ? '' : unitText)
    },
  }
}

// A share with its meter.
export function loadCell() {
  const [words, bar] = [h('span'), h('i')]
  return {
    node: cell('', h('div', { class: 'load' }, words, h('div', { class: 'meter' }, bar))),
    /** @param {number} share @param {string} said */
    update(share, said) {
      say(words, said)
      bar.style.transform = `scaleX(${Math.min(1, Math.max(0, share)).toFixed(3)})`
    },
  }
}
