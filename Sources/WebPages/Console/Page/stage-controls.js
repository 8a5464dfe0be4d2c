// The bar of the stage: our own media, the live stream, and how the stage is shown.
import * as devices from './devices.js'
import { chooseDevices } from './device-dialog.js'
import { toastError } from './dialogs.js'
import { attribute, h, icon, iconButton, say } from './dom.js'
import { broadcastDialog, endLiveDialog, leave } from './go-live.js'
import { text } from './text.js'

export class Controls {
  showsStatistics = false
  #facing = 'user'

  // `call()` returns the call of the stage, `picture()` the video to show in a window of its own; `changed()` redraws the stage.
  /** @param {{ call: () => Call | null, picture: () => HTMLVideoElement | null, whole: () => HTMLElement, changed: () => void }} given */
  constructor({ call, picture, whole, changed }) {
    const { microphone, camera, shareScreen, statistics, chooseDevices: choose, flip, fullScreen, pip } = text.stage
    /** @param {() => unknown} action */
    const act = action => async (/** @type {MouseEvent} */ event) => {
      const currentTarget = /** @type {HTMLButtonElement} */ (event.currentTarget)
      currentTarget.disabled = true
      try { await action() } catch (error) { if (error.name !== 'NotAllowedError') toastError(error) }
      currentTarget.disabled = false
      changed()
    }
    /** @param {string} name @param {Icon} drawing @param {string} label @param {() => unknown} action */
    const button = (name, drawing, label, action) => {
      const node = iconButton(drawing, label, act(action), 'control')
      node.dataset.action = name
      return node
    }
    const own = () => call()?.devices
    this.microphone = button('microphone', 'microphone', microphone, () => own()?.setMicrophone(!own()?.isOn('microphone')))
    this.camera = button('camera', 'camera', camera, () => own()?.setCamera(!own()?.isOn('camera')))
    this.flip = button('flip', 'flip', flip, async () => {
      this.#facing = this.#facing === 'user' ? 'environment' : 'user'
      // A phone opens one camera at a time.
      call()?.localTracks.get('camera')?.track?.stop()
      await own()?.use('camera', await devices.camera(undefined, this.#facing))
    })
    this.screen = button('screen', 'screen', shareScreen, () => own()?.setScreen(!call()?.localTracks.has('screen')))
    this.devices = button('devices', 'settings', choose, () => { const now = call(); return now && chooseDevices(now) })
    this.measure = button('statistics', 'chart', statistics, async () => { this.showsStatistics = !this.showsStatistics })
    this.pip = button('pip', 'pip', pip, () => document.pictureInPictureElement ? document.exitPictureInPicture() : picture()?.requestPictureInPicture())
    this.full = button('full-screen', 'wide', fullScreen, () => document.fullscreenElement ? document.exitFullscreen() : whole().requestFullscreen())
    this.live = h('button', { type: 'button', class: 'button control live', data: { action: 'stage-live' }, on: { click: () => {
      const now = call()
      if (now) now.broadcast.job ? endLiveDialog(now) : broadcastDialog(now)
    } } }, icon('live', 'small'), this.liveText = h('span'))
    this.leave = h('button', { type: 'button', class: 'button control leave', data: { action: 'leave' }, on: { click: act(() => { const now = call(); return now && leave(now) }) }, 'aria-label': text.stage.leaveRoom }, icon('leave'), h('span', {}, text.stage.leave))
    this.node = h('div', { class: 'controls', role: 'toolbar', 'aria-label': text.stage.yourMedia },
      this.live, this.microphone, this.camera, this.flip, this.screen, this.devices, this.measure, this.pip, this.full, this.leave)
  }

  /** @param {JoinedCall} call */
  update(call) {
    const { stage } = text
    const publishes = call.mayPublish
    const { localTracks: local, broadcast } = call
    // A button that is on or off keeps its name; the title says what it does next.
    /** @param {IconButton} node @param {boolean} on @param {Icon} drawing @param {string} name @param {string} title */
    const show = (node, on, drawing, name, title) => {
      node.show(drawing, name, title)
      attribute(node, 'aria-pressed', String(on))
    }
    const [sound, picture] = [call.devices.isOn('microphone'), call.devices.isOn('camera')]
    this.microphone.hidden = this.camera.hidden = this.devices.hidden = !publishes
    this.microphone.classList.toggle('off', !sound)
    this.camera.classList.toggle('off', !picture)
    show(this.microphone, sound, sound ? 'microphone' : 'microphone-off', stage.microphone, sound ? stage.muteMicrophone : stage.unmuteMicrophone)
    show(this.camera, picture, picture ? 'camera' : 'camera-off', stage.camera, picture ? stage.cameraOff : stage.cameraOn)
    const track = local.get('camera')?.track
    this.flip.hidden = !publishes || !picture || Boolean(track?.testDevice) || !matchMedia('(pointer: coarse)').matches
    this.screen.hidden = !publishes || !devices.canShareScreen()
    for (const [node, active, drawing, name, title] of /** @type {Array<[IconButton, boolean, Icon, string, string]>} */ ([
      [this.screen, local.has('screen'), 'screen', stage.shareScreen, local.has('screen') ? stage.stopSharing : stage.shareScreen],
      [this.measure, this.showsStatistics, 'chart', stage.statistics, this.showsStatistics ? stage.hideStatistics : stage.showStatistics],
      [this.full, Boolean(document.fullscreenElement), 'wide', stage.fullScreen, document.fullscreenElement ? stage.endFullScreen : stage.fullScreen],
    ])) {
      node.classList.toggle('active', active)
      show(node, active, drawing, name, title)
    }
    this.full.hidden = !document.fullscreenEnabled
    this.pip.hidden = !document.pictureInPictureEnabled
    const isOut = broadcast.job !== null
    this.live.hidden = !call.me.grants.includes('relay') || !publishes || (isOut ? !broadcast.isOurs : !local.size)
    this.live.classList.toggle('ends', isOut)
    say(this.liveText, isOut ? stage.endLive : stage.goLive)
    attribute(this.live, 'title', isOut ? stage.endLive : stage.goLive)
  }
}
