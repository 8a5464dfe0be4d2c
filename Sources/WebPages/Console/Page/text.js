// The texts of the page in the browser's language. A text with values is a function: `text.pk.invited('bob')`.
import { en } from './text-en.js'

// The first language of the browser's list that exists here; English if there is none.
/** @returns {'en' | 'zh'} */
function preferred() {
  for (const tag of navigator.languages) {
    if (/^zh\b/i.test(tag)) return 'zh'
    if (/^en\b/i.test(tag)) return 'en'
  }
  return 'en'
}

export const language = preferred()

/** @type {typeof en} */
export const text = language === 'zh' ? (await import('./text-zh.js')).zh : en

document.documentElement.lang = language === 'zh' ? 'zh-Hans' : 'en'
