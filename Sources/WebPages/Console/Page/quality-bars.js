// The signs of a connection's quality on a tile.
import { attribute, h, icon, say, svg } from './dom.js'
import { text } from './text.js'

// Bars for both directions of a participant's connection, to be read by screen readers too.
/** @param {string | null} userId null for our own. */
export function qualityBars(userId) {
  const [up, down] = [bars('M2.5 9V1.5 M.8 3.4L2.5 1.5l1.7 1.9'), bars('M2.5 1v7.5 M.8 6.6L2.5 8.500l1.7-1.9')]
  const node = h('span', { class: 'quality-bars', role: 'img' }, up, down)
  return {
    node,
    /** @param {UserQuality} quality */
    update: ({ uplink, downlink }) => {
      up.dataset.quality = uplink
      down.dataset.quality = downlink
      const { connectionOf, yourConnection, connection } = text.stage
      const words = `${userId ? connectionOf(userId) : yourConnection}: ${connection(uplink, downlink)}`
      attribute(node, 'title', words)
      attribute(node, 'aria-label', words)
    },
  }
}

/** @param {string} arrow */
const bars = arrow => svg('svg', { viewBox: '0 0 16 10', 'aria-hidden': 'true' },
  svg('path', { d: arrow }), [0, 1, 2].map(index => svg('rect', { x: 6 + index * 3.5, y: 6 - index * 2.5, width: 2.5, height: 3 + index * 2.5, rx: 0.6 })))

/** @type {Record<PauseReason, string>} */
const REASONS = text.stage.paused

// The note on a picture that is not sent.
export function pauseNote() {
  const words = h('span')
  const node = h('div', { class: 'tile-note', hidden: true }, icon('pause', 'small'), words)
  return {
    node,
    /** @param {PauseReason | null} [reason] */
    update: reason => {
      node.hidden = !reason
      if (reason) say(words, REASONS[reason])
    },
  }
}
