// <room-chat>: the messages of a room, and a line to write one.
import { keyed } from './keyed.js'
import { define, h } from './markup.js'
import { RoomElement } from './room-element.js'
import { wordsFor } from './room-words.js'

const style = `
:host { display: grid; grid-template-rows: 1fr auto; gap: 8px; min-height: 8rem; font: 14px/1.5 var(--room-chat-font, system-ui, sans-serif); }
:host([hidden]), [hidden] { display: none !important; }
ol { margin: 0; padding: 0; list-style: none; overflow-y: auto; overflow-wrap: anywhere; }
.name { font-weight: 600; margin-inline-end: 0.5em; color: var(--room-chat-name, inherit); }
form { display: flex; gap: 8px; }
input { flex: 1; min-width: 0; font: inherit; padding: 6px 8px; }
button { font: inherit; padding: 6px 12px; }
`

/**
 * The chat of a room. Set `room` to a Room; participants who are hidden only read. Style it by ::part(messages), (message), (name), (text), (form), (input)
 * and (send), --room-chat-font and --room-chat-name. An `error` event has what the server refused.
 */
export class RoomChatElement extends RoomElement {
  draw() {
    const { room } = this
    const words = wordsFor(this)
    const root = this.tree(style, () => {
      const input = h('input', { part: 'input', name: 'text', maxlength: 500, autocomplete: 'off', required: true, placeholder: words.say, 'aria-label': words.message })
      return [
        h('ol', { part: 'messages', role: 'log', tabindex: 0, 'aria-label': words.messages }),
        h('form', { part: 'form', on: { submit: event => this.#send(event, input) } }, input, h('button', { part: 'send' }, words.send)),
      ]
    })
    const list = /** @type {HTMLElement} */ (root.querySelector('ol'))
    const form = /** @type {HTMLElement} */ (root.querySelector('form'))
    form.hidden = !room?.isOn || Boolean(room.me?.grants.includes('hidden'))
    const messages = room?.messages.history ?? []
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40
    keyed(list, messages, ({ seq }) => seq, ({ userId, kind, text, type = '', count = 1 }) => {
      const said = kind === 'gift' ? words.gives(type, count) : kind === 'custom' ? type : text ?? ''
      return { node: h('li', { part: 'message', data: { kind } }, h('span', { class: 'name', part: 'name' }, userId || words.operator), h('span', { part: 'text' }, said)), update() {} }
    })
    if (isAtEnd) list.scrollTop = list.scrollHeight
  }

  /** @param {Event} event @param {HTMLInputElement} input */
  #send(event, input) {
    event.preventDefault()
    const text = input.value.trim()
    if (!text || !this.room) return
    input.value = ''
    this.tried(this.room.messages.send(text))
  }
}

define('room-chat', RoomChatElement)
