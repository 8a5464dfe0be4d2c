// Creates elements. Text is always inserted as text: nothing here parses HTML.

const SVG = 'http://www.w3.org/2000/svg'

/**
 * One level of arrays is flattened; `true` and numbers would become text.
 * @typedef {Node | string | false | null | undefined} Child
 * @typedef {Array<Child | Child[]>} Children
 */
/**
 * @template T
 * @typedef {{ [E in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[E] & { currentTarget: T }) => unknown }} Handlers
 */
/**
 * @template T
 * @typedef {{ on?: Handlers<T>, data?: Record<string, string | number>, set?: Partial<T>, [attribute: string]: unknown }} Attributes
 */

// h('button', { class: 'button', on: { click } }, icon, 'Join'). Keys that are not attributes: `on`, `data`, `set`
// (properties).
/** @template {keyof HTMLElementTagNameMap} K @param {K} tag @param {Attributes<HTMLElementTagNameMap[K]>} [attributes] @param {Children} children */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children)
}

/** @template {keyof SVGElementTagNameMap} K @param {K} tag @param {Attributes<SVGElement>} [attributes] @param {Children} children */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children)
}

/** @template {HTMLElement | SVGElement} E @param {E} node @param {Attributes<any>} attributes @param {Children} children */
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue
    if (name === 'on') for (const [event, handler] of Object.entries(value)) node.addEventListener(event, /** @type {EventListener} */ (handler))
    else if (name === 'data') Object.assign(node.dataset, value)
    else if (name === 'set') Object.assign(node, value)
    else node.setAttribute(name, value === true ? '' : String(value))
  }
  node.append(.../** @type {Array<Node | string>} */ (children.flat().filter(child => child !== undefined && child !== null && child !== false)))
  return node
}

// Sets text, and changes the page only if the text differs.
/** @param {Node} node @param {string | null} [text] */
export function say(node, text) {
  const wanted = text ?? ''
  if (node.textContent !== wanted) node.textContent = wanted
}

/** @param {Element} node @param {string} name @param {string | boolean | null} [value] */
export function attribute(node, name, value) {
  if (value === null || value === undefined || value === false) node.removeAttribute(name)
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value === true ? '' : value)
}

// A line drawing in a 20 × 20 view box.
/** @param {string} path @param {string} [size] */
export function drawing(path, size = '') {
  return svg('svg', {
    class: `icon ${size}`, viewBox: '0 0 20 20', fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5,
    'stroke-linecap': 'round', 'stroke-linejoin': 'round', 'aria-hidden': 'true',
  }, svg('path', { d: path }))
}

// Makes the tree of an element, with a style that a policy without inline styles permits.
/** @param {HTMLElement} element @param {string} style */
export function shadow(element, style) {
  const root = element.attachShadow({ mode: 'open', delegatesFocus: true })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(style)
  root.adoptedStyleSheets = [sheet]
  return root
}

// A page may load the modules of two servers.
/** @param {string} name @param {CustomElementConstructor} element */
export function define(name, element) {
  if (globalThis.customElements && !customElements.get(name)) customElements.define(name, element)
}
