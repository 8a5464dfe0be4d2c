// The choice of quality for a watched picture: it selects the layer of a simulcast (api/signalling.md §2, setReception).
import { h } from './dom.js'

/** @type {Record<string, [string, Omit<Reception, 'trackId'>]>} */
const QUALITIES = {
  best: ['Best', {}],
  medium: ['Medium', { maxHeight: 480 }],
  small: ['Small', { maxHeight: 240 }],
  paused: ['Paused', { paused: true }],
}

// Returns a select for the picture of `userId`; `choose` gets the reception without its track.
/** @param {string} userId @param {(reception: Omit<Reception, 'trackId'>) => void} choose */
export function qualityChoice(userId, choose) {
  const select = /** @type {HTMLSelectElement} */ (h('select', {
    class: 'tile-quality', 'aria-label': `Quality of ${userId}`, data: { action: 'quality' },
    on: { click: (/** @type {Event} */ event) => event.stopPropagation(), change: () => choose(QUALITIES[select.value]?.[1] ?? {}) },
  }, Object.entries(QUALITIES).map(([value, [name]]) => h('option', { value }, name))))
  return select
}
