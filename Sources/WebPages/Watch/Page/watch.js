// The watch page: one player, and what the room shows to its viewers.
import { preferred } from './language.js'
import { drawing, h, say } from './markup.js'
import './room-player.js'

const MOST = 100 // messages
const EYE = 'M2 10s3-5.5 8-5.5S18 10 18 10s-3 5.5-8 5.5S2 10 2 10z M10 12.3a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6z'

/** @typedef {{ chat: string, noMessages: string, viewers(count: number): string, gift(type: string, count: number): string }} Words */

/** @type {{ en: Words, zh: Words }} */
const texts = {
  en: {
    chat: 'Chat', noMessages: 'No messages yet', viewers: count => count === 1 ? '1 viewer' : `${count} viewers`,
    gift: (type, count) => count > 1 ? `sent ${count} × ${type}` : `sent ${type}`,
  },
  zh: {
    chat: '聊天', noMessages: '暂无消息', viewers: count => `${count} 人观看`,
    gift: (type, count) => count > 1 ? `送出 ${type} × ${count}` : `送出 ${type}`,
  },
}

const words = texts[preferred()]
const title = document.body.dataset.title ?? ''
const viewers = h('span', { class: 'watch-viewers muted number', hidden: true })
const messages = h('ol', { class: 'watch-messages', role: 'log', 'aria-label': words.chat, tabindex: '0' })
const empty = h('p', { class: 'muted' }, words.noMessages)
const chat = h('section', { class: 'watch-chat', hidden: true }, h('h2', {}, words.chat), empty, messages)
const node = /** @type {import('./room-player.js').RoomPlayer} */ (document.createElement('room-player'))

for (const [name, value] of Object.entries({ src: location.href, 'aria-label': title, controls: '', muted: '' })) node.setAttribute(name, value)
node.addEventListener('change', () => {
  const { player } = node
  if (!player) return
  chat.hidden = !player.hasChat
  viewers.hidden = player.viewers === undefined
  if (player.viewers !== undefined && changes(viewers, words.viewers(player.viewers))) viewers.prepend(drawing(EYE, 'small'))
})
node.addEventListener('message', event => add(/** @type {MessageEvent<import('./roomplayer.js').WatchMessage>} */ (event).data))

if (new URLSearchParams(location.search).has('embed')) {
  document.documentElement.dataset.embed = ''
  document.body.append(node)
} else {
  document.body.append(h('div', { class: 'watch-frame' },
    h('header', { class: 'watch-head' }, h('h1', {}, title), viewers),
    h('main', { class: 'watch-main' }, node, chat)))
}
// The player is there with the next task.
queueMicrotask(() => node.focus({ preventScroll: true }))

// Sets text; returns whether it has changed.
/** @param {Node} node @param {string} words */
function changes(node, words) {
  if (node.textContent === words) return false
  say(node, words)
  return true
}

/** @param {import('./roomplayer.js').WatchMessage} message */
function add(message) {
  const isAtEnd = messages.scrollHeight - messages.scrollTop - messages.clientHeight < 40
  const said = message.kind === 'gift' ? words.gift(message.type ?? '', message.count ?? 1) : message.text ?? ''
  if (!said) return
  empty.hidden = true
  messages.append(h('li', { class: message.kind === 'gift' ? 'is-gift' : '' }, h('b', {}, message.user), ' ', said))
  while (messages.childElementCount > MOST) messages.firstElementChild?.remove()
  if (isAtEnd) messages.scrollTop = messages.scrollHeight
}

addEventListener('pagehide', event => { if (!event.persisted) node.remove() })
