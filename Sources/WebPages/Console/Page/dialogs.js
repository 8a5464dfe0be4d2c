// Dialogs and toasts.
import { byId, h, iconButton } from './dom.js'
import { ConnectionLost } from './errors.js'
import { text } from './text.js'

// An error as text, with its stable code if it has one.
/** @param {Failure} error */
export function problem(error) {
  return h('div', { class: 'problem', role: 'alert' }, sentence(error), codeOf(error))
}

/** @param {Failure} error */
const sentence = error => {
  const words = error instanceof ConnectionLost ? text.common.connectionLost : error.message || String(error)
  return words[0].toUpperCase() + words.slice(1) + (/[.!?。!?]$/.test(words) ? '' : '.')
}
/** @param {Failure} error */
const codeOf = error => error.code ? h('span', { class: 'code' }, `${error.code} ${error.name}`) : null

/** @param {string} words @param {string} [style] */
export function toast(words, style = '') { show(h('div', { class: `toast ${style}` }, h('span', {}, words)), 4000) }
/** @param {Failure} error */
export function toastError(error) { show(h('div', { class: 'toast error' }, h('span', {}, sentence(error)), codeOf(error)), 8000) }

/** @param {HTMLElement} node @param {number} time */
function show(node, time) {
  node.firstElementChild?.after(iconButton('close', text.common.dismiss, () => node.remove(), 'quiet small'))
  const toasts = byId('toasts')
  while (toasts.children.length > 3) toasts.firstChild?.remove()
  toasts.append(node)
  setTimeout(() => node.remove(), time)
}

// Opens a dialog with this content. It is removed when it closes.
/** @param {HTMLElement} content @param {{ wide?: boolean, label?: string }} given */
export function openDialog(content, { wide = false, label } = {}) {
  const dialog = h('dialog', { class: wide ? 'wide' : '', 'aria-label': label }, content)
  dialog.addEventListener('close', () => dialog.remove())
  dialog.addEventListener('click', event => { if (event.target === dialog) dialog.close() })
  document.body.append(dialog)
  dialog.showModal()
  return dialog
}

// Asks for confirmation of an irreversible action. If `act` fails, the user may retry or cancel.
/** @param {{ title: string, text: string, action: string, act: () => Promise<unknown> }} given */
export function confirm({ title, text: words, action, act }) {
  const form = h('form', { class: 'dialog-body' }, h('header', {}, h('h2', {}, title), h('p', { class: 'muted' }, words)))
  ask(form, { title, action, style: 'danger primary', act })
}

// A dialog with one input line.
/** @param {{ title: string, text?: string, label: string, hint?: string, value?: string, pattern?: string, action: string, act: (value: string) => Promise<unknown> }} given */
export function prompt({ title, text: words, label, hint, value = '', pattern, action, act }) {
  const input = h('input', { class: 'input', id: 'prompt', value, required: true, pattern, autocomplete: 'off', spellcheck: 'false', maxlength: 64 })
  const form = h('form', { class: 'dialog-body' },
    h('header', {}, h('h2', {}, title), words && h('p', { class: 'muted' }, words)),
    h('div', { class: 'field' }, h('label', { for: 'prompt' }, label), input, hint && h('p', { class: 'hint' }, hint)))
  ask(form, { title, action, style: 'primary', act: () => act(input.value.trim()) })
  input.select()
}

// Shows a form with two buttons, and the error if `act` fails.
/** @param {HTMLFormElement} form @param {{ title: string, action: string, style: string, act: () => Promise<unknown> }} given */
export function ask(form, { title, action, style, act }) {
  const failure = h('div')
  const button = h('button', { class: `button ${style}`, data: { action: 'confirm' } }, action)
  const cancel = h('button', { type: 'button', class: 'button', on: { click: () => dialog.close() } }, text.common.cancel)
  form.append(failure, h('footer', {}, cancel, button))
  form.addEventListener('submit', event => {
    event.preventDefault()
    button.disabled = true
    act().then(() => dialog.close(), error => {
      button.disabled = false
      failure.replaceChildren(problem(error))
    })
  })
  const dialog = openDialog(form, { label: title })
  cancel.focus()
}
