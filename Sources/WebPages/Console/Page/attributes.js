// The attributes of a room: data that the app shares with all participants.
import { confirm, openDialog, problem } from './dialogs.js'
import { h, icon, iconButton, keyed, say } from './dom.js'
import { text } from './text.js'

export class Attributes {
  /** @param {Acts} acts */
  constructor(acts) {
    this.acts = acts
    this.count = h('span', { class: 'count number' })
    this.add = h('button', { type: 'button', class: 'button small', data: { action: 'add-attribute' }, on: { click: () => this.#edit() } }, icon('plus', 'small'), text.room.set)
    this.list = h('dl', { class: 'attributes' })
    this.node = h('section', { class: 'card attributes-card', 'aria-label': text.room.attributes },
      h('div', { class: 'card-head' }, h('h2', {}, text.room.attributes), this.count, h('div', { class: 'buttons' }, this.add)), this.list)
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
      const buttons = this.acts.isAdmin && h('span', { class: 'buttons' }, iconButton('settings', text.room.change(key), () => this.#edit(key, value.textContent)),
        iconButton('trash', text.room.remove(key), () => this.#remove(key), 'quiet small danger'))
      return { node: h('div', { data: { attribute: key } }, h('dt', { class: 'mono' }, key), h('dd', {}, value, buttons)), update: ([, words]) => say(value, words) }
    })
  }

  /** @param {string} [key] @param {string | null} [old] */
  #edit(key = '', old = '') {
    const name = h('input', { class: 'input mono', id: 'attribute-key', value: key, required: true, maxlength: 64, readonly: Boolean(key), autocomplete: 'off', spellcheck: 'false' })
    const value = h('textarea', { class: 'input', id: 'attribute-value', rows: 3, maxlength: 4096, set: { value: old ?? '' } })
    const failure = h('div')
    const form = h('form', { class: 'dialog-body' }, h('header', {}, h('h2', {}, key ? text.room.change(key) : text.room.setAttribute), h('p', { class: 'muted' }, text.room.allReceive)),
      h('div', { class: 'field' }, h('label', { for: 'attribute-key' }, text.room.key), name), h('div', { class: 'field' }, h('label', { for: 'attribute-value' }, text.room.value), value), failure,
      h('footer', {}, h('button', { type: 'button', class: 'button', on: { click: () => dialog.close() } }, text.common.cancel), h('button', { class: 'button primary', data: { action: 'confirm' } }, text.room.set)))
    form.addEventListener('submit', event => {
      event.preventDefault()
      this.acts.do('setAttributes', { set: { [name.value.trim()]: value.value } }).then(() => dialog.close(), error => failure.replaceChildren(problem(error)))
    })
    const dialog = openDialog(form, { label: text.room.setAttribute })
  }

  /** @param {string} key */
  #remove(key) {
    confirm({ title: text.room.removeTitle(key), text: text.room.removeAttribute, action: text.room.removeButton, act: () => this.acts.do('setAttributes', { remove: [key] }) })
  }
}
