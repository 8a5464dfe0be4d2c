// The choice of quality for a watched picture: it selects the layer of a simulcast (api/signalling.md §2, setReception).
import { h } from './dom.js'
import { text } from './text.js'

/** @type {Record<string, Omit<Reception, 'trackId'>>} */
const QUALITIES = { best: {}, medium: { maxHeight: 480 }, small: { maxHeight: 240 }, paused: { paused: true } }

// Returns a select for the picture of `userId`; `choose` gets the reception without its track.
/** @param {string} userId @param {(reception: Omit<Reception, 'trackId'>) => void} choose */
export function qualityChoice(userId, choose) {
  const select = /** @type {HTMLSelectElement} */ (h('select', {
    class: 'tile-quality', 'aria-label': text.stage.qualityOf(userId), data: { action: 'quality' },
    on: { click: (/** @type {Event} */ event) => event.stopPropagation(), change: () => choose(QUALITIES[select.value] ?? {}) },
  }, Object.entries(text.stage.qualities).map(([value, name]) => h('option', { value }, name))))
  return select
}
