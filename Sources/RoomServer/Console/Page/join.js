// Joining a room and going live: a camera preview, and the choice of devices.
import * as devices from './devices.js'
import { openDialog, problem, toast, toastError } from './dialogs.js'
import { h, iconButton, keyed } from './dom.js'
import { AUDIENCES } from './room-settings.js'

const NAME = 'roomserver.name'
const PATTERN = '[A-Za-z0-9_.@:\\-]{1,64}'

// The roles in a room, and the grants that they need.
/** @type {Record<string, Role & { name: string }>} */
const ROLES = {
  guest: { name: 'Guest', hint: 'Publishes and hears the others.', grants: ['publish', 'subscribe'], publishes: true },
  audience: { name: 'Audience', hint: 'Listens and chats, and may ask for a seat.', grants: ['subscribe'], publishes: false },
  host: { name: 'Host', hint: 'Sits on the first seat; decides on seats, layout and PK; may go live.', grants: ['publish', 'subscribe', 'admin', 'relay'], publishes: true },
}

// One device: its list, whether it is on, and its track.
class Device {
  /** @param {{ tag: Tag, label: string, kind: MediaDeviceKind, open: (deviceId?: string) => Promise<MediaStreamTrack>, changed: (device: Device) => void }} given */
  constructor({ tag, label, kind, open, changed }) {
    this.tag = tag
    this.kind = kind
    this.open = open
    this.changed = changed
    /** @type {MediaStreamTrack | null} */
    this.track = null
    this.isOn = true
    /** @type {HTMLSelectElement} */
    this.select = h('select', { class: 'input', id: `device-${tag}`, on: { change: () => this.start(this.select.value) } })
    this.note = h('p', { class: 'hint bad', hidden: true })
    this.node = h('div', { class: 'field' }, h('label', { for: `device-${tag}` }, label), this.select, this.note)
  }

  // Opens the device; `ready` resolves when it is open, or has failed.
  /** @param {string} [deviceId] */
  start(deviceId) { this.ready = this.#start(deviceId) }

  /** @param {string} [deviceId] */
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
    const used = devices.deviceOf(this.track)
    const found = await devices.list(this.kind)
    keyed(this.select, found.length ? found : [{ id: '', name: 'None' }], each => each.id, ({ id, name }) => ({ node: h('option', { value: id }, name), update() {} }))
    this.select.disabled = found.length < 2
    if (used && found.some(each => each.id === used)) this.select.value = used
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
  /** @type {{ stop(): void } | null | undefined} */
  let ear
  return {
    node,
    /** @param {MediaStreamTrack | null} track @param {string} reason */
    show(track, reason) {
      video.hidden = !track
      text.textContent = reason
      video.srcObject = track ? new MediaStream([track]) : null
      if (track) video.play().catch(() => {})
    },
    /** @param {MediaStreamTrack | null} track */
    listen(track) {
      ear?.stop()
      ear = track && devices.listen(track, level => { meter.style.transform = `scaleX(${level.toFixed(2)})` })
      if (!track) meter.style.transform = 'scaleX(0)'
    },
  }
}

/** @param {ReturnType<typeof preview>} picture */
function pair(picture) {
  /** @param {Device} device */
  const show = device => {
    if (device.tag === 'camera') picture.show(device.isOn ? device.track : null, device.isOn && !device.track ? 'No picture' : 'Camera is off')
    else picture.listen(device.isOn ? device.track : null)
  }
  return [
    new Device({ tag: 'camera', label: 'Camera', kind: 'videoinput', open: devices.camera, changed: show }),
    new Device({ tag: 'microphone', label: 'Microphone', kind: 'audioinput', open: devices.microphone, changed: show }),
  ]
}

// The preview before joining: name, camera and microphone, each with its switch.
/** @param {SignedIn} app */
function entrance(app) {
  const picture = preview()
  const both = pair(picture)
  const [camera, microphone] = both
  const isGuest = app.session.kind === 'room'
  const name = h('input', {
    class: 'input', id: 'join-name', required: true, pattern: PATTERN, maxlength: 64, autocomplete: 'off', spellcheck: 'false',
    value: isGuest ? app.session.user : remembered(), readonly: isGuest, title: 'Up to 64 letters, digits and _ . @ : -',
  })
  /** @param {Device} device @param {Icon} on @param {Icon} off @param {string} label */
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
  return {
    picture, both, name,
    pictures: h('div', { class: 'join-picture' }, picture.node,
      h('div', { class: 'controls' }, toggle(microphone, 'microphone', 'microphone-off', 'microphone'), toggle(camera, 'camera', 'camera-off', 'camera'))),
    fields: [h('div', { class: 'field' }, h('label', { for: 'join-name' }, 'Your name in the room'), name), camera.node, microphone.node],
    async media() {
      await Promise.all(both.map(device => device.ready))
      return both.flatMap(({ tag, track, isOn }) => isOn && track ? [{ tag, track }] : [])
    },
  }
}

// Shows the form, and joins with `enter(media)`. An error is shown, and the user may retry.
/** @param {ReturnType<typeof entrance>} door @param {HTMLFormElement} form @param {{ button: HTMLButtonElement, label: string, enter: (media: Captured[]) => Promise<void> }} given */
function showEntrance(door, form, { button, label, enter }) {
  const failure = /** @type {HTMLElement} */ (form.querySelector('.entrance-failure'))
  let joined = false
  form.addEventListener('submit', async event => {
    event.preventDefault()
    button.disabled = true
    failure.replaceChildren()
    try {
      await enter(await door.media())
      joined = true
      try { localStorage.setItem(NAME, door.name.value) } catch { /* storage is off: the name is asked for again */ }
      dialog.close()
    } catch (error) {
      button.disabled = false
      failure.replaceChildren(problem(error))
      // Leaving the attempt ended the published tracks.
      for (const device of door.both) if (device.isOn && device.track?.readyState === 'ended') device.start()
    }
  })
  const dialog = openDialog(form, { wide: true, label })
  dialog.addEventListener('close', () => {
    door.picture.listen(null)
    if (!joined) for (const device of door.both) device.close()
  })
  form.querySelector('[data-action=cancel]')?.addEventListener('click', () => dialog.close())
  for (const device of door.both) device.start()
  return dialog
}

const cancel = () => h('button', { type: 'button', class: 'button', data: { action: 'cancel' } }, 'Cancel')

// Shows the preview, and joins.
/** @param {SignedIn} app @param {string} room */
export function joinDialog(app, room) {
  const door = entrance(app)
  const button = h('button', { class: 'button primary', data: { action: 'confirm' } }, 'Join room')
  const mine = app.session.kind === 'room' && app.session.grants
  /** @type {Role} */
  let role = mine ? { grants: mine, publishes: mine.includes('publish'), hint: '' } : ROLES.guest
  const url = h('input', { class: 'input', id: 'join-url', maxlength: 2048, autocomplete: 'off', spellcheck: 'false', placeholder: `rtmp://origin/live/${room}` })
  const out = h('div', { class: 'field' }, h('label', { for: 'join-url' }, 'Publish URL'), url, h('p', { class: 'hint' }, 'Where camera and microphone are sent to; nowhere while it is empty.'))
  const hint = h('p', { class: 'hint' }, role.hint)
  const columns = h('div', { class: 'join-columns' }, door.pictures)
  const devicesOf = door.fields.slice(1)
  const show = () => {
    hint.textContent = role.hint
    for (const node of [door.pictures, ...devicesOf]) node.hidden = !role.publishes
    out.hidden = !role.publishes || !role.grants.includes('relay')
    columns.classList.toggle('single', !role.publishes)
  }
  const choices = Object.entries(ROLES).map(([key, each]) => h('button', {
    type: 'button', 'aria-pressed': String(each === role), data: { role: key }, on: {
      click: event => {
        role = each
        for (const other of choices) other.setAttribute('aria-pressed', String(other === event.currentTarget))
        show()
      },
    },
  }, each.name))
  columns.append(h('div', { class: 'join-fields' }, door.fields[0],
    !mine && h('div', { class: 'field' }, h('span', { class: 'label' }, 'As'), h('div', { class: 'segments', role: 'group', 'aria-label': 'As' }, choices), hint), devicesOf, out))
  show()
  const form = h('form', { class: 'dialog-body join' },
    h('header', {}, h('h2', {}, `Join ${room}`), h('p', { class: 'muted' }, 'The others can’t see or hear you yet.')),
    columns, h('div', { class: 'entrance-failure' }), h('footer', {}, cancel(), button))
  showEntrance(door, form, {
    button, label: `Join ${room}`,
    enter: async media => {
      if (!role.publishes) for (const device of door.both) device.close()
      const call = await app.startCall({ room, user: door.name.value, grants: role.grants, media: role.publishes ? media : [] })
      if (!out.hidden) await sendOut(call, url.value.trim(), media)
    },
  })
  door.name.select()
}


// A new live stream takes its URL over from an older job.
/** @param {string} url */
const newest = url => /[?&]serialnum=/.test(url) ? url : `${url}${url.includes('?') ? '&' : '?'}serialnum=${Math.floor(Date.now() / 1000)}`

// An error of the live stream is shown; we stay in the room.
/** @param {Call} call @param {string} url @param {Captured[]} media */
async function sendOut(call, url, media) {
  if (!url) return
  if (!media.length) return toast('Nothing is sent: there is neither a camera nor a microphone.', 'error')
  await call.ask('startForward', { jobId: `live-${Date.now().toString(36)}`, publishUrl: newest(url) }).catch(toastError)
}

// Goes live: creates the room if necessary, joins it as its host, and publishes camera and microphone to a URL.
/** @param {SignedIn} app */
export function goLiveDialog(app) {
  const door = entrance(app)
  /** @param {string} id @param {string} value @param {object} more */
  const line = (id, value, more) => h('input', { class: 'input', id, value, autocomplete: 'off', spellcheck: 'false', ...more })
  const room = line('live-room', `${remembered()}-live`, { required: true, pattern: PATTERN, maxlength: 64 })
  const url = line('live-url', '', { maxlength: 2048, placeholder: 'rtmp://' })
  const audience = h('select', { class: 'input', id: 'live-audience' }, Object.entries(AUDIENCES).map(([value, text]) => h('option', { value }, text)))
  let typed = false
  const suggest = () => { if (!typed) url.value = `rtmp://origin/live/${room.value}` }
  url.addEventListener('input', () => { typed = true })
  room.addEventListener('input', suggest)
  suggest()
  const button = h('button', { class: 'button primary', data: { action: 'confirm' } }, 'Go live')
  /** @param {HTMLElement} node @param {string} label @param {string} [hint] */
  const field = (node, label, hint) => h('div', { class: 'field' }, h('label', { for: node.id }, label), node, hint && h('p', { class: 'hint' }, hint))
  const form = h('form', { class: 'dialog-body join' },
    h('header', {}, h('h2', {}, 'Go live'), h('p', { class: 'muted' }, 'You are the host of the room, and your camera and sound are sent to the publish URL.')),
    h('div', { class: 'join-columns' },
      h('div', { class: 'join-fields' }, door.pictures, field(url, 'Publish URL', 'The host “origin” is this server: viewers then watch it here. Empty: nothing is sent out.')),
      h('div', { class: 'join-fields' }, field(room, 'Room'), door.fields, field(audience, 'What the audience receives'))),
    h('div', { class: 'entrance-failure' }), h('footer', {}, cancel(), button))
  showEntrance(door, form, {
    button, label: 'Go live',
    enter: async media => {
      const name = room.value
      await app.createRoom({ name, audience: /** @type {Wire.Audience} */ (audience.value) })
      const call = await app.startCall({ room: name, user: door.name.value, grants: ROLES.host.grants, media })
      await sendOut(call, url.value.trim(), media)
      app.go(`rooms/${encodeURIComponent(name)}`)
    },
  })
  room.select()
}

// Changes the camera or microphone while in the room.
/** @param {Call} call */
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
  for (const device of both) device.start(devices.deviceOf(call.local.get(device.tag)?.track))
}

function remembered() {
  try { return localStorage.getItem(NAME) || 'operator' } catch { return 'operator' }
}
