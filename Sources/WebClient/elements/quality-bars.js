// The quality of a connection on a tile: bars for both directions, to be read by screen readers too.
import { attribute, h, svg } from './markup.js'

/** @param {string | null} userId null for our own. @param {import('./room-words.js').Words['stage']} words */
export function qualityBars(userId, { connectionOf, yourConnection, connection }) {
  const [up, down] = [bars('M2.5 9V1.5 M.8 3.4L2.5 1.5l1.7 1.9'), bars('M2.5 1v7.5 M.8 6.6L2.5 8.500l1.7-1.9')]
  const node = h('span', { class: 'quality-bars', part: 'quality', role: 'img' }, up, down)
  return {
    node,
    /** @param {UserQuality} quality */
    update: ({ uplink, downlink }) => {
      up.dataset.quality = uplink
      down.dataset.quality = downlink
      const words = `${userId ? connectionOf(userId) : yourConnection}: ${connection(uplink, downlink)}`
      attribute(node, 'title', words)
      attribute(node, 'aria-label', words)
    },
  }
}

/** @param {string} arrow */
const bars = arrow => svg('svg', { viewBox: '0 0 16 10', 'aria-hidden': 'true' },
  svg('path', { d: arrow }), [0, 1, 2].map(index => svg('rect', { x: 6 + index * 3.5, y: 6 - index * 2.5, width: 2.5, height: 3 + index * 2.5, rx: 0.6 })))
