// The sign-in page: the field for a token, and how to get one.
import { problem } from './dialogs.js'
import { h } from './dom.js'
import { field } from './fields.js'
import { read } from './session.js'
import { text } from './text.js'

export class SignInView {
  title = text.shell.signIn

  /** @param {App} app @param {Failure} [error] */
  constructor(app, error) {
    const failure = h('div', {}, error ? problem(error) : [])
    const input = h('textarea', {
      class: 'input', id: 'token', name: 'token', required: true, rows: 3, spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off',
      placeholder: 'eyJhbGciOiJIUzI1NiIs…', 
    })
    const form = h('form', {},
      field(input, text.shell.token, text.shell.tokenHint), failure, h('button', { class: 'button primary', data: { action: 'sign-in' } }, text.shell.signIn))
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
      h('header', {}, h('img', { src: '/console/icon.svg', alt: '' }), h('h1', {}, text.shell.signInTitle),
        h('p', { class: 'muted' }, text.shell.signInText)),
      form,
      h('div', { class: 'help' }, h('p', {}, text.shell.mint),
        h('pre', {}, 'roomserver token --api --ttl 8h'),
        h('p', {}, text.shell.devLink))))
    queueMicrotask(() => input.focus({ preventScroll: true }))
  }
}
