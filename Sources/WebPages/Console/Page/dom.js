// What the console's elements are made of, besides markup.js.
import { drawing, h } from './markup.js'
import { playerIcons } from './player-icons.js'

export { keyed } from './keyed.js'
export { attribute, h, say, svg } from './markup.js'

/** @param {string} id An element of index.html. */
export const byId = id => /** @type {HTMLElement} */ (document.getElementById(id))

// Line drawings in a 20 × 20 view box.
/** @typedef {keyof typeof drawings} Icon */
const drawings = {
  ...playerIcons,
  rooms: 'M3.5 3.5h5.5v5.5h-5.5z M11 3.5h5.5v5.5h-5.5z M3.5 11h5.5v5.5h-5.5z M11 11h5.5v5.5h-5.5z',
  server: 'M3.5 3.5h13v5h-13z M3.5 11.5h13v5h-13z M6.5 6h.01 M6.5 14h.01 M10 6h3.5 M10 14h3.5',
  microphone: 'M10 2.8a2.4 2.4 0 0 1 2.4 2.4v4.3a2.4 2.4 0 0 1-4.8 0V5.2a2.4 2.4 0 0 1 2.4-2.4z M4.9 9.3a5.1 5.1 0 0 0 10.2 0 M10 14.5v2.7',
  'microphone-off': 'M12.4 8.6V5.2a2.4 2.4 0 0 0-4.7-.7 M7.6 8v1.5a2.4 2.4 0 0 0 3.7 2 M15.1 9.3a5 5 0 0 1-.7 2.6 M4.9 9.3a5.1 5.1 0 0 0 7.7 4.4 M10 14.5v2.7 M3.2 2.8l13.6 14.4',
  camera: 'M2.8 6.2a1.6 1.6 0 0 1 1.6-1.6h6.4a1.6 1.6 0 0 1 1.6 1.6v7.6a1.6 1.6 0 0 1-1.6 1.6H4.4a1.6 1.6 0 0 1-1.6-1.6z M12.4 8.9l4.8-2.7v7.6l-4.8-2.7',
  'camera-off': 'M12.4 11V6.2a1.6 1.6 0 0 0-1.6-1.6H7 M3.5 4.9a1.6 1.6 0 0 0-.7 1.3v7.6a1.6 1.6 0 0 0 1.6 1.6h6.4a1.6 1.6 0 0 0 1.5-1 M12.4 8.9l4.8-2.7v7.6l-3-1.7 M3.2 2.8l13.6 14.4',
  screen: 'M3 4h14v9.5H3z M7.5 16.5h5 M10 13.5v3 M10 10.8V6.8 M8.2 8.4L10 6.6l1.8 1.8',
  leave: 'M8 3.5H4.5v13H8 M12.5 13.5L16 10l-3.5-3.5 M16 10H8',
  chart: 'M3.5 16.5h13 M5.5 13v-3 M10 13V4.5 M14.5 13V7.5',
  people: 'M7.7 9.3a2.9 2.9 0 1 0 0-5.8 2.9 2.9 0 0 0 0 5.8z M2.5 16.5c0-3 2.3-4.7 5.2-4.7s5.2 1.7 5.2 4.7 M13 3.9a2.9 2.9 0 0 1 0 5 M15 12.3c1.5.7 2.5 2.1 2.5 4.2',
  plus: 'M10 4v12 M4 10h12',
  trash: 'M3.5 5.5h13 M8 5.5V3.5h4v2 M5.3 5.5l.7 11h8l.7-11 M8.5 8.5v5 M11.5 8.5v5',
  close: 'M5 5l10 10 M15 5L5 15',
  check: 'M4 10.5l4 4 8-9',
  settings: 'M3 6h8 M15 6h2 M3 14h2 M9 14h8 M13 4v4 M7 12v4',
  eye: 'M2 10s3-5.5 8-5.5S18 10 18 10s-3 5.5-8 5.5S2 10 2 10z M10 12.3a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6z',
  key: 'M7 16a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z M9.5 10L16.5 3 M13.5 6l2.5 2.5',
  sun: 'M10 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z M10 2v1.5 M10 16.5V18 M2 10h1.5 M16.5 10H18 M4.3 4.3l1.1 1.1 M14.6 14.6l1.1 1.1 M4.3 15.7l1.1-1.1 M14.6 5.4l1.1-1.1',
  moon: 'M16.5 11.8A7 7 0 0 1 8.2 3.5a7 7 0 1 0 8.3 8.3z',
  half: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14z M10 3v14 M10 6h4.5 M10 10h6.5 M10 14h4.5',
  kick: 'M8 9.3a2.9 2.9 0 1 0 0-5.8 2.9 2.9 0 0 0 0 5.8z M2.5 16.5c0-3 2.4-4.7 5.5-4.7 1 0 1.9.2 2.7.5 M13 13l4 4 M17 13l-4 4',
  live: 'M10 12.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4z M6.2 13.8a5.4 5.4 0 0 1 0-7.6 M13.8 6.2a5.4 5.4 0 0 1 0 7.6 M3.8 16.2a8.8 8.8 0 0 1 0-12.4 M16.2 3.8a8.8 8.8 0 0 1 0 12.4',
  stop: 'M5 5h10v10H5z',
  lock: 'M5 9h10v7.5H5z M7 9V6.5a3 3 0 0 1 6 0V9 M10 12v1.8',
  unlock: 'M5 9h10v7.5H5z M7 9V6a3 3 0 0 1 5.8-1 M10 12v1.8',
  heart: 'M10 16.2S3.2 12.4 3.2 7.7A3.6 3.6 0 0 1 10 6a3.6 3.6 0 0 1 6.8 1.7c0 4.7-6.8 8.5-6.8 8.5z',
  gift: 'M3.5 7h13v3.5h-13z M4.8 10.5h10.4v6H4.8z M10 7v9.5 M10 7S9.3 3.5 7 3.5 5.2 7 7 7h3zm0 0s.7-3.5 3-3.5S14.8 7 13 7h-3z',
  rose: 'M10 10.5a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4z M8.6 6.2c1.6-.6 3 .2 2.6 1.6 M10 10.5v6.5 M10 15c-2.4 0-4-1-4.4-3 2.4 0 4 1 4.4 3z',
  star: 'M10 3l2.1 4.5 4.9.6-3.6 3.4.9 4.9L10 14l-4.3 2.4.9-4.9L3 8.1l4.9-.6z',
  rocket: 'M8 12.5c-.6-4 1.6-8 6.5-9.5.5 5-2 8.600-5.500 10.500z M6.500 9.500l-3 1 2 2 M9.500 13.500l-.5 3-2-2 M11.500 8h.01 M6 14l-2 2',
  crown: 'M3.500 6.500l3 3L10 4.500l3.500 5 3-3-1.200 8.500H4.700z',
  send: 'M3.5 10L16.5 4l-4 12.5-3-5z M9.5 11.5l7-7.5',
  chat: 'M3.5 4.5h13v9H9l-3.5 3v-3h-2z',
  hand: 'M6.5 10.5V5.2a1.1 1.1 0 0 1 2.2 0V9 4a1.1 1.1 0 0 1 2.2 0v5-4a1.1 1.1 0 0 1 2.2 0v5.5-2.6a1.1 1.1 0 0 1 2.2 0v3.8c0 3-1.8 5-4.4 5-2 0-3-.8-4-2.4l-2.2-3.6c-.5-1 .8-1.9 1.6-1z',
  up: 'M10 15.5v-11 M5.5 9L10 4.5 14.5 9',
  down: 'M10 4.5v11 M5.5 11l4.5 4.5 4.5-4.5',
  versus: 'M3.5 4.5h6v11h-6z M10.5 4.5h6v11h-6z',
  invite: 'M8 9.3a2.9 2.9 0 1 0 0-5.8 2.9 2.9 0 0 0 0 5.8z M2.5 16.5c0-3 2.4-4.7 5.5-4.7 1 0 1.9.2 2.7.5 M15 12v5 M12.5 14.5h5',
  share: 'M10 12.5V3.5 M6.5 6.5L10 3l3.5 3.5 M4.5 10v6.5h11V10',
  copy: 'M7.5 7.5h9v9h-9z M12.5 7.5v-4h-9v9h4',
  over: 'M3 4h14v9.5H3z M5.5 7h4 M11.500 7h3 M5.500 10h2.500 M10 10h4.500 M7.500 16.500h5',
  flip: 'M4 7.500h8.500a3 3 0 0 1 0 6H11 M6.500 5L4 7.500 6.500 10 M16 13.500H7.500',
  pip: 'M3 4.500h14v11H3z M10 10h4.500v3H10z',
  past: 'M10 17a7 7 0 1 0-6.500-4.400 M3.500 16v-3.500H7 M10 6v4l2.700 2',
  again: 'M15.500 8A6 6 0 1 0 16 11.500 M16 4v4h-4',
  search: 'M9 14.5a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11z M13 13l3.500 3.500',
  film: 'M3.5 4h13v12h-13z M7 4v12 M13 4v12 M3.5 8h3.5 M3.5 12h3.5 M13 8h3.5 M13 12h3.5',
  download: 'M10 3v9.5 M6.5 9L10 12.5 13.5 9 M4.5 13v3.5h11V13',
}

/** @param {Icon} name @param {string} [size] */
export const icon = (name, size) => drawing(drawings[name], size)

// A button with only an icon still has a name, for screen readers and as a tooltip.
/** @param {Icon} name @param {string} label @param {(event: MouseEvent) => unknown} act @param {string} [style] @param {string} [action] Its name in the dataset. */
export function iconButton(name, label, act, style = 'quiet small', action) {
  const node = h('button', { type: 'button', class: `button only-icon ${style}`, 'aria-label': label, title: label, data: action ? { action } : {}, on: { click: act } }, icon(name))
  return Object.assign(node, {
    // A button with a state of its own keeps its name; `title` says what it does next.
    /** @param {Icon} other @param {string} name @param {string} [title] */
    show(other, name, title = name) {
      if (node.dataset.icon === other && node.title === title) return
      node.dataset.icon = other
      node.replaceChildren(icon(other))
      node.title = title
      node.setAttribute('aria-label', name)
    },
  })
}

// A user's two letters.
/** @param {string} userId */
export function avatar(userId) {
  const words = userId.split(/[^A-Za-z0-9]+/).filter(Boolean)
  const letters = words.length > 1 ? words[0][0] + words[1][0] : (words[0] ?? userId).slice(0, 2)
  return h('span', { class: 'avatar', 'aria-hidden': 'true', title: userId }, letters.toUpperCase())
}
