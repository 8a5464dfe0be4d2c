// Changing devices while in the room: camera, microphone, speaker, and what the browser does to sound and picture.
import * as devices from './devices.js'
import { openDialog, toastError } from './dialogs.js'
import { h } from './dom.js'
import { pair, preview } from './entrance.js'
import { field, select } from './fields.js'
import { text } from './text.js'

/** @param {Call} call */
export async function chooseDevices(call) {
  const picture = preview()
  const both = pair(picture)
  const [camera, microphone] = both
  /** @param {'echo' | 'noise' | 'blur'} name @param {typeof camera} device @param {string} label @param {string} [hint] */
  const option = (name, device, label, hint) => {
    const box = h('input', { type: 'checkbox', id: `device-${name}`, set: { checked: devices.choices[name] }, 'aria-describedby': hint ? `device-${name}-hint` : null, on: {
      // A device takes these when it opens.
      change: event => {
        devices.choose({ [name]: event.currentTarget.checked })
        if (device.select.value) device.start(device.select.value)
      },
    } })
    return h('div', { class: 'check' }, box, h('label', { for: box.id }, label), hint && h('p', { class: 'hint', id: `device-${name}-hint` }, hint))
  }
  const found = await devices.speakers()
  const speaker = select('device-speaker', [['', text.stage.defaultSpeaker], ...found.filter(({ id }) => id !== 'default').map(({ id, name }) => [id, name])])
  speaker.value = found.some(({ id }) => id === devices.choices.speaker) ? devices.choices.speaker : ''
  const apply = h('button', { class: 'button primary', data: { action: 'confirm' } }, text.stage.useThese)
  const form = h('form', { class: 'dialog-body' }, h('header', {}, h('h2', {}, text.stage.devices)), picture.node,
    camera.node, option('blur', camera, text.stage.blur, text.stage.blurHint),
    microphone.node, option('noise', microphone, text.stage.noise), option('echo', microphone, text.stage.echo),
    found.length > 0 && field(speaker, text.stage.speaker),
    h('footer', { class: 'stays' }, h('button', { type: 'button', class: 'button', on: { click: () => dialog.close() } }, text.common.cancel), apply))
  let used = false
  form.addEventListener('submit', async event => {
    event.preventDefault()
    used = true
    await Promise.all(both.map(device => device.ready))
    if (found.length) devices.choose({ speaker: speaker.value })
    dialog.close()
    call.setSpeaker(devices.choices.speaker)
    try {
      for (const { tag, track } of both) if (track) await call.devices.use(tag, track)
    } catch (error) { toastError(error) }
  })
  const dialog = openDialog(form, { label: text.stage.devices })
  dialog.addEventListener('close', () => {
    picture.listen(null)
    if (!used) for (const device of both) device.close()
  })
  for (const device of both) device.start(devices.deviceOf(call.localTracks.get(device.tag)?.track))
}
