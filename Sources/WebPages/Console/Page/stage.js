// The stage of a room: tiles of all participants, and over them the live stream's state, requests that wait for an answer, the
// score of a PK, and messages.
import { Acts } from './acts.js'
import { Barrage } from './barrage.js'
import { toastError, tried } from './dialogs.js'
import { attribute, h, icon, say } from './dom.js'
import { goLiveDialog } from './go-live.js'
import { joinDialog } from './join.js'
import { OnAir } from './on-air.js'
import { watchStream } from './player.js'
import { RecordingMark } from './recorder.js'
import { ScoreBar } from './score-bar.js'
import { StageChat } from './stage-chat.js'
import { Controls } from './stage-controls.js'
import { shownOf } from './pk-sides.js'
import { requestList } from './request-list.js'
import { requests } from './requests.js'
import { text, words } from './text.js'
import { Tiles, isMix } from './tiles.js'

/** @typedef {Pick<Source, 'trackId' | 'kind' | 'tag' | 'muted'>} Shown */

export class Stage {
  /** @param {SignedIn} app @param {string} room */
  constructor(app, room) {
    /** @type {HTMLElement} */
    this.node = h('section', { class: 'stage', 'aria-label': words.stage.stage })
    this.app = app
    this.room = room
    this.acts = new Acts(app, room)
    this.tiles = new Tiles({ changed: () => this.update(), receive: reception => this.call?.receive(reception).catch(toastError) })
    this.notice = h('div', { class: 'stage-notice', hidden: true, role: 'status' }, h('span', { class: 'dot warn' }), text.stage.reconnecting)
    this.outside = this.#outside()
    this.barrage = new Barrage()
    this.score = new ScoreBar(this.acts)
    this.onAir = new OnAir({ call: () => this.call, watch: path => watchStream(app.api, path) })
    this.recording = new RecordingMark()
    this.onAir.row.append(this.recording.node)
    this.waiting = requestList({ seconds: words.requests.seconds, tried })
    this.chat = new StageChat(this.acts)
    this.controls = new Controls({ call: () => this.call, picture: () => this.tiles.main, whole: () => this.node, changed: () => { this.update(); this.statistics() } })
    this.over = h('div', { class: 'stage-over' }, this.onAir.row, this.notice, this.onAir.reason, this.onAir.ended, this.waiting.node)
    this.picture = h('div', { class: 'stage-picture' }, this.tiles.node, this.barrage.node, this.over, this.chat.node)
    this.node.append(this.outside, this.score.node, this.picture, this.controls.node)
    this.node.addEventListener('fullscreenchange', () => this.update())
    // Requests have a banner while the stage is out of sight.
    this.sight = new IntersectionObserver(entries => {
      app.stageInSight = entries.some(entry => entry.intersectionRatio > 0.4) ? room : null
      app.shell?.update()
    }, { threshold: [0, 0.4, 1] })
    this.sight.observe(this.node)
  }

  stop() {
    this.sight.disconnect()
    if (this.app.stageInSight === this.room) this.app.stageInSight = null
  }

  get call() {
    const { call } = this.app
    return call?.room === this.room && call.state !== 'ended' ? call : null
  }

  update() {
    const { call } = this
    const on = call?.isOn ? /** @type {JoinedCall} */ (call) : null
    this.outside.hidden = on !== null
    this.picture.hidden = this.controls.node.hidden = !on
    this.notice.hidden = call?.state !== 'reconnecting'
    this.node.classList.toggle('on', on !== null)
    for (const button of this.outside.querySelectorAll('button')) button.disabled = call?.state === 'joining'
    this.#tellFarewell()
    this.score.update(on)
    this.onAir.update(on)
    this.#tellRecording()
    this.waiting.update(on?.scene.now ? requests(this.acts, on.scene.now, words.requests) : [])
    this.chat.update(on)
    const tiles = on ? this.#list(on) : []
    this.node.classList.toggle('voice', tiles.length > 0 && !tiles.some(tile => tile.isFilmed))
    this.tiles.update(tiles)
    if (!on) return
    this.tiles.sizes(on)
    this.controls.update(on)
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
        ...base, trackId, tag, key: `${userId} ${trackId ?? ''}`, isFilmed: Boolean(trackId) && !muted, stream: trackId && !muted ? streamOf(trackId) : null,
        paused: trackId && !isMe ? call.pauseReason(trackId) : null,
      }))
    }
    const pk = call.scene.now?.pk
    const sides = pk ? shownOf(pk, this.room) : []
    const anchors = sides.map(side => side.room === this.room ? side.userId : call.pk.anchorOf(side)?.userId)
    const mix = [...call.participants.values()].find(each => isMix(each.userId))
    const getsMix = mix?.tracks.some(track => track.kind === 'video' && call.remoteTracks.has(track.trackId)) ?? false
    // Participants who only listen have no tile: there may be hundreds.
    /** @param {Wire.Participant} given */
    const isOnStage = ({ userId, tracks, grants }) => tracks.length > 0 || grants.includes('publish') || Boolean(call.scene.seatOf(userId))
    const others = [...call.participants.values()].filter(isOnStage)
      // A participant who is visible in the received mix has no tile; a mix for others has none either.
      .filter(({ userId, tracks }) => isMix(userId) ? getsMix : !getsMix || tracks.some(track => track.kind === 'video' && call.remoteTracks.has(track.trackId)))
      .flatMap(({ userId, tracks }) => of(userId, false, tracks, id => call.remoteTracks.get(id)?.stream))
    this.tiles.node.classList.toggle('pk', Boolean(pk) && !getsMix)
    if (call.me.grants.includes('hidden')) return others
    if (!call.mayPublish && !call.localTracks.size && others.length) return others
    const own = [...call.localTracks.values()]
    const mine = of(call.me.userId, true, own, id => own.find(each => each.trackId === id)?.track)
    // In a PK the anchors come first, in the order in which viewers see them.
    if (pk) {
      /** @param {{ userId: string }} given */
      const place = ({ userId }) => (anchors.indexOf(userId) + 1) || Infinity
      const all = [...mine, ...others].sort((a, b) => place(a) - place(b) || 0)
      return pk.members ? all.map(tile => ({ ...tile, side: sides[anchors.indexOf(tile.userId)] })) : all
    }
    return [...others, ...mine]
  }

  /** @param {Call} call */
  levels(call) { this.tiles.speak(call.speakers) }

  statistics() {
    const { call } = this
    if (!call) return
    this.tiles.sizes(call)
    this.tiles.readings(call, this.controls.showsStatistics)
    this.onAir.update(call.isOn ? call : null)
    this.#tellRecording()
    this.score.tick()
  }

  #tellRecording() { this.recording.update(this.call?.jobs.all ?? []) }

  // Effects over the picture.
  /** @param {RoomEvent} given */
  happened({ event, data }) { if (event === 'message' && this.call?.isOn) this.barrage.show(data) }

  // MARK: Before the call

  #outside() {
    const { session } = this.app
    const { grants } = session
    const mayPublish = !grants || grants.includes('publish')
    // A host with a room token goes live in its room.
    const live = grants?.includes('relay') && grants.includes('publish') && h('button', { class: 'button primary', data: { action: 'room-live' }, on: { click: () => goLiveDialog(this.app) } }, icon('live', 'small'), text.stage.goLive)
    const join = h('button', { class: `button ${live ? '' : 'primary'}`, data: { action: 'join' }, on: { click: () => joinDialog(this.app, this.room) } }, icon('camera', 'small'), text.stage.join)
    const watch = h('button', { class: `button ${mayPublish ? '' : 'primary'}`, data: { action: 'watch' }, on: { click: () => this.#watch() } }, icon('eye', 'small'), text.stage.watch)
    this.farewell = h('p', { class: 'stage-farewell', hidden: true, role: 'status' })
    return h('div', { class: 'stage-outside' }, this.outsideTitle = h('h2', {}), this.farewell,
      h('p', {}, session.kind === 'api' ? text.stage.outsideOperator : mayPublish ? text.stage.outsideGuest : text.stage.outsideAudience),
      h('div', { class: 'buttons' }, live, mayPublish && join, watch))
  }

  // Why the last call in this room ended stays until the next one.
  #tellFarewell() {
    const { farewell } = this.app
    const mine = farewell?.room === this.room ? farewell : null
    if (!this.outsideTitle || !this.farewell) return
    say(this.outsideTitle, mine ? text.stage.noLongerHere : text.stage.notHere)
    attribute(this.farewell, 'hidden', !mine)
    say(this.farewell, mine?.reason)
  }

  async #watch() {
    try {
      await this.app.startCall({ room: this.room, user: `watcher-${Math.random().toString(36).slice(2, 7)}`, grants: ['subscribe', 'hidden'], media: [] })
    } catch (error) { toastError(error) }
  }
}
