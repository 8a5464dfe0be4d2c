// What precedes joining: a picture of oneself, a name, and the choice of camera and microphone.
import * as devices from './devices.js'
import { openDialog, problem } from './dialogs.js'
import { DeviceChoice } from './device-choice.js'
import { h, iconButton, keyed, say } from './dom.js'
import { field, line, select } from './fields.js'
import { rememberName, suggestedName } from './names.js'
import { TEST } from './test-sources.js'
import { text } from './text.js'

export const PATTERN = '[A-Za-z0-9_.@:\\-]{1,64}'

// A choice of a device as a field. `show(device)` draws what it sends.
class Device extends DeviceChoice {
  // With `fallsBack` the test source takes the place of a device that can't be opened.
  /** @param {'camera' | 'microphone'} tag @param {(device: Device) => void} show @param {boolean} fallsBack */
  constructor(tag, show, fallsBack) {
    const open = devices[tag]
    super({ kind: tag, open, changed: () => this.#draw(), fallback: () => fallsBack ? open(TEST) : null })
    this.tag = tag
    this.show = show
    this.fallsBack = fallsBack
    this.select = select(`device-${tag}`, [], { on: { change: () => this.choose() } })
    this.note = h('p', { class: 'hint bad', hidden: true })
    this.node = field(this.select, text.stage[tag])
    this.node.append(this.note)
  }

  // Opens the chosen device, also one that was turned off.
  choose() {
    if (this.select.value) this.isOn = true
    this.start(this.select.value)
  }

  #draw() {
    this.note.hidden = !this.error
    const instead = this.tag === 'camera' ? text.stage.sendsTestPicture : text.stage.sendsTestTone
    say(this.note, this.error && `${this.error.message}${this.fallsBack ? ` ${instead}` : ''}`)
    const used = this.deviceId
    const found = devices.named(this.tag, this.devices)
    if (this.isOn && !used) found.unshift({ id: '', name: text.stage.none })
    keyed(this.select, found, each => each.id, ({ id, name }) => ({ node: h('option', { value: id }, name), update() {} }))
    if (this.isOn) this.select.value = used && found.some(each => each.id === used) ? used : found[0].id
    this.show(this)
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
  return [new Device('camera', show, fallsBack), new Device('microphone', show, fallsBack)]
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
    const button = iconButton(on, label, () => device.toggle(device.select.value), 'control')
    const { show } = device
    device.show = () => {
      button.classList.toggle('off', !device.isOn)
      button.show(device.isOn ? on : off, label, device.isOn ? turnOff : turnOn)
      button.setAttribute('aria-pressed', String(device.isOn))
      show(device)
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

// Shows the form with its columns, and joins with `enter(media)`. An error is shown, and the user may retry; `ask` turns one that is a question
// into a node with its answers.
/** @param {ReturnType<typeof entrance>} door @param {{ title: string, hint: string, action: string, columns: HTMLElement, enter: (media: Captured[]) => Promise<void>, ask?: (error: Failure) => Node | null }} given */
export function showEntrance(door, { title, hint, action, columns, enter, ask }) {
  const failure = h('div')
  const button = h('button', { class: 'button primary', data: { action: 'confirm' } }, action)
  const cancel = h('button', { type: 'button', class: 'button', on: { click: () => dialog.close() } }, text.common.cancel)
  const form = h('form', { class: 'dialog-body join' }, h('header', {}, h('h2', {}, title), h('p', { class: 'muted' }, hint)), columns, failure, h('footer', { class: 'stays' }, cancel, button))
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
  const dialog = openDialog(form, { wide: true, label: title })
  dialog.addEventListener('close', () => {
    door.picture.listen(null)
    if (!joined) for (const device of door.both) device.close()
  })
  for (const device of door.both) device.start()
  return form
}
