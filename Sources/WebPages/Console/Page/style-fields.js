// The fields of the form for a stage's style. Each checks its value, and says in red below it what is wrong.
import { attribute, h, iconButton, say } from './dom.js'
import { text } from './text.js'

export const words = text.style

/** @typedef {{ node: HTMLElement, input: HTMLInputElement, check(): boolean }} Field */

const COLOUR = /^#[0-9a-f]{6}$/i
let last = 0 // the number of the last field, for its id

// `problemOf(value)` returns what is wrong with a value, or an empty text. A field out of sight is valid.
/** @param {string} name @param {string} label @param {HTMLInputElement} input @param {(value: string) => string} [problemOf] @returns {Field} */
export function field(name, label, input, problemOf = () => '') {
  input.id = `style-${name}-${last += 1}`
  input.dataset.style = name
  const hint = h('p', { class: 'hint bad', id: `${input.id}-hint`, hidden: true })
  input.setAttribute('aria-describedby', hint.id)
  const node = h('div', { class: `field ${name}` }, h('label', { for: input.id }, label), input, hint)
  const check = () => {
    const problem = node.closest('[hidden]') ? '' : problemOf(input.value.trim())
    say(hint, problem)
    hint.hidden = !problem
    attribute(input, 'aria-invalid', problem ? 'true' : null)
    return !problem
  }
  input.addEventListener('input', check)
  return { node, input, check }
}

// A whole number within a range; empty only if that is allowed.
/** @param {string} name @param {string} label @param {number} least @param {number} most @param {boolean} [mayBeEmpty] */
export function number(name, label, least, most, mayBeEmpty = false) {
  const input = h('input', { class: 'input', type: 'text', inputmode: 'numeric', autocomplete: 'off', maxlength: 6 })
  return field(name, label, input, value => {
    if (!value && mayBeEmpty) return ''
    return /^-?\d+$/.test(value) && Number(value) >= least && Number(value) <= most ? '' : words.between(least, most)
  })
}

// A colour as #RRGGBB, typed or picked.
/** @param {string} name @param {string} value */
export function colour(name, value) {
  const input = h('input', { class: 'input', maxlength: 7, autocomplete: 'off', spellcheck: 'false', value })
  const made = field(name, words.colour, input, given => COLOUR.test(given) ? '' : words.colourRule)
  /** @type {HTMLInputElement} */
  const picker = h('input', { class: 'input', type: 'color', 'aria-label': words.pickColour, value, on: {
    input: () => {
      input.value = picker.value
      made.check()
    },
  } })
  const pick = () => { if (COLOUR.test(input.value)) picker.value = input.value }
  input.addEventListener('input', pick)
  input.after(picker)
  return { ...made, check: () => (pick(), made.check()) }
}

const REACH = 8192 // how far from the canvas something may be, in pixels

export const place = () => ({ x: number('x', words.x, -REACH, REACH), y: number('y', words.y, -REACH, REACH) })

// A text or the clock, with its place, size and colour. `removed` is called when the user removes it.
export class TextRow {
  /** @param {Wire.MergeText} given @param {(row: TextRow) => void} removed */
  constructor(given, removed) {
    this.isClock = given.clock === true
    this.until = given.until
    this.text = field('text', words.text, h('input', { class: 'input', maxlength: 64, autocomplete: 'off', value: given.text ?? '' }), value => value ? '' : words.textLength)
    const { x, y } = place()
    this.x = x
    this.y = y
    this.size = number('size', words.size, 8, 200)
    this.colour = colour('text-colour', given.colour ?? '#ffffff')
    for (const [field, value] of /** @type {Array<[Field, number]>} */ ([[x, given.x], [y, given.y], [this.size, given.size ?? 32]])) field.input.value = String(value)
    const name = this.isClock ? words.clock : words.text
    this.node = h('div', { class: 'style-row', role: 'group', 'aria-label': name, data: { row: this.isClock ? 'clock' : 'text' } },
      this.isClock ? h('b', {}, words.clock) : this.text.node, x.node, y.node, this.size.node, this.colour.node,
      iconButton('trash', text.room.remove(name), () => removed(this)))
  }

  get fields() { return [...this.isClock ? [] : [this.text], this.x, this.y, this.size, this.colour] }

  /** @returns {Wire.MergeText} */
  get value() {
    const { x, y, size } = this
    return {
      ...this.isClock ? { clock: true, until: this.until } : { text: this.text.input.value.trim() },
      x: Number(x.input.value), y: Number(y.input.value), size: Number(size.input.value), colour: this.colour.input.value,
    }
  }
}
