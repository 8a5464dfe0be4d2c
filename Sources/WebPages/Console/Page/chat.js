// Messages of a room: text, barrage, likes and gifts.
import { toastError } from './dialogs.js'
import { h, icon, iconButton, keyed, say } from './dom.js'
import { clock, count } from './format.js'
import { GIFTS, giftIcon, giftWords } from './gifts.js'
import { text, words } from './text.js'

export class Chat {
  /** @param {Acts} acts */
  constructor(acts) {
    this.acts = acts
    this.list = h('ol', { class: 'messages', tabindex: '0', role: 'log', 'aria-label': words.messages })
    this.empty = h('div', { class: 'empty small' }, h('p', {}, text.chat.empty))
    this.input = h('input', { class: 'input', placeholder: words.say, 'aria-label': words.message, maxlength: 500, autocomplete: 'off', data: { chat: 'text' } })
    /** @type {HTMLButtonElement} */
    this.over = h('button', { type: 'button', class: 'button only-icon quiet', 'aria-label': text.chat.over, title: text.chat.over, 'aria-pressed': 'false', data: { action: 'barrage' }, on: {
      click: () => this.over.setAttribute('aria-pressed', String(this.over.getAttribute('aria-pressed') !== 'true')),
    } }, icon('over'))
    const sendButton = iconButton('send', words.send, () => this.form.requestSubmit(), 'primary')
    sendButton.dataset.action = 'send'
    this.form = h('form', { class: 'chat-line' }, this.over, this.input, sendButton)
    this.form.addEventListener('submit', event => {
      event.preventDefault()
      const said = this.input.value.trim()
      if (!said) return
      this.input.value = ''
      this.#send({ kind: this.over.getAttribute('aria-pressed') === 'true' ? 'barrage' : 'text', text: said })
    })
    const like = iconButton('heart', text.chat.like, () => this.#send({ kind: 'like', count: 1 }), 'quiet')
    like.dataset.action = 'like'
    this.gifts = h('div', { class: 'gifts', role: 'group', 'aria-label': text.chat.giftsLabel }, like, Object.entries(GIFTS).map(([type, points]) =>
      h('button', { type: 'button', class: 'button quiet only-icon', 'aria-label': text.chat.give(type), title: text.chat.giveFor(type, points), data: { gift: type }, on: { click: () => this.#send({ kind: 'gift', type, count: 1 }) } }, icon(/** @type {Icon} */ (type)))))
    this.likes = h('span', { class: 'count number', hidden: true })
    this.foot = h('div', { class: 'chat-foot' }, this.gifts, this.form)
    /** @type {number | undefined} */
    this.newest = undefined
    this.node = h('section', { class: 'card chat-card', 'aria-label': text.chat.chat },
      h('div', { class: 'card-head' }, h('h2', {}, text.chat.chat), this.likes), this.empty, this.list, this.foot)
  }

  /** @param {Wire.RoomState} state */
  update(state) {
    const { messages } = state
    const likes = this.acts.call?.scene.likes ?? 0
    this.likes.hidden = !likes
    say(this.likes, `♥ ${count(likes)}`)
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
  #message({ userId, kind, text: said, type, count: many, to, at }) {
    const gift = giftIcon(type)
    const what = kind === 'gift' ? [giftWords({ type, count: many }), gift && icon(gift, 'small')] : kind === 'custom' ? h('span', { class: 'code' }, type) : said
    return h('li', { class: `message is-${kind}` },
      h('b', {}, userId || text.chat.operator), to && h('span', { class: 'badge' }, text.chat.to(to)), h('span', { class: 'said' }, what),
      h('time', { class: 'faint number', datetime: new Date(at).toISOString() }, clock(at)))
  }

  /** @param {object} message */
  #send(message) { return this.acts.do('sendMessage', message).catch(toastError) }
}
