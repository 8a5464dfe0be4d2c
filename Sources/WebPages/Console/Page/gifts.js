// Gifts: their icons, and the points that they score in a PK.
import { toastError } from './dialogs.js'
import { text } from './text.js'

/** @typedef {'rose' | 'star' | 'rocket' | 'crown'} Gift */

// Apps define their own; these are the console's.
/** @type {Record<Gift, number>} */
export const GIFTS = { rose: 1, star: 5, rocket: 20, crown: 50 }

/** @param {string} [type] @returns {type is Gift} */
const isKnown = type => Object.hasOwn(GIFTS, type ?? '')

/** @param {string} [type] @returns {Gift | undefined} */
export const giftIcon = type => isKnown(type) ? type : undefined

/** @param {{ type?: string, count?: number }} given */
export const giftPoints = ({ type, count = 1 }) => isKnown(type) ? GIFTS[type] * count : 0

/** @param {{ type?: string, count?: number }} given */
export const giftWords = ({ type = '', count = 1 }) => text.chat.gives(isKnown(type) ? text.chat.gifts[type] : type, count)

// Adds to the score of a PK: by its buttons and by gifts. What is added faster than the server answers is summed up.
export class Scorer {
  /** @type {number | null} */
  #wanted = null

  /** @param {Acts} acts @param {Wire.PKInfo} pk @param {number} points */
  add(acts, pk, points) {
    this.settle(pk.score)
    const wanted = this.#wanted = (this.#wanted ?? pk.score) + points
    return acts.do('setPKScore', { score: wanted }).catch(error => {
      this.#wanted = null
      toastError(error)
    })
  }

  // The server has this score now.
  /** @param {number} [score] */
  settle(score) { if (score === undefined || score === this.#wanted) this.#wanted = null }
}

// A gift to our side of a PK scores. The page of the anchor does it, so that it is counted once.
/** @param {Acts} acts @param {Scorer} scorer @param {RoomEvent} change */
export function scoreGift(acts, scorer, { event, data, isNew }) {
  const pk = acts.call?.scene.now?.pk
  if (!pk) return scorer.settle()
  scorer.settle(pk.score)
  if (event !== 'message' || !isNew || data.kind !== 'gift' || pk.host !== acts.userId || !acts.has('admin')) return
  const points = giftPoints(data)
  if (points) scorer.add(acts, pk, points)
}
