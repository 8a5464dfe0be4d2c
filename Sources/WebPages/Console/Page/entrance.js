// What precedes joining: a picture of oneself, a name, and the choice of camera and microphone.
import * as devices from './devices.js'
import { openDialog, problem } from './dialogs.js'
import { h, iconButton, keyed } from './dom.js'
import { field, line } from './fields.js'
import { rememberName, suggestedName } from './names.js'
import { TEST } from './test-sources.js'
import { text } from './text.js'

export const PATTERN = '[A-Za-z0-9_.@:\\-]{1,64}'

// One device: its list, whether it is on, and its track.
class Device {
  // With `fallsBack` the test source takes the place of a device that can't be opened.
  /** @param {{ tag: Tag, label: string, kind: MediaDeviceKind, open: (deviceId?: string) => Promise<MediaStreamTrack>, changed: (device: Device) => void, fallsBack?: boolean }} given */
  constructor({ tag, label, kind, open, changed, fallsBack = false }) {
    this.tag = tag
    this.kind = kind
    this.open = open
    this.changed = changed
    this.fallsBack = fallsBack
    /** @type {MediaStreamTrack | null} */
    this.track = null
    this.isOn = true
    /** @type {HTMLSelectElement} */
    this.select = h('select', { class: 'input', id: `device-${tag}`, on: { change: () => this.choose() } })
    this.note = h('p', { class: 'hint bad', hidden: true })
    this.node = h('div', { class: 'field' }, h('label', { for: `device-${tag}` }, label), this.select, this.note)
  }

  // Opens the chosen device, also one that was turned off.
  choose() {
    if (this.select.value) this.isOn = true
    this.start(this.select.value)
  }

  // Opens the device; `ready` resolves when it is open, or has failed.
  /** @param {string} [deviceId] */
  start(deviceId) { this.ready = this.#start(deviceId) }

  /** @param {string} [deviceId] */
  async #start(deviceId) {
    this.stop()
    this.note.hidden = true
    try {
      this.track = await this.open(deviceId)
    } catch (error) {
      this.note.hidden = false
      this.note.textContent = error.message
      if (this.fallsBack) {
        this.track = await this.open(TEST)
        this.note.textContent += ` ${this.tag === 'camera' ? text.stage.sendsTestPicture : text.stage.sendsTestTone}`
      }
    }
    if (this.isClosed) return this.stop()
    const used = devices.deviceOf(this.track)
    const found = await devices.list(this.kind)
    if (!used) found.unshift({ id: '', name: text.stage.none })
    keyed(this.select, found, each => each.id, ({ id, name }) => ({ node: h('option', { value: id }, name), update() {} }))
    this.select.value = used && found.some(each => each.id === used) ? used : found[0].id
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

export function preview() {
  const video = h('video', { 'aria-label': text.stage.preview, set: { muted: true, autoplay: true, playsInline: true } })
  const words = h('p', {}, text.stage.startingCamera)
  const meter = h('i')
  const node = h('div', { class: 'preview' }, words, video, h('div', { class: 'meter', role: 'img', 'aria-label': text.stage.loudness }, meter))
  /** @type {{ stop(): void } | null | undefined} */
  let ear
  return {
    node,
    /** @param {MediaStreamTrack | null} track @param {string} reason */
    show(track, reason) {
      video.hidden = !track
      video.classList.toggle('mirrored', devices.isMirrored(track))
      words.textContent = reason
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

/** @param {ReturnType<typeof preview>} picture @param {boolean} [fallsBack] */
export function pair(picture, fallsBack = false) {
  /** @param {Device} device */
  const show = device => {
    if (device.tag === 'camera') picture.show(device.isOn ? device.track : null, device.isOn && !device.track ? text.stage.noPicture : text.stage.cameraIsOff)
    else picture.listen(device.isOn ? device.track : null)
  }
  return [
    new Device({ tag: 'camera', label: text.stage.camera, kind: 'videoinput', open: devices.camera, changed: show, fallsBack }),
    new Device({ tag: 'microphone', label: text.stage.microphone, kind: 'audioinput', open: devices.microphone, changed: show, fallsBack }),
  ]
}

// The preview before joining: name, camera and microphone, each with its switch.
/** @param {SignedIn} app @param {boolean} [fallsBack] Whether a test source takes the place of a missing device. */
export function entrance(app, fallsBack = false) {
  const picture = preview()
  const both = pair(picture, fallsBack)
  const [camera, microphone] = both
  const isGuest = app.session.kind === 'room'
  const name = line('join-name', app.session.user ?? suggestedName(), { required: true, pattern: PATTERN, maxlength: 64, readonly: isGuest, title: text.stage.nameRule })
  /** @param {Device} device @param {Icon} on @param {Icon} off @param {[string, string, string]} labels */
  const toggle = (device, on, off, [label, turnOff, turnOn]) => {
    const button = iconButton(on, label, () => {
      device.isOn = !device.isOn
      if (device.isOn && !device.track) device.start(device.select.value)
      if (!device.isOn) device.stop()
      device.changed(device)
    }, 'control')
    const { changed } = device
    device.changed = () => {
      button.classList.toggle('off', !device.isOn)
      button.show(device.isOn ? on : off, label, device.isOn ? turnOff : turnOn)
      button.setAttribute('aria-pressed', String(device.isOn))
      changed(device)
    }
    return button
  }
  const { microphone: ofSound, camera: ofPicture, muteMicrophone, unmuteMicrophone, cameraOff, cameraOn } = text.stage
  return {
    picture, both, name,
    pictures: h('div', { class: 'join-picture' }, picture.node,
      h('div', { class: 'controls' }, toggle(microphone, 'microphone', 'microphone-off', [ofSound, muteMicrophone, unmuteMicrophone]), toggle(camera, 'camera', 'camera-off', [ofPicture, cameraOff, cameraOn]))),
    fields: [field(name, text.stage.yourName), camera.node, microphone.node],
    async media() {
      await Promise.all(both.map(device => device.ready))
      return both.flatMap(({ tag, track, isOn }) => isOn && track ? [{ tag, track }] : [])
    },
  }
}

// Shows the form, and joins with `enter(media)`. An error is shown, and the user may retry; `ask` turns one that is a question
// into a node with its answers.
/** @param {ReturnType<typeof entrance>} door @param {HTMLFormElement} form @param {{ button: HTMLButtonElement, label: string, enter: (media: Captured[]) => Promise<void>, ask?: (error: Failure) => Node | null }} given */
export function showEntrance(door, form, { button, label, enter, ask }) {
  const failure = /** @type {HTMLElement} */ (form.querySelector('.entrance-failure'))
  let joined = false
  form.addEventListener('submit', async event => {
    event.preventDefault()
    button.disabled = true
    failure.replaceChildren()
    try {
      await enter(await door.media())
      joined = true
      rememberName(door.name.value)
      dialog.close()
    } catch (error) {
      button.disabled = false
      failure.replaceChildren(ask?.(error) ?? problem(error))
      failure.scrollIntoView({ block: 'nearest' })
      // Leaving the attempt ended the published tracks.
      for (const device of door.both) if (device.isOn && device.track?.readyState === 'ended') device.start(device.select.value)
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

export const cancelButton = () => h('button', { type: 'button', class: 'button', data: { action: 'cancel' } }, text.common.cancel)
