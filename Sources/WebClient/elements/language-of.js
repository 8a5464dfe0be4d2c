// Words in the language of an element: that of the nearest `lang`, without one the browser's.
/** @template T @param {Element} node @param {{ en: T, zh: T }} words @returns {T} */
export function chosen(node, { en, zh }) {
  const language = /** @type {HTMLElement | null} */ (node.closest('[lang]'))?.lang || document.documentElement.lang || navigator.language
  return /^zh\b/i.test(language) ? zh : en
}
