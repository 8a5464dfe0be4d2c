// The sign-in page: the field for a token, and how to get one.
import { problem } from './dialogs.js'
import { h } from './dom.js'
import { read } from './session.js'

export class SignInView {
  title = 'Sign in'

  /** @param {App} app @param {Failure} [error] */
  constructor(app, error) {
    const failure = h('div', {}, error ? problem(error) : [])
    const input = h('textarea', {
      class: 'input', id: 'token', name: 'token', required: true, rows: 3, spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off',
      placeholder: 'eyJhbGciOiJIUzI1NiIs…', 'aria-describedby': 'token-hint',
    })
    const form = h('form', {},
      h('div', { class: 'field' }, h('label', { for: 'token' }, 'Token'), input,
        h('p', { class: 'hint', id: 'token-hint' }, 'An API token opens the whole server, a room token its one room. It stays in this tab.')),
      failure, h('button', { class: 'button primary', data: { action: 'sign-in' } }, 'Sign in'))
    form.addEventListener('submit', event => {
      event.preventDefault()
      try { app.signIn(read(input.value)) } catch (wrong) { failure.replaceChildren(problem(wrong)) }
    })
    input.addEventListener('keydown', event => {
      if (event.key !== 'Enter') return
      event.preventDefault()
      form.requestSubmit()
    })
    this.node = h('main', { class: 'gate' }, h('div', { class: 'card' },
      h('header', {}, h('img', { src: '/console/icon.svg', alt: '' }), h('h1', {}, 'Sign in to roomserver'),
        h('p', { class: 'muted' }, 'Rooms, their media, and the server.')),
      form,
      h('div', { class: 'help' }, h('p', {}, 'Mint an API token on a machine with the server’s key and secret:'),
        h('pre', {}, 'roomserver token --api --ttl 8h'),
        h('p', {}, 'With ', h('code', {}, '--dev'), ' the server prints a link that signs in.'))))
    queueMicrotask(() => input.focus({ preventScroll: true }))
  }
}
