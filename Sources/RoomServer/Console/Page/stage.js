// The stage of a room: tiles of all participants, fitted to the available space, and the buttons for the user's own media.
import { canShareScreen } from './devices.js'
import { toastError } from './dialogs.js'
import { attribute, avatar, h, icon, iconButton, keyed, say } from './dom.js'
import { joined, milliseconds, percent, rate } from './format.js'
import { Barrage } from './barrage.js'
import { chooseDevices, joinDialog } from './join.js'
import { pauseNote, qualityBars } from './network.js'
import { ScoreBar } from './pk.js'
import { watchStream } from './player.js'
import { qualityChoice } from './quality.js'

/** @typedef {Pick<Source, 'trackId' | 'kind' | 'tag' | 'muted'>} Shown */
/** @typedef {Part<Tile> & { node: HTMLElement, reading: HTMLElement, size: HTMLElement, isMe: boolean, userId: string, trackId?: string }} TileParts */

// The participant that is the room's own mix.
const MIX = '@mix'

export class Stage {
  /** @type {Map<string, TileParts>} */
  #tiles = new Map() // by key: the parts of a tile that update often
  /** @type {string | null} */
  #pinned = null
  /** @type {string[]} */
  #screens = [] // tiles with the screens of other participants
  #showsStatistics = false
  /** @type {IconButton} */
  microphone
  /** @type {IconButton} */
  camera
  /** @type {IconButton} */
  screen
  /** @type {IconButton} */
  measure
  /** @type {IconButton} */
  devices

  /** @param {SignedIn} app @param {string} room */
  constructor(app, room) {
    this.app = app
    this.room = room
    this.grid = h('div', { class: 'tiles' })
    this.notice = h('div', { class: 'stage-notice', hidden: true }, h('span', { class: 'dot warn' }), 'Connection lost. Reconnecting…')
    this.outside = this.#outside()
    this.barrage = new Barrage()
    this.score = new ScoreBar()
    /** @type {HTMLButtonElement} */
    this.onAir = h('button', { type: 'button', class: 'on-air', hidden: true, data: { action: 'on-air' }, on: { click: () => watchStream(app.api, this.onAir.dataset.path ?? '') } }, h('span', { class: 'dot' }), h('span'))
    this.bar = this.#controls()
    this.node = h('section', { class: 'stage', 'aria-label': 'Stage' }, this.outside, this.notice, this.score.node, this.grid, this.onAir, this.barrage.node, this.bar)
    new ResizeObserver(() => this.#fit()).observe(this.grid)
  }

  get call() {
    const { call } = this.app
    return call?.room === this.room && call.state !== 'ended' ? call : null
  }

  update() {
    const { call } = this
    const on = call?.isOn ? /** @type {JoinedCall} */ (call) : null
    const isOn = on !== null
    this.outside.hidden = isOn
    this.grid.hidden = this.bar.hidden = !isOn
    this.notice.hidden = call?.state !== 'reconnecting'
    this.node.classList.toggle('on', isOn)
    for (const button of this.outside.querySelectorAll('button')) button.disabled = call?.state === 'joining'
    this.score.update(on?.scene.now?.pk)
    this.#tellOnAir(on)
    const tiles = on ? this.#list(on) : []
    if (!on) return keyed(this.grid, tiles, tile => tile.key, tile => this.#tile(tile))
    // A newly shared screen is enlarged automatically, once.
    const screens = tiles.filter(tile => tile.tag === 'screen' && !tile.isMe).map(tile => tile.key)
    const fresh = screens.find(key => !this.#screens.includes(key))
    this.#screens = screens
    if (fresh) this.#pinned = fresh
    else if (!tiles.some(tile => tile.key === this.#pinned)) this.#pinned = null
    keyed(this.grid, tiles, tile => tile.key, tile => this.#tile(tile))
    this.#fit()
    this.#tellSizes(on)
    this.#updateControls(on)
  }

  // One tile for each picture, and one for each participant without a picture. Our own comes last.
  /** @param {JoinedCall} call @returns {Tile[]} */
  #list(call) {
    /** @param {string} userId @param {boolean} isMe @param {Shown[]} tracks @param {(trackId: string) => Tile['stream']} streamOf @returns {Tile[]} */
    const of = (userId, isMe, tracks, streamOf) => {
      const microphone = tracks.find(track => track.kind === 'audio')
      const base = { userId, isMe, isSilent: !microphone || microphone.muted, quality: call.network.quality(userId) }
      const pictures = tracks.filter(track => track.kind === 'video')
      /** @type {Array<Partial<Shown> & { tag: string }>} */
      const all = pictures.length ? pictures : [{ tag: '' }]
      return all.map(({ trackId, tag, muted }) => ({
        ...base, trackId, tag, key: `${userId} ${trackId ?? ''}`, stream: trackId && !muted ? streamOf(trackId) : null,
        paused: trackId && !isMe ? call.pauseReason(trackId) : null,
      }))
    }
    const pk = call.scene.now?.pk
    const guest = pk && `${pk.userId}@${pk.room}`
    const mix = call.participants.get(MIX)
    const getsMix = mix?.tracks.some(track => track.kind === 'video' && call.remote.has(track.trackId)) ?? false
    // Participants who only listen have no tile: there may be hundreds.
    /** @param {Wire.Participant} given */
    const isOnStage = ({ userId, tracks, grants }) => tracks.length > 0 || grants.includes('publish') || Boolean(call.scene.seatOf(userId))
    const others = [...call.participants.values()].filter(isOnStage)
      // A participant who is visible in the received mix has no tile; a mix for others has none either.
      .filter(({ userId, tracks }) => userId === MIX ? getsMix : !getsMix || tracks.some(track => track.kind === 'video' && call.remote.has(track.trackId)))
      .flatMap(({ userId, tracks }) => of(userId, false, tracks, id => call.remote.get(id)?.stream))
    this.grid.classList.toggle('pk', Boolean(pk) && !getsMix)
    if (call.me.grants.includes('hidden')) return others
    if (!call.mayPublish && !call.local.size && others.length) return others
    const own = [...call.local.values()]
    const mine = of(call.me.userId, true, own, id => own.find(each => each.trackId === id)?.track)
    // In a PK our own anchor is on the left and the other one on the right, as viewers see them.
    if (pk) {
      /** @param {{ userId: string }} given */
      const side = ({ userId }) => userId === pk.host ? 0 : userId === guest ? 1 : 2
      return [...mine, ...others].sort((a, b) => side(a) - side(b))
    }
    return [...others, ...mine]
  }

  /** @param {Tile} given */
  #tile({ key, userId, isMe, tag }) {
    const video = h('video', { set: { muted: true, autoplay: true, playsInline: true } })
    if (isMe && tag !== 'screen') video.classList.add('mirrored')
    const face = h('div', { class: 'tile-face' }, avatar(userId))
    const silent = icon('microphone-off', 'small')
    const reading = h('div', { class: 'tile-reading number' })
    const pin = () => {
      this.#pinned = this.#pinned === key ? null : key
      this.update()
    }
    const enlarge = iconButton('wide', `Enlarge ${userId}`, event => { event.stopPropagation(); pin() }, 'tile-button small')
    const quality = isMe ? null : qualityChoice(userId, reception => {
      if (tile.trackId) this.call?.receive({ trackId: tile.trackId, ...reception }).catch(toastError)
    })
    const note = pauseNote()
    const connection = userId === MIX ? null : qualityBars(isMe ? 'Your' : `${userId}’s`)
    const size = h('small', { class: 'tile-size number', title: 'The size that is received', hidden: true })
    const node = h('figure', { class: 'tile', data: { user: userId }, on: { click: pin } }, face, video, note.node, reading, enlarge, quality,
      h('figcaption', {}, silent, h('span', {}, `${userId === MIX ? 'All seats in one picture' : userId}${isMe ? ' (you)' : ''}${tag === 'screen' ? ' · screen' : ''}`),
        size, connection?.node))
    /** @type {Tile['stream']} */
    let shown = null
    /** @type {TileParts} */
    const tile = {
      node, reading, size, isMe, userId,
      update: now => {
        // Our own track is wrapped here, so that a changed camera is a changed stream.
        const source = now.stream ?? null
        if (source !== shown) {
          shown = source
          video.srcObject = source instanceof MediaStreamTrack ? new MediaStream([source]) : source
          if (source) video.play().catch(() => {})
        }
        tile.trackId = now.trackId
        node.classList.toggle('without', !source)
        if (quality) quality.hidden = !source
        const paused = source ? now.paused : null
        note.update(paused)
        node.classList.toggle('paused', Boolean(paused))
        // The last picture stays; without one there is the avatar.
        node.classList.toggle('blank', Boolean(paused) && !video.videoWidth)
        connection?.update(now.quality)
        node.classList.toggle('screen', tag === 'screen' || userId === MIX)
        attribute(silent, 'hidden', !now.isSilent)
        node.classList.toggle('pinned', this.#pinned === key)
        enlarge.show('wide', this.#pinned === key ? 'Back to the grid' : `Enlarge ${userId}`)
      },
      remove: () => {
        video.srcObject = null
        this.#tiles.delete(key)
      },
    }
    this.#tiles.set(key, tile)
    return tile
  }

  /** @param {Call} call */
  levels(call) {
    for (const { node, userId } of this.#tiles.values()) node.classList.toggle('speaking', call.speakers.includes(userId))
  }

  statistics() {
    const { call } = this
    if (!call) return
    this.#tellSizes(call)
    for (const { reading, trackId } of this.#tiles.values()) {
      const measured = this.#showsStatistics && trackId && call.statistics.get(trackId)
      reading.hidden = !measured
      if (!measured) continue
      const { width, height, fps, kbps, loss, jitter, rtt, codec } = measured
      say(reading, [
        [codec, width && `${width}×${height}`, `${Math.round(fps)} fps`].filter(Boolean).join('  '),
        [joined(rate(kbps)), `${percent(loss)} lost`].join('  '),
        [`jitter ${milliseconds(jitter)}`, rtt !== undefined && `rtt ${milliseconds(rtt)}`].filter(Boolean).join('  '),
      ].join('\n'))
    }
  }

  // The size of each received picture: the server says it before the first picture of that size arrives.
  /** @param {Call} call */
  #tellSizes(call) {
    for (const { size, isMe, trackId, node } of this.#tiles.values()) {
      const isShown = trackId && !isMe && !node.classList.contains('without') && !node.classList.contains('paused')
      const stream = isShown ? call.network.stream(trackId) : undefined
      const { width, height } = (stream?.width ? stream : isShown && call.statistics.get(trackId)) || {}
      size.hidden = !width
      say(size, width ? `${width}×${height}` : '')
    }
  }

  // The state of our live stream: its target, and a player as viewers have it.
  /** @param {Call | null} call */
  #tellOnAir(call) {
    const job = [...call?.jobs.values() ?? []].find(each => each.target && each.onAir && !each.jobId.startsWith('@'))
    this.onAir.hidden = !job
    if (!job) return
    const path = job.stream
    this.onAir.disabled = !path
    this.onAir.dataset.path = path ?? ''
    say(/** @type {Node} */ (this.onAir.lastChild), 'Live')
    this.onAir.title = path ? 'Watch as a viewer' : job.target ?? ''
    attribute(this.onAir, 'aria-label', path ? 'Live: see it as viewers do' : `Live at ${job.target}`)
  }

  // Effects over the picture.
  /** @param {Change} given */
  happened({ event, data }) { if (event === 'message' && this.call?.isOn) this.barrage.show(data) }

  // Finds the number of columns that makes the tiles largest; a pinned tile gets the space, with the others in a row below it.
  #fit() {
    const total = this.grid.children.length
    const isSplit = this.grid.classList.contains('pk') && total === 2
    const { clientWidth: width, clientHeight: height } = this.grid
    this.grid.classList.toggle('has-pinned', this.#pinned !== null && total > 1)
    if (!total || !width) return
    const [gap, narrow] = [isSplit ? 2 : 8, width < 560]
    const [least, most] = isSplit ? [0.56, 1.78] : narrow ? [0.75, 1.78] : [1.25, 1.78]
    let best = { area: 0, columns: 1, width: 0, height: 0 }
    for (let columns = isSplit ? 2 : 1; columns <= total; columns++) {
      const rows = Math.ceil(total / columns)
      const cell = { width: (width - gap * (columns - 1)) / columns, height: (height - gap * (rows - 1)) / rows }
      const shape = Math.min(most, Math.max(least, cell.width / cell.height))
      const tileWidth = Math.min(cell.width, cell.height * shape)
      const area = tileWidth * tileWidth / shape
      if (area > best.area + 1) best = { area, columns, width: tileWidth, height: tileWidth / shape }
    }
    this.grid.style.setProperty('--tile-width', `${Math.floor(best.width)}px`)
    this.grid.style.setProperty('--tile-height', `${Math.floor(best.height)}px`)
    this.grid.style.setProperty('--columns', String(best.columns))
  }

  // MARK: Before the call

  #outside() {
    const { session } = this.app
    const mayPublish = session.kind === 'api' || session.grants.includes('publish')
    const join = h('button', { class: 'button primary', data: { action: 'join' }, on: { click: () => joinDialog(this.app, this.room) } }, icon('camera', 'small'), 'Join')
    const watch = h('button', { class: 'button', data: { action: 'watch' }, on: { click: () => this.#watch() } }, icon('eye', 'small'), 'Watch')
    return h('div', { class: 'stage-outside' }, h('h2', {}, 'You are not in this room'),
      h('p', {}, session.kind === 'api' ? 'Join with camera and microphone, or watch without being seen by the others.' : 'Join to see and hear the others.'),
      h('div', { class: 'buttons' }, mayPublish && join, watch))
  }

  async #watch() {
    try {
      await this.app.startCall({ room: this.room, user: `watcher-${Math.random().toString(36).slice(2, 7)}`, grants: ['subscribe', 'hidden'], media: [] })
    } catch (error) { toastError(error) }
  }

  // MARK: In the call

  #controls() {
    /** @param {() => unknown} action */
    const act = action => async (/** @type {MouseEvent} */ event) => {
      const currentTarget = /** @type {HTMLButtonElement} */ (event.currentTarget)
      currentTarget.disabled = true
      try { await action() } catch (error) { if (error.name !== 'NotAllowedError') toastError(error) }
      currentTarget.disabled = false
      this.update()
    }
    /** @param {string} name @param {Icon} drawing @param {string} label @param {() => unknown} action @param {string} [style] */
    const button = (name, drawing, label, action, style = '') => {
      const node = iconButton(drawing, label, act(action), `control ${style}`)
      node.dataset.action = name
      return node
    }
    /** @param {string} tag */
    const isOn = tag => { const source = this.call?.local.get(tag); return source && !source.muted }
    this.microphone = button('microphone', 'microphone', 'Mute microphone', () => this.call?.setMicrophone(!isOn('microphone')))
    this.camera = button('camera', 'camera', 'Turn camera off', () => this.call?.setCamera(!isOn('camera')))
    this.screen = button('screen', 'screen', 'Share your screen', () => this.call?.setScreen(!this.call.local.has('screen')))
    this.measure = button('statistics', 'chart', 'Show statistics', async () => { this.#showsStatistics = !this.#showsStatistics; this.statistics() })
    this.devices = button('devices', 'settings', 'Choose devices', () => this.call && chooseDevices(this.call))
    this.leave = h('button', { type: 'button', class: 'button control leave', data: { action: 'leave' }, on: { click: act(() => this.call?.leave()) } }, 'Leave')
    return h('div', { class: 'controls', role: 'toolbar', 'aria-label': 'Your media' }, this.microphone, this.camera, this.screen, this.devices, this.measure, this.leave)
  }

  /** @param {Call} call */
  #updateControls(call) {
    /** @param {IconButton} node @param {boolean} on @param {Icon[]} drawings @param {string[]} labels */
    const show = (node, on, drawings, labels) => {
      node.classList.toggle('off', !on)
      node.show(drawings[on ? 0 : 1], labels[on ? 0 : 1])
      attribute(node, 'aria-pressed', String(on))
    }
    const publishes = call.mayPublish
    const { local } = call
    const isSending = (/** @type {string} */ tag) => local.has(tag) && !local.get(tag)?.muted
    this.microphone.hidden = this.camera.hidden = !publishes
    this.devices.hidden = !publishes
    this.screen.hidden = !publishes || !canShareScreen()
    show(this.microphone, isSending('microphone'), ['microphone', 'microphone-off'], ['Mute microphone', 'Unmute microphone'])
    show(this.camera, isSending('camera'), ['camera', 'camera-off'], ['Turn camera off', 'Turn camera on'])
    const shares = call.local.has('screen')
    this.screen.show('screen', shares ? 'Stop sharing' : 'Share your screen')
    for (const [node, active] of /** @type {Array<[IconButton, boolean]>} */ ([[this.screen, shares], [this.measure, this.#showsStatistics]])) {
      node.classList.toggle('active', active)
      attribute(node, 'aria-pressed', String(active))
    }
    this.measure.show('chart', this.#showsStatistics ? 'Hide statistics' : 'Show statistics')
  }
}
