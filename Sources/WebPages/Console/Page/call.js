// A session in a room: api/signalling.md from the join to the end, over as many sockets as necessary.
import { Broadcast } from './broadcast.js'
import { camera as openCamera, deviceOf, microphone as openMicrophone, screen as openScreen } from './devices.js'
import { toast } from './dialogs.js'
import { ConnectionLost } from './errors.js'
import { giftPoints } from './gifts.js'
import { Network } from './network.js'
import { Publisher } from './publisher.js'
import { RoomState } from './room-state.js'
import { followed } from './server.js'
import { Signalling } from './signalling.js'
import { Statistics } from './statistics.js'
import { Subscriber } from './subscriber.js'
import { text } from './text.js'

// How long a lost connection is retried.
const PATIENCE = 120_000

/** @type {Record<string, (by?: string) => string>} */
const ENDINGS = { kickedOut: text.stage.kickedOut, roomClosed: text.stage.roomClosed, duplicateLogin: text.stage.duplicateLogin, timedOut: text.stage.timedOut }

// Fires `change` when views must be redrawn, `levels` five times per second, `statistics` once per second, `note` with a
// message for the user, `refused` with the error of a rejected publish, `happened` with each change of the room's state,
// `seated` when we get a seat, and `ended` at the end.
export class Call extends EventTarget {
  state = 'joining' // 'joined', 'reconnecting', 'ended'
  /** @type {string | null} */
  reason = null // why it ended, unless the user left
  /** @type {Wire.Participant | null} */
  me = null
  /** @type {Map<string, Wire.Participant>} */
  participants = new Map() // the other participants, by user id
  /** @type {Map<string, number>} */
  levels = new Map() // dBov by track id
  /** @type {string[]} */
  speakers = []
  network = new Network() // what connections carry
  scene = new RoomState(giftPoints) // seats, requests, messages, attributes, PK
  /** @type {RTCIceServer[]} */
  iceServers = []
  /** @type {string | undefined} */
  #sessionId
  /** @type {Map<string, Reception>} */
  #receptions = new Map() // the chosen qualities by track id
  /** @type {Signalling | null} */
  signalling = null
  /** @type {string[]} */
  #alternatives = [] // the signalling URLs of servers at which the session can continue
  #isMoving = false
  #wasIn = false
  #leaving = false
  /** @type {number | undefined} */
  #clock

  // `server` is the room's server; it may change. `token(server)` returns a room token, a fresh one each time if possible.
  /** @param {{ room: string, server: Server, token: (server: Server) => Promise<string>, media: Captured[] }} given */
  constructor({ room, server, token, media }) {
    super()
    this.room = room
    this.server = server
    this.token = token
    this.media = media
    /** @type {Connection} */
    const parts = {
      request: (method, params) => this.#request(method, params),
      changed: () => this.#changed(),
      refused: error => this.dispatchEvent(new CustomEvent('refused', { detail: error })),
      configuration: () => this.iceServers.length ? { iceServers: this.iceServers } : {},
    }
    this.publisher = new Publisher(parts)
    this.subscriber = new Subscriber(parts)
    this.statistics = new Statistics(this)
    this.broadcast = new Broadcast(parts) // what leaves the room
  }

  get remote() { return this.subscriber.remote }
  get local() { return this.publisher.sources }
  get seat() { return this.scene.seatOf(this.me?.userId) }
  // A seated participant may publish, whatever the token grants.
  get mayPublish() {
    const { me } = this
    return me !== null && !me.grants.includes('hidden') && (me.grants.includes('publish') || Boolean(this.seat))
  }
  get isOn() { return this.state === 'joined' || this.state === 'reconnecting' }

  // Joins, then publishes `media`, a list of `{ tag, track }`. Throws if the server rejects the join.
  async join() {
    try {
      await this.#connect()
      if (this.media.length) await this.publisher.add(this.media)
    } catch (error) {
      this.#end(null)
      throw error
    }
    this.#clock = setInterval(() => this.statistics.measure().then(() => this.dispatchEvent(new Event('statistics'))), 1000)
  }

  async leave() {
    this.#leaving = true
    await this.signalling?.request('leave').catch(() => {}) // the server may close the socket first
    this.#end(null)
  }

  // Selects the quality of a received track, for this session and those after it.
  /** @param {Reception} reception */
  async receive(reception) {
    this.#receptions.set(reception.trackId, reception)
    this.#changed()
    await this.#request('setReception', { tracks: [reception] })
  }

  // Why a received track is not sent; null if it is.
  /** @param {string} trackId @returns {PauseReason | null} */
  pauseReason(trackId) {
    if (this.#receptions.get(trackId)?.paused) return 'choice'
    return this.network.stream(trackId)?.state === 'paused' ? 'bandwidth' : null
  }

  // MARK: Local media

  /** @param {boolean} on */
  async setMicrophone(on) {
    const source = this.local.get('microphone')
    if (!source) return on && this.publisher.add([{ tag: 'microphone', track: await openMicrophone() }])
    if (source.track) source.track.enabled = on
    await this.#setMuted(source, !on)
  }

  // A camera that is off is stopped: its light goes out.
  /** @param {boolean} on */
  async setCamera(on) {
    const source = this.local.get('camera')
    if (!source) return on && this.publisher.add([{ tag: 'camera', track: await openCamera() }])
    if (on) {
      await this.publisher.replace('camera', await openCamera(source.deviceId))
      await this.#setMuted(source, false)
    } else {
      await this.#setMuted(source, true)
      source.deviceId = deviceOf(source.track)
      source.track?.stop()
      await this.publisher.replace('camera', null)
    }
    this.#changed()
  }

  /** @param {boolean} on @returns {Promise<void>} */
  async setScreen(on) {
    if (!on) return this.publisher.remove('screen').then(() => this.#changed())
    const track = await openScreen()
    track.addEventListener('ended', () => this.setScreen(false).catch(() => {})) // the browser's own "Stop sharing"
    await this.publisher.add([{ tag: 'screen', track }])
  }

  // Changes to another camera or microphone; publishes it if none was published.
  /** @param {string} tag @param {MediaStreamTrack} track */
  async useDevice(tag, track) {
    const source = this.local.get(tag)
    if (!source) return this.publisher.add([{ tag, track }])
    const old = source.track
    track.enabled = tag === 'camera' || !source.muted
    await this.publisher.replace(tag, track)
    old?.stop()
    if (tag === 'camera' && source.muted) await this.#setMuted(source, false)
    this.#changed()
  }

  /** @param {string} method @param {Data} [params] @returns {Promise<Data>} */
  ask(method, params = {}) { return this.#request(method, params) }

  /** @param {string} trackId @param {boolean} muted */
  mute(trackId, muted) { return this.#request('mute', { trackId, muted }) }
  /** @param {string} userId */
  kick(userId) { return this.#request('kick', { userId }) }

  /** @param {string} method @param {object} [params] @returns {Promise<Data>} */
  #request(method, params) { return this.signalling ? this.signalling.request(method, params) : Promise.reject(new ConnectionLost()) }

  /** @param {Source} source @param {boolean} muted */
  async #setMuted(source, muted) {
    await this.#request('mute', { trackId: source.trackId, muted })
    source.muted = muted
    this.#changed()
  }

  // MARK: Connecting

  // Changes to the server that a drained server names.
  async #connect() { this.server = await followed(this.server, server => this.#joinAt(server)) }

  // Joins at a server. With `continues` the session continues there.
  /** @param {Server} server @param {boolean} [continues] */
  async #joinAt(server, continues = server === this.server) {
    const token = await this.token(server)
    if (this.#leaving) return
    /** @type {Signalling} */
    const signalling = new Signalling(server.signal, { heard: (event, data, seq) => signalling === this.signalling && this.#heard(event, data, seq), closed: () => this.#lost(signalling) })
    // While the session moves, the old server answers until the new one does.
    if (!this.#isMoving) this.signalling = signalling
    await signalling.opened
    this.signalling = signalling
    const resume = continues && this.#sessionId
    /** @type {Joined} */
    const joined = await signalling.request('join', { version: 1, token, audioLevels: true, moves: true, ...(resume && { resume, since: this.scene.now?.seq }) })
    signalling.ping(joined.pingInterval)
    this.server = server
    const isNew = !joined.resumed
    const again = this.#wasIn
    this.#wasIn = true
    this.#sessionId = joined.sessionId
    this.iceServers = joined.iceServers ?? []
    this.me = joined.me
    this.network.clear()
    this.participants = new Map(joined.participants.map(each => [each.userId, each]))
    const sat = this.seat
    this.scene.take(joined.room)
    this.broadcast.take(joined.room.jobs)
    this.state = 'joined'
    if (again && isNew) {
      const present = joined.participants.flatMap(({ tracks }) => tracks.map(({ trackId }) => trackId))
      for (const trackId of this.#receptions.keys()) if (!present.includes(trackId)) this.#receptions.delete(trackId)
      if (this.#receptions.size) this.#request('setReception', { tracks: [...this.#receptions.values()] }).catch(() => {})
      this.subscriber.close()
      this.publisher.restart({ anew: true }).then(() => this.broadcast.beginAgain())
    } else if (again) {
      this.#takeOverMutes()
      if (joined.moved) this.publisher.restart()
      else this.publisher.resumed()
    }
    if (again && sat && !this.seat) this.#unseated()
    this.#changed()
  }

  // Mutes by others while we were disconnected.
  #takeOverMutes() {
    for (const source of this.local.values()) {
      const told = this.me?.tracks.find(track => track.trackId === source.trackId)
      if (told) this.#mutedByOthers(source, told.muted)
    }
  }

  /** @param {Signalling} signalling */
  #lost(signalling) {
    if (signalling !== this.signalling) return
    this.signalling = null
    if (this.state !== 'joined' || this.#leaving) return
    this.state = 'reconnecting'
    this.#changed()
    this.#reconnect()
  }

  // Continues at another server, because this one ends; it serves until then.
  async #move() {
    if (this.#isMoving || this.state !== 'joined') return
    this.#isMoving = true
    const before = this.signalling
    for (const next of this.#others()) {
      try {
        await this.#joinAt(next, true)
        before?.close()
        break
      } catch {
        this.signalling = before
      }
    }
    this.#isMoving = false
    if (this.signalling?.isOver) this.#lost(this.signalling)
  }

  // The servers at which the session can continue.
  #others() {
    return this.#alternatives.flatMap(url => this.server.next(url) ?? []).filter(({ signal }) => signal !== this.server.signal)
  }

  async #reconnect() {
    const since = Date.now()
    const others = this.#others()
    for (let pause = 250; this.state === 'reconnecting'; pause = Math.min(pause * 2, 5000)) {
      await new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
        const timer = setTimeout(resolve, pause)
        addEventListener('online', () => { clearTimeout(timer); resolve() }, { once: true })
      })
      if (this.state !== 'reconnecting') return
      try {
        await this.#connect()
      } catch (error) {
        this.signalling = null
        const next = error.code ? undefined : others.shift()
        if (next && await this.#joinAt(next, true).then(() => true, () => false)) return
        this.signalling = null
        // Permanent: the token is invalid or the room is closed. Too many joins at once (80101) is retried.
        const final = error.code && ![0, 80101].includes(error.code)
        if (final || Date.now() - since > PATIENCE) return this.#end(final ? error.message : ENDINGS.timedOut(), error)
      }
    }
  }

  // MARK: Events

  /** @param {string} event @param {Data} data @param {number} [seq] @returns {unknown} */
  #heard(event, data, seq) {
    if (seq !== undefined) return this.#changedRoom(event, data, seq)
    const participant = this.participants.get(data.userId)
    switch (event) {
      case 'offer':
        if (data.restart) this.network.restarted()
        return this.subscriber.offered(data)
      case 'layers': return this.publisher.setLayers(data.layers)
      case 'audioLevels':
        for (const { trackId, level } of data.levels) this.levels.set(trackId, level)
        return this.dispatchEvent(new Event('levels'))
      case 'activeSpeakers':
        this.speakers = data.userIds
        return this.dispatchEvent(new Event('levels'))
      case 'joined': this.participants.set(data.userId, data); break
      case 'left': this.participants.delete(data.userId); this.network.left(data.userId); break
      case 'streams': this.network.takeStreams(data.streams); break
      case 'networkQuality': this.network.takeQualities(data.users); break
      case 'connectionChanged': if (participant) participant.connected = data.connected; break
      case 'permissionsChanged':
        if (participant) participant.grants = data.permissions.grants
        if (this.me && this.me.userId === data.userId) this.me.grants = data.permissions.grants
        break
      case 'published': participant?.tracks.push(...data.tracks); break
      case 'unpublished':
        if (participant) participant.tracks = participant.tracks.filter(track => !data.trackIds.includes(track.trackId))
        for (const trackId of data.trackIds) {
          this.remote.delete(trackId)
          this.#receptions.delete(trackId)
          this.network.ended(trackId)
          this.levels.delete(trackId)
        }
        break
      case 'muteChanged': this.#muteChanged(data); break
      case 'stageChanged': this.scene.stage = data; break
      case 'playerChanged': this.scene.keep(data); break
      case 'playerEnded':
        if (data.reason === 'failed') toast(text.films.failed(data.userId, data.message ?? ''))
        this.scene.forget(data.userId)
        break
      case 'jobChanged': this.broadcast.changed(data); break
      case 'jobEnded': this.broadcast.over(data); break
      case 'alternatives':
        this.#alternatives = data.urls
        return data.leave ? this.#move() : undefined
      case 'ended':
        if (data.reason === 'serverStopping') {
          this.#sessionId = undefined // the next server does not know the session
          this.server = this.server.next(data.redirect) ?? this.server
          return this.signalling?.close()
        }
        return this.#end(ENDINGS[data.reason]?.(data.by) ?? text.stage.sessionEnded(data.reason), data.error)
      default: return undefined
    }
    return this.#changed()
  }

  // A change that the join's answer already contained is only reported, as after a resume.
  /** @param {string} event @param {Data} data @param {number} seq */
  #changedRoom(event, data, seq) {
    const isNew = this.scene.apply(event, data, seq)
    this.dispatchEvent(new CustomEvent('happened', { detail: { event, data, isNew } }))
    if (isNew) this.#mind(event, data)
    this.#changed()
  }

  // What a change means for our own participant.
  /** @param {string} event @param {Data} data */
  #mind(event, data) {
    const userId = this.me?.userId
    const by = data.by && data.by !== userId ? data.by : ''
    if (event === 'seatChanged' && data.userId === userId) {
      if (data.seat.userId === userId) this.dispatchEvent(new Event('seated'))
      else this.#unseated(data.cause === 'kicked' ? text.seats.kickedOff(by) : null)
    } else if (event === 'layoutChanged' && data.off.includes(userId)) {
      this.#unseated(text.seats.layoutOff)
    } else if (event === 'seatRequestEnded' && data.userId === userId) {
      this.#note(data.outcome === 'rejected' ? text.seats.requestRejected(by) : data.outcome === 'timedOut' ? text.seats.requestExpired : null)
    } else if (event === 'seatInvitationEnded' && data.userId !== userId && this.me?.grants.includes('admin')) {
      this.#note(data.outcome === 'rejected' ? text.seats.invitationRejected(data.userId) : data.outcome === 'timedOut' ? text.seats.invitationExpired(data.userId) : null)
    }
  }

  /** @param {string | null} [detail] */
  #note(detail) { if (detail) this.dispatchEvent(new CustomEvent('note', { detail })) }

  // The server has unpublished our tracks: the devices are stopped, and the m-lines are reused.
  /** @param {string | null} [note] */
  #unseated(note) {
    for (const tag of [...this.local.keys()]) this.publisher.remove(tag).catch(() => {}).then(() => this.#changed())
    this.#note(note)
  }

  /** @param {{ userId: string, trackId: string, muted: boolean, by: string }} given */
  #muteChanged({ userId, trackId, muted, by }) {
    if (userId === this.me?.userId) {
      const source = [...this.local.values()].find(each => each.trackId === trackId)
      if (!source) return
      this.#mutedByOthers(source, muted)
      this.#note(text.stage.mutedBy(source.tag, muted, by))
    } else {
      const track = this.participants.get(userId)?.tracks.find(each => each.trackId === trackId)
      if (track) track.muted = muted
    }
  }

  /** @param {Source} source @param {boolean} muted */
  #mutedByOthers(source, muted) {
    source.muted = muted
    if (source.tag === 'microphone' && source.track) source.track.enabled = !muted
    // Only the user turns a camera on.
    if (source.tag === 'camera' && !muted && !source.track) this.#setMuted(source, true).catch(() => {})
  }

  /** @param {string | null} reason @param {Failure} [error] */
  #end(reason, error) {
    if (this.state === 'ended') return
    this.state = 'ended'
    this.reason = reason
    this.error = error
    clearInterval(this.#clock)
    this.publisher.close()
    this.subscriber.close()
    for (const { track } of this.media) track.stop()
    const signalling = this.signalling
    this.signalling = null
    signalling?.close()
    this.#changed()
    this.dispatchEvent(new Event('ended'))
  }

  #changed() { this.dispatchEvent(new Event('change')) }
}
