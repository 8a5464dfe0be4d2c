// A recorded file in a dialog, and its download. Both use a signed URL, since neither sends the API token.
import { openDialog } from './dialogs.js'
import { h, iconButton } from './dom.js'
import { here } from './server.js'
import { text } from './text.js'

const HALF_A_DAY = 43_200 // seconds
const MINUTES = 600 // seconds

/** @typedef {{ name: string, node?: string }} File Of a node of a cluster. */

/** @param {Api} api @param {File} file @param {number} ttl In seconds. */
const link = async (api, file, ttl) => here().base + (await api.send('POST', '/v1/recordings/{recording}/url', { recording: file.name, node: file.node }, { ttl })).url

/** @param {Api} api @param {File} file */
export async function download(api, file) {
  h('a', { href: await link(api, file, MINUTES), download: file.name }).click()
}

// Seeking requests the bytes of the new time.
/** @param {Api} api @param {File} file */
export async function playRecording(api, file) {
  const { name } = file
  const failure = h('div')
  const video = h('video', {
    class: 'recording-video', src: await link(api, file, HALF_A_DAY), controls: true, autoplay: true, playsinline: true, tabindex: '0',
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
