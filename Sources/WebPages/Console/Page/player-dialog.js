// The watch page's player in a dialog: a stream of the origin, or a room.
import { lookingToken } from './api.js'
import { openDialog } from './dialogs.js'
import { h, iconButton } from './dom.js'
import { PlayerView } from './player-view.js'
import { playCard } from './share.js'
import { text } from './text.js'
import { Watching } from './watching.js'

// A stream of the origin.
/** @param {Api | null} api @param {string} path */
export async function watchStream(api, path) {
  // Its watch page may need a signature.
  const play = await api?.play(path).catch(() => null)
  open(path, play ? play.watch.replace(/^.*?\/watch\//, '') : path, undefined, playCard(play))
}

// What the audience of a room sees.
/** @param {Api} api @param {string} room */
export async function watchRoom(api, room) {
  const detail = await api.room(room).catch(() => null)
  open(room, encodeURIComponent(room), lookingToken(api, room), playCard(detail?.play))
}

/** @param {string} title @param {string} path @param {(() => Promise<string>) | undefined} token @param {HTMLElement} more */
function open(title, path, token, more) {
  const player = new PlayerView({ title, token })
  const watching = new Watching({
    path, token,
    received(state, trip) {
      player.explain(null)
      player.playing.update(state, trip)
    },
    refused(error) {
      if (error.status && player.playing.status === 'playing') return
      if (error.status) player.playing.refuse()
      else player.playing.lose()
      player.explain([error.message, ''])
    },
  })
  const close = iconButton('close', text.common.close, () => dialog.close())
  const dialog = openDialog(h('div', { class: 'dialog-body' },
    h('header', { class: 'player-head' }, h('h2', {}, title), close), player.node, more), { wide: true, label: title })
  dialog.addEventListener('close', () => {
    watching.close()
    player.close()
  })
}
