// Players: a live stream over HLS, a room over WHEP, each in a dialog.
import { openDialog, problem } from './dialogs.js'
import { h, iconButton, say } from './dom.js'
import { joined, rate } from './format.js'
import { here } from './server.js'
import { Viewing, lookingToken } from './whep.js'

// A stream of the origin, with the browser's own HLS.
/** @param {string} path @param {{ width?: number, height?: number }} given */
export function watchStream(path, { width, height } = {}) {
  const video = screen()
  const url = `${here().base}/${path}.m3u8`
  const facts = h('div', { class: 'muted number player-facts' }, '\u00a0')
  const failure = h('div')
  video.addEventListener('error', () => {
    const text = video.canPlayType('application/vnd.apple.mpegurl')
      ? 'The stream can’t be played. It may have ended, or its URL must be signed.' : 'This browser can’t play HLS. Open the URL in a player.'
    failure.replaceChildren(problem(new Error(text)))
  })
  video.src = url
  const timer = setInterval(() => say(facts, [
    'HLS', video.videoWidth ? `${video.videoWidth}×${video.videoHeight}` : width && `${width}×${height}`, video.seekable.length ? `${(video.seekable.end(video.seekable.length - 1) - video.currentTime).toFixed(1)} s behind` : 'waiting',
  ].filter(Boolean).join(' · ')), 500)
  const dialog = open(`Live: ${path}`, video, facts, failure, addresses(path))
  dialog.addEventListener('close', () => {
    clearInterval(timer)
    video.removeAttribute('src')
    video.load()
  })
}

// The current speaker of a room, over WHEP.
/** @param {Api} api @param {string} room */
export async function watchRoom(api, room) {
  const video = screen()
  const facts = h('div', { class: 'muted number player-facts' }, 'Connecting…')
  const failure = h('div')
  const viewing = new Viewing({ room, token: lookingToken(api, room), video })
  /** @type {number | undefined} */
  let timer
  open(`Room: ${room}`, video, facts, failure).addEventListener('close', () => {
    clearInterval(timer)
    viewing.close()
  })
  try {
    await viewing.open()
    if (viewing.closed) return
    /** @type {{ at: number, bytes: number } | undefined} */
    let before
    timer = setInterval(async () => {
      const now = { at: performance.now(), bytes: 0 }
      for (const report of (await viewing.peer.getStats()).values()) if (report.type === 'inbound-rtp') now.bytes += report.bytesReceived
      const kbps = before ? (now.bytes - before.bytes) * 8 / (now.at - before.at) : 0
      before = now
      say(facts, ['WHEP', video.videoWidth && `${video.videoWidth}×${video.videoHeight}`, joined(rate(kbps))].filter(Boolean).join(' · '))
    }, 1000)
  } catch (error) {
    say(facts, 'WHEP')
    failure.replaceChildren(problem(error))
  }
}

const screen = () => h('video', { class: 'player', set: { muted: true, autoplay: true, playsInline: true, controls: true } })

/** @param {string} title @param {HTMLElement} video @param {HTMLElement} facts @param {HTMLElement} failure @param {HTMLElement} [more] */
function open(title, video, facts, failure, more) {
  const close = iconButton('close', 'Close', () => dialog.close())
  const dialog = openDialog(h('div', { class: 'dialog-body' },
    h('header', { class: 'player-head' }, h('h2', {}, title), close), video, facts, failure, more), { wide: true, label: title })
  return dialog
}

// The other URLs of the stream.
/** @param {string} path */
function addresses(path) {
  const { base } = here()
  const urls = { HLS: `${base}/${path}.m3u8`, 'HTTP-FLV': `${base}/${path}.flv`, RTMP: `rtmp://${new URL(base).hostname}/${path}` }
  return h('dl', { class: 'addresses' }, Object.entries(urls).flatMap(([name, url]) => [h('dt', {}, name), h('dd', {}, h('code', {}, url))]))
}
