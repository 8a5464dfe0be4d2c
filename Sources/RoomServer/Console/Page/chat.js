// Messages of a room: text, barrage, likes and gifts.
import { toastError } from './dialogs.js'
import { h, icon, iconButton, keyed } from './dom.js'
import { clock } from './format.js'

/** @type {Icon[]} */
const GIFTS = ['rose', 'star', 'rocket', 'crown']

/** @param {string} [type] */
export const giftIcon = type => GIFTS.find(gift => gift === type)

// The names and icons of gifts; apps define their own.
/** @param {{ type?: string, count?: number }} given */
export const giftWords = ({ type, count = 1 }) => ['gives', giftIcon(type) ? `a ${type}` : type, count > 1 && `× ${count}`].filter(Boolean).join(' ')

export class Chat {
  /** @param {Acts} acts */
  constructor(acts) {
    this.acts = acts
    this.list = h('ol', { class: 'messages', tabindex: '0', role: 'log', 'aria-label': 'Messages' })
    this.empty = h('div', { class: 'empty small' }, h('p', {}, 'Nothing was said yet.'))
    this.text = h('input', { class: 'input', placeholder: 'Say something', 'aria-label': 'Message', maxlength: 500, autocomplete: 'off', data: { chat: 'text' } })
    /** @type {HTMLButtonElement} */
    this.over = h('button', { type: 'button', class: 'button only-icon quiet', 'aria-label': 'Over the picture', title: 'Over the picture', 'aria-pressed': 'false', data: { action: 'barrage' }, on: {
      click: () => this.over.setAttribute('aria-pressed', String(this.over.getAttribute('aria-pressed') !== 'true')),
    } }, icon('screen'))
    const sendButton = iconButton('send', 'Send', () => this.form.requestSubmit(), 'primary')
    sendButton.dataset.action = 'send'
    this.form = h('form', { class: 'chat-line' }, this.over, this.text, sendButton)
    this.form.addEventListener('submit', event => {
      event.preventDefault()
      const text = this.text.value.trim()
      if (!text) return
      this.text.value = ''
      this.#send({ kind: this.over.getAttribute('aria-pressed') === 'true' ? 'barrage' : 'text', text })
    })
    const like = iconButton('heart', 'Like', () => this.#send({ kind: 'like', count: 1 }), 'quiet')
    like.dataset.action = 'like'
    this.gifts = h('div', { class: 'gifts', role: 'group', 'aria-label': 'Gifts' }, like, GIFTS.map(type =>
      h('button', { type: 'button', class: 'button quiet only-icon', 'aria-label': `Give a ${type}`, title: `Give a ${type}`, data: { gift: type }, on: { click: () => this.#send({ kind: 'gift', type, count: 1 }) } }, icon(type))))
    this.foot = h('div', { class: 'chat-foot' }, this.gifts, this.form)
    /** @type {number | undefined} */
    this.newest = undefined
    this.node = h('section', { class: 'card chat-card', 'aria-label': 'Chat' },
      h('div', { class: 'card-head' }, h('h2', {}, 'Chat')), this.empty, this.list, this.foot)
  }

  /** @param {Wire.RoomState} state */
  update(state) {
    const { messages } = state
    this.foot.hidden = !this.acts.maySpeak
    this.empty.hidden = messages.length > 0
    this.list.hidden = !messages.length
    const atEnd = this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < 40
    const newest = messages.at(-1)?.seq
    keyed(this.list, messages, message => message.seq, message => ({ node: this.#message(message), update() {} }))
    if (newest !== this.newest && (atEnd || messages.at(-1)?.userId === this.acts.userId)) this.list.scrollTop = this.list.scrollHeight
    this.newest = newest
  }

  /** @param {Wire.RoomMessage} given */
  #message({ userId, kind, text, type, count, to, at }) {
    const gift = giftIcon(type)
    const what = kind === 'gift' ? [giftWords({ type, count }), gift && icon(gift, 'small')] : kind === 'custom' ? h('span', { class: 'code' }, type) : text
    return h('li', { class: `message is-${kind}` },
      h('b', {}, userId || 'The operator'), to && h('span', { class: 'badge' }, `to ${to}`), h('span', { class: 'said' }, what),
      h('time', { class: 'faint number', datetime: new Date(at).toISOString() }, clock(at)))
  }

  /** @param {object} message */
  #send(message) { return this.acts.do('sendMessage', message).catch(toastError) }
}
