// Draining a server: the remaining load, the redirect of its clients, and the buttons to start and cancel it.
import { ask, toastError } from './dialogs.js'
import { h, say } from './dom.js'
import { clock, plural } from './format.js'

/** @param {Wire.Drain} given */
const rest = ({ rooms, participants, viewers, streams }) =>
  [plural(rooms, 'room'), plural(participants, 'participant'), plural(viewers, 'viewer'), plural(streams, 'stream')].join(', ')

/** @param {Wire.Drain} state */
const told = state => `This server is draining, and stops at ${clock(state.deadline ?? 0)} at the latest. Remaining: ${rest(state)}. ${
  state.redirect ? `New clients are redirected to ${state.redirect}.` : 'New clients are asked to try again.'}`

// A sentence if the server drains, else nothing.
export class DrainNotice {
  constructor() {
    this.text = h('span')
    this.node = h('div', { class: 'problem', role: 'status', hidden: true, data: { notice: 'drain' } }, this.text, h('a', { class: 'link', href: '#/server' }, 'Drain'))
  }

  /** @param {Wire.Drain} state */
  update(state) {
    this.node.hidden = !state.draining
    say(this.text, state.draining ? told(state) : '')
  }
}

export class DrainCard {
  /** @param {Api} api */
  constructor(api) {
    this.api = api
    this.text = h('p')
    this.begin = h('button', { type: 'button', class: 'button small danger', data: { action: 'drain' }, on: { click: () => this.#begin() } })
    this.cancel = h('button', { type: 'button', class: 'button small', data: { action: 'end-drain' }, on: { click: () => this.#cancel() } }, 'Go on as before')
    this.node = h('section', { class: 'card drain', 'aria-label': 'Drain' },
      h('div', { class: 'card-head' }, h('h2', {}, 'Drain'), h('div', { class: 'buttons' }, this.cancel, this.begin)), h('div', { class: 'empty small' }, this.text))
    this.cancel.hidden = true
  }

  async read() {
    const state = this.state = await this.api.drain()
    this.cancel.hidden = !state.draining
    say(this.begin, state.draining ? 'Change…' : 'Drain…')
    say(this.text, state.draining ? told(state) : 'Accepts new clients. Drain the server before you stop it: open rooms continue, and no room is opened.')
  }

  #begin() {
    const { state } = this
    /** @param {string} id @param {string | number} value @param {object} more */
    const line = (id, value, more) => h('input', { class: 'input', id, value, autocomplete: 'off', spellcheck: 'false', ...more })
    const minutes = line('drain-minutes', state?.draining ? Math.max(0, Math.round(((state.deadline ?? 0) - Date.now()) / 60_000)) : 10, { type: 'number', min: 0, max: 1440, step: 'any', required: true })
    const redirect = line('drain-redirect', state?.redirect ?? '', { maxlength: 1024, pattern: 'wss?://.+', placeholder: 'wss://other.example.org/v1/signal' })
    /** @param {HTMLElement} node @param {string} label @param {string} hint */
    const field = (node, label, hint) => h('div', { class: 'field' }, h('label', { for: node.id }, label), node, h('p', { class: 'hint' }, hint))
    const form = h('form', { class: 'dialog-body' },
      h('header', {}, h('h2', {}, 'Drain this server'), h('p', { class: 'muted' }, 'It opens no more rooms, and stops when no client is left.')),
      field(minutes, 'Minutes', 'Remaining clients are disconnected then.'),
      field(redirect, 'Server that takes over', 'Its signalling URL: clients reconnect there automatically. If empty, they reconnect here.'))
    ask(form, {
      title: 'Drain this server', action: 'Drain', style: 'danger primary',
      act: async () => {
        const url = redirect.value.trim()
        await this.api.beginDrain({ seconds: Math.round(Number(minutes.value) * 60), ...(url && { redirect: url }) })
        await this.read()
      },
    })
  }

  async #cancel() {
    try {
      await this.api.endDrain()
      await this.read()
    } catch (error) { toastError(error) }
  }
}
