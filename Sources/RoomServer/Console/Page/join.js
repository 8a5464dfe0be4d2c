// The way into a room: what the camera shows before others see it, and which devices are used.
import * as devices from './devices.js'
import { openDialog, problem, toastError } from './dialogs.js'
import { h, iconButton, keyed } from './dom.js'

const NAME = 'roomserver.name'

// One device: its list, whether it is on, and the track that it gives.
class Device {
  constructor({ tag, label, kind, open, changed }) {
    Object.assign(this, { tag, kind, open, changed, track: null, isOn: true })
    this.select = h('select', { class: 'input', id: `device-${tag}`, on: { change: () => this.start(this.select.value) } })
    this.note = h('p', { class: 'hint bad', hidden: true })
    this.node = h('div', { class: 'field' }, h('label', { for: `device-${tag}` }, label), this.select, this.note)
  }

  // Opens the device; `ready` is done when it is open, or can't be.
  start(deviceId) { this.ready = this.#start(deviceId) }

  async #start(deviceId) {
    this.stop()
    try {
      this.track = await this.open(deviceId)
      this.note.hidden = true
    } catch (error) {
      this.note.textContent = error.message
      this.note.hidden = false
    }
    if (this.isClosed) return this.stop()
    const used = this.track?.getSettings().deviceId
    const found = await devices.list(this.kind)
    keyed(this.select, found.length ? found : [{ id: '', name: 'None' }], each => each.id, ({ id, name }) => ({ node: h('option', { value: id }, name), update() {} }))
    this.select.disabled = found.length < 2
    if (used) this.select.value = used
    this.changed(this)
  }

  stop() {
    this.track?.stop()
    this.track = null
  }

  close() {
    this.isClosed = true
    this.stop()
  }
}

function preview() {
  const video = h('video', { class: 'mirrored', set: { muted: true, autoplay: true, playsInline: true } })
  const text = h('p', {}, 'Starting the camera…')
  const meter = h('i')
  const node = h('div', { class: 'preview' }, text, video, h('div', { class: 'meter', role: 'img', 'aria-label': 'How loud you are' }, meter))
  let ear
  return {
    node,
    show(track, reason) {
      video.hidden = !track
      text.textContent = reason
      video.srcObject = track ? new MediaStream([track]) : null
      if (track) video.play().catch(() => {})
    },
    listen(track) {
      ear?.stop()
      ear = track && devices.listen(track, level => { meter.style.transform = `scaleX(${level.toFixed(2)})` })
      if (!track) meter.style.transform = 'scaleX(0)'
    },
  }
}

function pair(picture) {
  const show = device => {
    if (device.tag === 'camera') picture.show(device.isOn ? device.track : null, device.isOn && !device.track ? 'No picture' : 'Camera is off')
    else picture.listen(device.isOn ? device.track : null)
  }
  return [
    new Device({ tag: 'camera', label: 'Camera', kind: 'videoinput', open: devices.camera, changed: show }),
    new Device({ tag: 'microphone', label: 'Microphone', kind: 'audioinput', open: devices.microphone, changed: show }),
  ]
}

// Shows oneself, and joins.
export function joinDialog(app, room) {
  const picture = preview()
  const both = pair(picture)
  const [camera, microphone] = both
  const failure = h('div')
  const isGuest = app.session.kind === 'room'
  const name = h('input', {
    class: 'input', id: 'join-name', required: true, pattern: '[A-Za-z0-9_.@:\\-]{1,64}', maxlength: 64, autocomplete: 'off', spellcheck: 'false',
    value: isGuest ? app.session.user : remembered(), readonly: isGuest, title: 'Up to 64 letters, digits and _ . @ : -',
  })
  const toggle = (device, on, off, label) => {
    const button = iconButton(on, `Turn ${label} off`, () => {
      device.isOn = !device.isOn
      if (device.isOn && !device.track) device.start()
      if (!device.isOn) device.stop()
      device.changed(device)
      button.classList.toggle('off', !device.isOn)
      button.show(device.isOn ? on : off, `Turn ${label} ${device.isOn ? 'off' : 'on'}`)
    }, 'control')
    return button
  }
  const join = h('button', { class: 'button primary', data: { action: 'confirm' } }, 'Join room')
  const form = h('form', { class: 'dialog-body join' },
    h('header', {}, h('h2', {}, `Join ${room}`), h('p', { class: 'muted' }, 'Nobody sees or hears you yet.')),
    h('div', { class: 'join-columns' },
      h('div', { class: 'join-picture' }, picture.node,
        h('div', { class: 'controls' }, toggle(microphone, 'microphone', 'microphone-off', 'microphone'), toggle(camera, 'camera', 'camera-off', 'camera'))),
      h('div', { class: 'join-fields' },
        h('div', { class: 'field' }, h('label', { for: 'join-name' }, 'Your name in the room'), name), camera.node, microphone.node)),
    failure,
    h('footer', {}, h('button', { type: 'button', class: 'button', on: { click: () => dialog.close() } }, 'Cancel'), join))
  let joined = false
  form.addEventListener('submit', async event => {
    event.preventDefault()
    join.disabled = true
    failure.replaceChildren()
    await Promise.all(both.map(device => device.ready))
    const media = both.filter(device => device.isOn && device.track).map(({ tag, track }) => ({ tag, track }))
    try {
      await app.startCall({ room, user: name.value, grants: ['publish', 'subscribe'], media })
      joined = true
      try { localStorage.setItem(NAME, name.value) } catch { /* storage is off: it is asked again */ }
      dialog.close()
    } catch (error) {
      join.disabled = false
      failure.replaceChildren(problem(error))
      // What was published ended with the attempt.
      for (const device of both) if (device.isOn && device.track?.readyState === 'ended') device.start()
    }
  })
  const dialog = openDialog(form, { wide: true, label: `Join ${room}` })
  dialog.addEventListener('close', () => {
    picture.listen(null)
    if (!joined) for (const device of both) device.close()
  })
  for (const device of both) device.start()
  name.select()
}

// Another camera or microphone while in the room.
export async function chooseDevices(call) {
  const picture = preview()
  const both = pair(picture)
  const apply = h('button', { class: 'button primary', data: { action: 'confirm' } }, 'Use these')
  const form = h('form', { class: 'dialog-body' }, h('header', {}, h('h2', {}, 'Devices')), picture.node, both.map(device => device.node),
    h('footer', {}, h('button', { type: 'button', class: 'button', on: { click: () => dialog.close() } }, 'Cancel'), apply))
  let used = false
  form.addEventListener('submit', async event => {
    event.preventDefault()
    used = true
    await Promise.all(both.map(device => device.ready))
    dialog.close()
    try {
      for (const { tag, track } of both) if (track) await call.useDevice(tag, track)
    } catch (error) { toastError(error) }
  })
  const dialog = openDialog(form, { label: 'Devices' })
  dialog.addEventListener('close', () => {
    picture.listen(null)
    if (!used) for (const device of both) device.close()
  })
  for (const device of both) device.start(call.local.get(device.tag)?.track?.getSettings().deviceId)
}

function remembered() {
  try { return localStorage.getItem(NAME) || 'operator' } catch { return 'operator' }
}
