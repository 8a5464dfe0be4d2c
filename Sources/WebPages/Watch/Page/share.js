// Links for the audience: the watch page with its QR code, the code that embeds it, and the play URLs.
import { openDialog, toastError } from './dialogs.js'
import { h, icon, iconButton } from './dom.js'
import { text } from './text.js'

// The one button that opens the dialog.
/** @param {Api} api @param {string} room */
export function shareButton(api, room) {
  return h('button', { class: 'button small', type: 'button', data: { action: 'share' }, on: { click: () => share(api, room).catch(toastError) } }, icon('share', 'small'), text.watch.share)
}

/** @param {Api} api @param {string} room */
async function share(api, room) {
  const words = text.watch
  const [{ play, settings }, { link, embed, qr }] = await Promise.all([api.get('/v1/rooms/{room}', { room }), api.get('/v1/rooms/{room}/share', { room })])
  // Another setting makes another link.
  /** @param {string} name @param {'public' | 'chat'} key */
  const choice = (name, key) => {
    /** @type {HTMLInputElement} */
    const box = h('input', { type: 'checkbox', data: { watch: key }, set: { checked: Boolean(settings.watch[key]) }, on: {
      change: () => api.send('PATCH', '/v1/rooms/{room}', { room }, { watch: { ...settings.watch, [key]: box.checked } }).then(() => {
        dialog.close()
        return share(api, room)
      }).catch(toastError),
    } })
    return h('label', { class: 'share-choice' }, box, name)
  }
  const close = iconButton('close', text.common.close, () => dialog.close())
  const dialog = openDialog(h('div', { class: 'dialog-body share' },
    h('header', { class: 'player-head' }, h('h2', {}, `${words.share}: ${room}`), close),
    h('p', { class: 'muted' }, settings.watch.public ? words.shareHint : words.sharePrivate),
    h('div', { class: 'share-link' }, qr ? picture(qr) : null, h('div', { class: 'grow' },
      row(words.page, link, 'watch'), row(words.embed, embed, 'embed'),
      h('div', { class: 'share-choices' }, choice(words.makePublic, 'public'), choice(words.showChat, 'chat')),
      h('a', { class: 'button small', href: link, target: '_blank', rel: 'noopener' }, icon('play', 'small'), words.openPage))),
    list(play, false)), { wide: true, label: `${words.share}: ${room}` })
}

// The play URLs of a room or a stream, if they are known.
/** @param {Wire.PlayURLs | null} [play] */
export const playCard = play => play ? list(play) : h('div')

/** @param {Wire.PlayURLs} play @param {boolean} [withPage] */
function list(play, withPage = true) {
  const { watch, whep, rtmp, flv, hls, expiresAt, others } = play
  const rows = Object.entries({ [text.watch.page]: withPage ? watch : '', WHEP: whep, HLS: hls, 'HTTP-FLV': flv, RTMP: rtmp, ...others })
  return h('div', { class: 'addresses' }, rows.map(([name, url]) => url ? row(name, url, name) : null),
    expiresAt ? h('p', { class: 'muted' }, text.watch.expires(new Date(expiresAt).toLocaleString())) : null)
}

/** @param {string} name @param {string} value @param {string} key */
function row(name, value, key) {
  /** @type {HTMLInputElement} */
  const field = h('input', { class: 'input', readonly: true, value, 'aria-label': name, data: { address: key }, on: { focus: () => field.select() } })
  const button = iconButton('copy', text.watch.copyOf(name), async () => {
    try {
      await navigator.clipboard.writeText(value)
      button.show('check', text.common.copied)
      setTimeout(() => button.show('copy', text.watch.copyOf(name)), 1500)
    } catch {
      field.select() // pages without HTTPS have no clipboard: the text is ready to be copied
    }
  })
  return h('div', { class: 'address' }, h('span', {}, name), field, button)
}

// A link that is too long for a QR code has none.
/** @param {string} qr An SVG document. */
function picture(qr) {
  const url = URL.createObjectURL(new Blob([qr], { type: 'image/svg+xml' }))
  return h('img', { class: 'qr', src: url, alt: text.watch.code, on: { load: () => URL.revokeObjectURL(url) } })
}
