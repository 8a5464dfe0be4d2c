// Draining a server: the remaining load, the redirect of its clients, and the buttons to start and cancel it.
import { ask, toastError } from './dialogs.js'
import { h, say } from './dom.js'
import { card, field, line } from './fields.js'
import { clock } from './format.js'
import { text } from './text.js'

/** @param {Wire.Drain} state */
const inWords = state => text.drain.draining(clock(state.deadline ?? 0), state, state.redirect)

// A sentence if the server drains, else nothing.
export class DrainNotice {
  constructor() {
    this.text = h('span')
    this.node = h('div', { class: 'problem', role: 'status', hidden: true, data: { notice: 'drain' } }, this.text, h('a', { class: 'link', href: '#/server' }, text.drain.drain))
  }

  /** @param {Wire.Drain} state */
  update(state) {
    this.node.hidden = !state.draining
    say(this.text, state.draining ? inWords(state) : '')
  }
}

export class DrainCard {
  /** @param {Api} api */
  constructor(api) {
    this.api = api
    this.text = h('p')
    this.begin = h('button', { type: 'button', class: 'button small danger', data: { action: 'drain' }, on: { click: () => this.#begin() } })
    this.cancel = h('button', { type: 'button', class: 'button small', data: { action: 'end-drain' }, on: { click: () => this.#cancel() } }, text.drain.cancel)
    this.node = card(text.drain.drain, { style: 'drain', head: [h('div', { class: 'buttons' }, this.cancel, this.begin)] }, h('div', { class: 'empty small' }, this.text))
    this.cancel.hidden = true
  }

  async read() {
    const state = this.state = await this.api.get('/v1/server/drain')
    this.cancel.hidden = !state.draining
    say(this.begin, state.draining ? text.drain.change : text.drain.start)
    say(this.text, state.draining ? inWords(state) : text.drain.idle)
  }

  #begin() {
    const { state } = this
    const minutes = line('drain-minutes', state?.draining ? Math.max(0, Math.round(((state.deadline ?? 0) - Date.now()) / 60_000)) : 10, { type: 'number', min: 0, max: 1440, step: 'any', required: true })
    const redirect = line('drain-redirect', state?.redirect ?? '', { maxlength: 1024, pattern: 'wss?://.+', placeholder: 'wss://other.example.org/v1/signal' })
    ask({
      title: text.drain.title, text: text.drain.text, action: text.drain.drain, style: 'danger primary',
      act: async () => {
        const url = redirect.value.trim()
        await this.api.send('POST', '/v1/server/drain', {}, { seconds: Math.round(Number(minutes.value) * 60), ...(url && { redirect: url }) })
        await this.read()
      },
    }, field(minutes, text.drain.minutes, text.drain.minutesHint), field(redirect, text.drain.redirect, text.drain.redirectHint))
  }

  async #cancel() {
    try {
      await this.api.send('DELETE', '/v1/server/drain')
      await this.read()
    } catch (error) { toastError(error) }
  }
}
