// The texts of the page in the browser's language. A text with values is a function: `text.pk.invited('bob')`.
import { preferred } from './language.js'
import { wordsFor } from './room-words.js'
import { en } from './text-en.js'

export const language = preferred()

/** @type {typeof en} */
export const text = language === 'zh' ? (await import('./text-zh.js')).zh : en

// Those that the elements of the web client have too.
export const words = wordsFor(document.documentElement)
