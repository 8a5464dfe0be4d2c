// The watch page: one player, and what the room shows to its viewers.
import { h, icon, say } from './dom.js'
import { PlayerView } from './player-view.js'
import { here } from './server.js'
import { text } from './text.js'
import { Watching } from './watching.js'

const MOST = 100 // messages

const title = document.body.dataset.title ?? ''
const given = new URLSearchParams(location.search)
const token = given.get('token')
const isEmbedded = given.has('embed')
const signature = new URLSearchParams([...given].filter(([name]) => name === 'wsSecret' || name === 'wsTime')).toString()
const path = location.pathname.replace(/^.*?\/watch\//, '') + (signature ? `?${signature}` : '')

const player = new PlayerView({ title, token: async () => token })
const viewers = h('span', { class: 'watch-viewers muted number', hidden: true })
const messages = h('ol', { class: 'watch-messages', role: 'log', 'aria-label': text.watch.chat, tabindex: '0' })
const empty = h('p', { class: 'muted' }, text.watch.noMessages)
const chat = h('section', { class: 'watch-chat', hidden: true }, h('h2', {}, text.watch.chat), empty, messages)

if (isEmbedded) document.documentElement.dataset.embed = ''
document.body.append(isEmbedded ? player.node : h('div', { class: 'watch-frame' },
  h('header', { class: 'watch-head' }, h('h1', {}, title), viewers),
  h('main', { class: 'watch-main' }, player.node, chat)))
player.node.focus({ preventScroll: true })

let isAnswered = false // the server has said whether the room is live
/** @type {Set<string>} */
const reported = new Set()

const watching = new Watching({
  path, follows: true, token: async () => token,
  received(state, trip) {
    isAnswered = true
    player.explain(null)
    player.playing.update(state, trip)
    viewers.hidden = state.viewers === undefined
    if (state.viewers !== undefined && changes(viewers, text.watch.viewers(state.viewers))) viewers.prepend(icon('eye', 'small'))
    chat.hidden = !state.messages
    for (const message of state.messages ?? []) add(message)
  },
  refused(error) {
    // What plays continues when its link expires during the show.
    if (error.status && player.playing.status === 'playing') return
    if (error.status === 401 || error.status === 403 || error.status === 404) {
      player.playing.refuse()
      player.explain(text.watch.reasons.permission)
      return report('permission')
    }
    // What plays over WebRTC may play on.
    if (!error.status) player.playing.lose()
    if (player.playing.status === 'offline' || player.playing.status === 'unplayable') player.explain([text.watch.lost, ''])
  },
})

player.playing.addEventListener('program', () => watching.wantProgram())
player.playing.addEventListener('change', () => {
  const { status, reason, hasPlayed } = player.playing
  if (status === 'unplayable') report(reason)
  else if (status === 'offline' && isAnswered && !hasPlayed) report('offline')
})

// Tells the server why this viewer sees nothing: each reason once in a visit.
/** @param {import('./unplayable.js').Reason} reason */
function report(reason) {
  if (reported.has(reason)) return
  reported.add(reason)
  fetch(`${here().base}/v1/watch-failures`, { method: 'POST', body: JSON.stringify({ reason, path: path.split('?')[0] }), headers: { 'Content-Type': 'application/json' } }).catch(() => {})
}

// Sets text; returns whether it has changed.
/** @param {Node} node @param {string} words */
function changes(node, words) {
  if (node.textContent === words) return false
  say(node, words)
  return true
}

/** @param {WatchMessage} message */
function add(message) {
  empty.hidden = true
  const isAtEnd = messages.scrollHeight - messages.scrollTop - messages.clientHeight < 40
  const words = message.kind === 'gift' ? text.watch.gift(message.type ?? '', message.count ?? 1) : message.text ?? ''
  if (!words) return
  messages.append(h('li', { class: message.kind === 'gift' ? 'is-gift' : '' }, h('b', {}, message.user), ' ', words))
  while (messages.childElementCount > MOST) messages.firstElementChild?.remove()
  if (isAtEnd) messages.scrollTop = messages.scrollHeight
}

addEventListener('pagehide', event => {
  if (event.persisted) return
  watching.close()
  player.close()
})
