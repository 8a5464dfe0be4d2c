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

// Shows why something failed.
/** @param {Promise<unknown>} work */
export const tried = work => work.catch(toastError)

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
export const confirm = given => ask({ ...given, style: 'danger primary' })

// A form in a dialog: its fields under a title and a sentence, two buttons, and the error if `act` fails. With `isReady` false it can only be cancelled.
/** @param {{ title: string, text?: string, action: string, style?: string, isReady?: boolean, act: () => Promise<unknown> }} given @param {Children} fields */
export function ask({ title, text: words, action, style = 'primary', isReady = true, act }, ...fields) {
  const failure = h('div')
  const button = h('button', { class: `button ${style}`, data: { action: 'confirm' }, disabled: !isReady }, action)
  const cancel = h('button', { type: 'button', class: 'button', on: { click: () => dialog.close() } }, text.common.cancel)
  const form = h('form', { class: 'dialog-body' }, h('header', {}, h('h2', {}, title), words && h('p', { class: 'muted' }, words)), ...fields, failure, h('footer', {}, cancel, button))
  form.addEventListener('submit', event => {
    event.preventDefault()
    button.disabled = true
    act().then(() => dialog.close(), error => {
      button.disabled = false
      failure.replaceChildren(problem(error))
    })
  })
  const dialog = openDialog(form, { label: title })
  if (style.includes('danger')) cancel.focus()
  return form
}
