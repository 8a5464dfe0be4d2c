// Gifts: their icons, and the points that they score in a PK.
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
