// The language of the page, which the elements in it follow.

// The first language of the browser's list that exists here; English if there is none.
/** @returns {'en' | 'zh'} */
export function preferred() {
  for (const tag of navigator.languages) {
    if (/^zh\b/i.test(tag)) return 'zh'
    if (/^en\b/i.test(tag)) return 'en'
  }
  return 'en'
}

document.documentElement.lang = preferred() === 'zh' ? 'zh-Hans' : 'en'
