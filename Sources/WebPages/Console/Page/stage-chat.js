// The chat over the picture, for phones: the last messages, and a line to write one.
import { toastError } from './dialogs.js'
import { h, icon, iconButton, keyed } from './dom.js'
import { giftIcon, giftWords } from './gifts.js'
import { text, words } from './text.js'

const SHOWN = 5

export class StageChat {
  /** @param {Acts} acts */
  constructor(acts) {
    this.acts = acts
    this.list = h('ol', { class: 'over-messages', 'aria-hidden': 'true' }) // the chat's card is the log for screen readers
    const input = h('input', { class: 'input', placeholder: words.say, 'aria-label': words.message, maxlength: 500, autocomplete: 'off', enterkeyhint: 'send', data: { chat: 'over' } })
    const like = iconButton('heart', text.chat.like, () => this.#send({ kind: 'like', count: 1 }), 'control')
    const rose = iconButton('rose', text.chat.give('rose'), () => this.#send({ kind: 'gift', type: 'rose', count: 1 }), 'control')
    this.form = h('form', { class: 'over-line' }, input, like, rose)
    this.form.addEventListener('submit', event => {
      event.preventDefault()
      const said = input.value.trim()
      if (!said) return
      input.value = ''
      this.#send({ kind: 'text', text: said })
    })
    this.node = h('div', { class: 'over-chat' }, this.list, this.form)
  }

  /** @param {JoinedCall | null} call */
  update(call) {
    this.node.hidden = !call || call.me.grants.includes('hidden')
    const shown = call?.scene.now?.messages.filter(message => message.kind !== 'custom').slice(-SHOWN) ?? []
    keyed(this.list, shown, message => message.seq, ({ userId, kind, text: said, type, count }) => {
      const gift = kind === 'gift' ? giftIcon(type) : undefined
      return { node: h('li', {}, h('b', {}, userId || text.chat.operator), ' ', kind === 'gift' ? giftWords({ type, count }) : said, gift && icon(gift, 'small')), update() {} }
    })
  }

  /** @param {object} message */
  #send(message) { return this.acts.do('sendMessage', message).catch(toastError) }
}
