// The attributes of a room: data that the app shares with all participants.
import { ask, confirm } from './dialogs.js'
import { h, iconButton, keyed, say } from './dom.js'
import { button, card, counter, field, line } from './fields.js'
import { text } from './text.js'

export class Attributes {
  /** @param {Acts} acts */
  constructor(acts) {
    this.acts = acts
    this.count = counter()
    this.add = button('add-attribute', 'plus', text.room.set, () => this.#edit())
    this.list = h('dl', { class: 'attributes' })
    this.node = card(text.room.attributes, { style: 'attributes-card', head: [this.count, h('div', { class: 'buttons' }, this.add)] }, this.list)
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
    const name = line('attribute-key', key, { class: 'input mono', required: true, maxlength: 64, readonly: Boolean(key) })
    const value = h('textarea', { class: 'input', id: 'attribute-value', rows: 3, maxlength: 4096, set: { value: old ?? '' } })
    ask({
      title: key ? text.room.change(key) : text.room.setAttribute, text: text.room.allReceive, action: text.room.set,
      act: () => this.acts.do('setAttributes', { set: { [name.value.trim()]: value.value } }),
    }, field(name, text.room.key), field(value, text.room.value))
  }

  /** @param {string} key */
  #remove(key) {
    confirm({ title: text.room.removeTitle(key), text: text.room.removeAttribute, action: text.room.removeButton, act: () => this.acts.do('setAttributes', { remove: [key] }) })
  }
}
