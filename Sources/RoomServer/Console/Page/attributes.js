// The attributes of a room: data that the app shares with all participants.
import { confirm, openDialog, problem } from './dialogs.js'
import { h, icon, iconButton, keyed, say } from './dom.js'

export class Attributes {
  /** @param {Acts} acts */
  constructor(acts) {
    this.acts = acts
    this.count = h('span', { class: 'count number' })
    this.add = h('button', { type: 'button', class: 'button small', data: { action: 'add-attribute' }, on: { click: () => this.#edit() } }, icon('plus', 'small'), 'Set')
    this.list = h('dl', { class: 'attributes' })
    this.node = h('section', { class: 'card attributes-card', 'aria-label': 'Attributes' },
      h('div', { class: 'card-head' }, h('h2', {}, 'Attributes'), this.count, h('div', { class: 'buttons' }, this.add)), this.list)
  }

  /** @param {Wire.RoomState} state */
  update(state) {
    const all = Object.entries(state.attributes).sort(([a], [b]) => a < b ? -1 : 1)
    this.add.hidden = !this.acts.isAdmin
    this.node.hidden = !all.length && !this.acts.isAdmin
    this.list.hidden = !all.length
    say(this.count, all.length ? String(all.length) : '')
    keyed(this.list, all, ([key]) => `${key} ${this.acts.isAdmin}`, ([key]) => {
      const value = h('span')
      const buttons = this.acts.isAdmin && h('span', { class: 'buttons' }, iconButton('settings', `Change ${key}`, () => this.#edit(key, value.textContent)),
        iconButton('trash', `Remove ${key}`, () => this.#remove(key), 'quiet small danger'))
      return { node: h('div', { data: { attribute: key } }, h('dt', { class: 'mono' }, key), h('dd', {}, value, buttons)), update: ([, text]) => say(value, text) }
    })
  }

  /** @param {string} [key] @param {string | null} [text] */
  #edit(key = '', text = '') {
    const name = h('input', { class: 'input mono', id: 'attribute-key', value: key, required: true, maxlength: 64, readonly: Boolean(key), autocomplete: 'off', spellcheck: 'false' })
    const value = h('textarea', { class: 'input', id: 'attribute-value', rows: 3, maxlength: 4096, set: { value: text ?? '' } })
    const failure = h('div')
    const form = h('form', { class: 'dialog-body' }, h('header', {}, h('h2', {}, key ? `Change ${key}` : 'Set an attribute'), h('p', { class: 'muted' }, 'All participants receive it, now or when they join.')),
      h('div', { class: 'field' }, h('label', { for: 'attribute-key' }, 'Key'), name), h('div', { class: 'field' }, h('label', { for: 'attribute-value' }, 'Value'), value), failure,
      h('footer', {}, h('button', { type: 'button', class: 'button', on: { click: () => dialog.close() } }, 'Cancel'), h('button', { class: 'button primary', data: { action: 'confirm' } }, 'Set')))
    form.addEventListener('submit', event => {
      event.preventDefault()
      this.acts.do('setAttributes', { set: { [name.value.trim()]: value.value } }).then(() => dialog.close(), error => failure.replaceChildren(problem(error)))
    })
    const dialog = openDialog(form, { label: 'Attribute' })
  }

  /** @param {string} key */
  #remove(key) {
    confirm({ title: `Remove ${key}?`, text: 'It is deleted for all participants.', action: 'Remove', act: () => this.acts.do('setAttributes', { remove: [key] }) })
  }
}
