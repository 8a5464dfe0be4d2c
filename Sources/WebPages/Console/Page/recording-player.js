// A recorded file in a dialog, and its download. Both use a signed URL, since neither sends the API token.
import { openDialog } from './dialogs.js'
import { h, iconButton } from './dom.js'
import { here } from './server.js'
import { text } from './text.js'

const HALF_A_DAY = 43_200 // seconds
const MINUTES = 600 // seconds

/** @param {Api} api @param {string} name @param {number} ttl In seconds. */
const link = async (api, name, ttl) => here().base + (await api.signRecording(name, ttl)).url

/** @param {Api} api @param {string} name */
export async function download(api, name) {
  h('a', { href: await link(api, name, MINUTES), download: name }).click()
}

// Seeking requests the bytes of the new time.
/** @param {Api} api @param {string} name */
export async function playRecording(api, name) {
  const failure = h('div')
  const video = h('video', {
    class: 'recording-video', src: await link(api, name, HALF_A_DAY), controls: true, autoplay: true, playsinline: true, tabindex: '0',
    'aria-label': text.recordings.pictureOf(name),
    on: { error: () => failure.replaceChildren(h('div', { class: 'problem', role: 'alert' }, text.recordings.unplayable)) },
  })
  const close = iconButton('close', text.common.close, () => dialog.close())
  const dialog = openDialog(h('div', { class: 'dialog-body' }, h('header', { class: 'player-head' }, h('h2', {}, name), close), video, failure), { wide: true, label: name })
  dialog.addEventListener('close', () => {
    // Ends the download as well.
    video.removeAttribute('src')
    video.load()
  })
}
