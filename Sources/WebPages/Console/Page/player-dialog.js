// The web client's player in a dialog: a stream of the origin, or a room.
import { lookingToken, ofStream } from './api.js'
import './buffered-sources.js' // at once: the server that the page came from may be gone when a player needs it
import { openDialog } from './dialogs.js'
import { h, iconButton } from './dom.js'
import './room-player.js'
import { here } from './server.js'
import { playCard } from './share.js'
import { text } from './text.js'

// A stream of the origin.
/** @param {Api | null} api @param {string} path */
export async function watchStream(api, path) {
  // Its watch page may need a signature.
  const play = await api?.get('/v1/streams/{app}/{stream}/play', ofStream(path)).catch(() => null)
  open(path, play ? play.watch.replace(/^.*?\/watch\//, '') : path, null, playCard(play))
}

// What the audience of a room sees.
/** @param {Api} api @param {string} room */
export async function watchRoom(api, room) {
  const detail = await api.get('/v1/rooms/{room}', { room }).catch(() => null)
  open(room, encodeURIComponent(room), lookingToken(api, room), playCard(detail?.play))
}

/** @param {string} title @param {string} path @param {(() => Promise<string>) | null} token @param {HTMLElement} more */
function open(title, path, token, more) {
  const player = /** @type {import('./room-player.js').RoomPlayer} */ (document.createElement('room-player'))
  player.token = token
  for (const [name, value] of Object.entries({ src: `${here().base}/watch/${path}`, 'aria-label': title, controls: '', muted: '' })) player.setAttribute(name, value)
  const close = iconButton('close', text.common.close, () => dialog.close())
  const dialog = openDialog(h('div', { class: 'dialog-body' },
    h('header', { class: 'player-head' }, h('h2', {}, title), close), player, more), { wide: true, label: title })
}
