// A room that we are in: api/signalling.md from the join to the end. The words are those of RoomClient for Swift.
import { Choices } from './choices.js'
import { EventStream } from './event-stream.js'
import { Link } from './link.js'
import { Network } from './network.js'
import { OwnDevices } from './own-devices.js'
import { Publisher } from './publisher.js'
import { RoomAttributes, RoomMessages, RoomPK, RoomPlayers, RoomSeats, RoomStage } from './room-calls.js'
import { RoomData } from './room-data.js'
import { RoomJobs } from './room-jobs.js'
import { RoomState } from './room-state.js'
import { Server } from './server.js'
import { Statistics } from './statistics.js'
import { Subscriber } from './subscriber.js'
import { TrackElements } from './track-elements.js'

const BACKLOG = 1000 // events that wait for a slow reader

/** Fires the events of the server by their names, with their data as `detail`, and its own:
 * - `change`: something changed, and views must be redrawn;
 * - `stateChanged`: the new state; `ended`: { reason, by?, error? };
 * - `trackSubscribed`, `trackUnsubscribed`: a track that arrives, and one that no longer does;
 * - `seated`: we got a seat; `unseated`: { cause, by }, our tracks are unpublished;
 * - `mutedBy`: { track, muted, by }, somebody else muted our track; `statistics`: once per second;
 * - `data`: a message over a data channel; `audioBlocked`: the browser plays no sound before `startAudio()`; `error`: what failed without a request.
 * `event` fires for each of them but `change`, as `events()` has them: { event, data, seq?, isNew }. */
export class Room extends /** @type {typeof RoomEventTarget} */ (EventTarget) {
  /** We ourselves, as others saw us at the join; null before. What we publish is in `localTracks`.
   * @type {Wire.Participant | null} */
  me = null
  /** The other participants, by user id.
   * @type {Map<string, Wire.Participant>} */
  participants = new Map()
  /** Sound levels in dBov, by track id.
   * @type {Map<string, number>} */
  levels = new Map()
  /** The user ids of those who speak, the loudest first.
   * @type {string[]} */
  speakers = []
  /** What connections carry. */
  network = new Network()
  /** Why the room ended; null until then.
   * @type {Ending | null} */
  ending = null
  /** Our camera, microphone and screen. */
  devices = new OwnDevices(this)
  /** The seats, requests and invitations. */
  seats = new RoomSeats(this)
  /** The PK with another room. */
  pk = new RoomPK(this)
  /** The chat, gifts and messages of the app. */
  messages = new RoomMessages(this)
  /** The named texts that all participants share. */
  attributes = new RoomAttributes(this)
  /** The films and streams that the room plays. */
  players = new RoomPlayers(this)
  /** The style of the composed picture. */
  stage = new RoomStage(this)
  /** @type {RTCIceServer[]} */
  #iceServers = []
  #choices = new Choices()
  /** @type {Map<string, Remote>} */
  #arrived = new Map() // the tracks that were reported, by track id
  /** @type {number | undefined} */
  #clock

  /** Joins the room that the token names. `address` is the server's: `https://live.example.org`. A token that is a function is
   * asked for a fresh one at each join. Throws a RoomError if the server refuses, and ConnectionLost if it is not reached.
   * @param {string} address @param {Token} token @param {RoomOptions} [options] */
  static async connect(address, token, options) {
    const room = new Room(Server.at(address), token, options)
    await room.join()
    return room
  }

  /** @param {Server} server @param {Token} token @param {RoomOptions} options */
  constructor(server, token, { points, playsAudio = true, audioLevels = true, autoSubscribe, preferSmall, data } = {}) {
    super()
    /** @internal */
    this.scene = new RoomState(points)
    /** @internal */
    this.link = new Link({
      server,
      params: async at => ({ token: typeof token === 'string' ? token : await token(at), since: this.scene.now?.seq, audioLevels, autoSubscribe, preferSmall, data }),
      joined: (joined, again) => this.#joined(joined, again),
      received: (event, data, seq) => this.#received(event, data, seq),
      lost: () => this.#stateChanged(),
      failed: (reason, error) => this.end({ reason, error }),
      broken: error => this.#report('error', error),
    })
    /** Messages over data channels. */
    this.data = new RoomData({
      isOn: data === true, received: message => this.#report('data', message), broken: error => this.#report('error', error),
    })
    /** @type {Connection} */
    const parts = {
      request: (method, params) => this.request(method, params),
      changed: () => this.changed(),
      refused: error => this.#report('error', error),
      configuration: () => this.#iceServers.length ? { iceServers: this.#iceServers } : {},
      channel: channel => this.data.take(channel),
    }
    /** @internal */
    this.publisher = new Publisher(parts)
    /** @internal */
    this.subscriber = new Subscriber(parts)
    /** The jobs that send the room elsewhere, or mix it. */
    this.jobs = new RoomJobs(parts)
    /** What this browser measures of its media, once per second. */
    this.statistics = new Statistics(this)
    /** @internal */
    this.elements = new TrackElements({
      track: id => this.remoteTracks.get(id), height: id => this.#heightOf(id), receive: reception => this.#setReception([reception]),
      isChosen: id => this.#choices.receptions.has(id), blocked: () => this.#report('audioBlocked', null), playsAudio,
    })
  }

  /** Whether the room is being joined, is joined, reconnects, or has ended. */
  get state() { return this.link.state }
  /** The server that has the session. */
  get server() { return this.link.server }
  /** The room's name. */
  get name() { return this.scene.now?.name ?? '' }
  /** What we publish, by tag. */
  get localTracks() { return this.publisher.sources }
  /** What we receive, by track id. */
  get remoteTracks() { return this.subscriber.remote }
  /** Whether the room was joined and has not ended. */
  get isOn() { return this.state === 'joined' || this.state === 'reconnecting' }
  /** A seated participant may publish, whatever the token grants. */
  get mayPublish() {
    const { me } = this
    return me !== null && !me.grants.includes('hidden') && (me.grants.includes('publish') || this.seats.mine !== null)
  }

  /** @internal */
  async join() {
    try { await this.link.connect() } catch (error) {
      this.end({ reason: 'refused', error })
      throw error
    }
    this.#clock = setInterval(() => this.statistics.measure().then(() => this.#report('statistics', this.statistics.tracks)), 1000)
  }

  /** Leaves the room. */
  async leave() {
    await this.link.leave()
    this.end({ reason: 'left' })
  }

  /** Calls a method of the protocol.
   * @param {string} method @param {object} [params] @returns {Promise<Data>} */
  request(method, params = {}) { return this.link.request(method, params) }

  /** The events from now on, as an async iterator that ends with the room. */
  events({ backlog = BACKLOG } = {}) { return new EventStream(this, backlog) }

  // MARK: Media

  /** Publishes one or several tracks with one offer. Tags are unique; of a `camera` several sizes are sent.
   * @param {Captured | Captured[]} tracks */
  publish(tracks) { return this.publisher.add([tracks].flat()) }

  /** Ends a track of ours and stops its source.
   * @param {string} tag */
  async unpublish(tag) {
    await this.publisher.remove(tag)
    this.changed()
  }

  /** Sends another track instead, or nothing. The one before is not stopped.
   * @param {string} tag @param {MediaStreamTrack | null} track */
  async replace(tag, track) {
    await this.publisher.replace(tag, track)
    this.changed()
  }

  /** Mutes a track of ours, by its tag, or unmutes it. Its device stays on: `devices` turns it off.
   * @param {string} tag @param {boolean} [muted] */
  async mute(tag, muted = true) {
    const source = this.localTracks.get(tag)
    if (!source) return
    if (source.track) source.track.enabled = !muted
    await this.request('mute', { trackId: source.trackId, muted })
    source.muted = muted
    this.changed()
  }

  /** Mutes the track of another participant; needs the grant `admin`.
   * @param {string} trackId @param {boolean} muted */
  muteTrack(trackId, muted) { return this.request('mute', { trackId, muted }) }
  /** Removes a participant, whose token is no longer valid; needs the grant `admin`.
   * @param {string} userId */
  kick(userId) { return this.request('kick', { userId }) }

  /** Receives tracks by their ids, and all tracks of users, also later ones. A choice for a track overrides that for its user, and
   * both override `autoSubscribe`. They count for this session and those after it.
   * @param {import('./choices.js').Selection} selection */
  async subscribe(selection) {
    await this.request('subscribe', selection)
    this.#choices.select(selection, true)
  }

  /** Stops receiving tracks, and all tracks of users.
   * @param {import('./choices.js').Selection} selection */
  async unsubscribe(selection) {
    await this.request('unsubscribe', selection)
    this.#choices.select(selection, false)
  }

  /** Selects the quality of a received track, for this session and those after it. Elements no longer do.
   * @param {Reception} reception */
  async receive(reception) {
    this.#choices.receptions.set(reception.trackId, reception)
    this.changed()
    await this.#setReception([reception])
  }

  /** @param {string} trackId */
  #heightOf(trackId) {
    const { userId = '' } = this.remoteTracks.get(trackId) ?? {}
    return this.participants.get(userId)?.tracks.find(track => track.trackId === trackId)?.height
  }

  /** @param {Reception[]} tracks */
  #setReception(tracks) { return this.request('setReception', { tracks }) }

  /** Why a received track is not sent; null if it is.
   * @param {string} trackId @returns {PauseReason | null} */
  pauseReason(trackId) {
    if (this.#choices.receptions.get(trackId)?.paused) return 'choice'
    return this.network.stream(trackId)?.state === 'paused' ? 'bandwidth' : null
  }

  /** Shows a track in an element, now or once it arrives. What is received follows the element's size and visibility.
   * @param {string} trackId @param {HTMLMediaElement} element */
  attach(trackId, element) { this.elements.attach(trackId, element) }
  /** Stops showing a track in an element.
   * @param {HTMLMediaElement} element */
  detach(element) { this.elements.detach(element) }
  /** Plays sound that the browser has blocked; call it in a click. */
  startAudio() { return this.elements.startAudio() }
  /** Plays what is received through a speaker of `listSpeakers`; an empty id is the default one.
   * @param {string} deviceId */
  setSpeaker(deviceId) { this.elements.setSpeaker(deviceId) }

  // MARK: Joins

  /** @param {Joined} joined @param {boolean} again */
  #joined(joined, again) {
    const isNew = !joined.resumed
    const sat = this.seats.mine
    this.#iceServers = joined.iceServers ?? []
    this.me = joined.me
    this.network.clear()
    this.participants = new Map(joined.participants.map(each => [each.userId, each]))
    this.scene.take(joined.room)
    this.jobs.take(joined.room.jobs)
    if (again && isNew) {
      for (const { method, params } of this.#choices.repeated(joined.participants)) this.request(method, params).catch(() => {})
      this.subscriber.close()
      this.publisher.restart({ anew: true }).then(() => this.jobs.beginAgain())
    } else if (again) {
      this.#takeOverMutes()
      if (joined.moved) this.publisher.restart()
      else this.publisher.resumed()
      this.subscriber.resumed()
    }
    if (again && sat && !this.seats.mine) this.#unseated('lost', '')
    this.#stateChanged()
  }

  // Mutes by others while we were disconnected.
  #takeOverMutes() {
    for (const source of this.localTracks.values()) {
      const known = this.me?.tracks.find(track => track.trackId === source.trackId)
      if (known) this.#mutedByOthers(source, known.muted)
    }
  }

  // MARK: Events

  /** @param {string} event @param {Data} data @param {number} [seq] @returns {unknown} */
  #received(event, data, seq) {
    if (seq !== undefined) return this.#changedRoom(event, data, seq)
    const participant = this.participants.get(data?.userId)
    switch (event) {
      case 'offer':
        if (data.restart) this.network.restarted()
        return this.subscriber.offered(data)
      case 'layers': return this.publisher.setLayers(data.layers)
      case 'audioLevels':
        for (const { trackId, level } of data.levels) this.levels.set(trackId, level)
        return this.#report(event, data)
      case 'activeSpeakers':
        this.speakers = data.userIds
        return this.#report(event, data)
      case 'joined': this.participants.set(data.userId, data); break
      case 'left': this.#left(data.userId); break
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
        for (const trackId of data.trackIds) this.#gone(trackId)
        break
      case 'muteChanged': this.#muteChanged(data); break
      case 'stageChanged': this.scene.stage = data; break
      case 'playerChanged': this.scene.keep(data); break
      case 'playerEnded': this.scene.forget(data.userId); break
      case 'jobChanged': this.jobs.changed(data); break
      case 'jobEnded': this.jobs.over(data); break
      case 'ended': return this.end(data)
    }
    this.#report(event, data)
    return this.changed()
  }

  /** @param {string} userId */
  #left(userId) {
    this.participants.delete(userId)
    this.network.left(userId)
    this.#choices.left(userId)
  }

  /** @param {string} trackId */
  #gone(trackId) {
    this.remoteTracks.delete(trackId)
    this.#choices.ended(trackId)
    this.network.ended(trackId)
    this.levels.delete(trackId)
  }

  // A change that the join's answer already contained is only reported, as after a resume.
  /** @param {string} event @param {Data} data @param {number} seq */
  #changedRoom(event, data, seq) {
    const isNew = this.scene.apply(event, data, seq)
    this.#report(event, data, { seq, isNew })
    if (isNew) {
      this.#mind(event, data)
      this.pk.follow(event, data).catch(error => this.#report('error', error))
    }
    this.changed()
  }

  // What a change means for our own participant.
  /** @param {string} event @param {Data} data */
  #mind(event, data) {
    const userId = this.me?.userId
    const by = data.by && data.by !== userId ? data.by : ''
    if (event === 'seatChanged' && data.userId === userId) {
      if (data.seat.userId === userId) this.#report('seated', data.seat)
      else this.#unseated(data.cause, by)
    } else if (event === 'layoutChanged' && data.off.includes(userId)) {
      this.#unseated('layout', by)
    }
  }

  // The server has unpublished our tracks: the devices are stopped, and the m-lines are reused.
  /** @param {string} cause @param {string} by */
  #unseated(cause, by) {
    for (const tag of [...this.localTracks.keys()]) this.unpublish(tag).catch(() => this.changed())
    this.#report('unseated', { cause, by })
  }

  /** @param {{ userId: string, trackId: string, muted: boolean, by: string }} given */
  #muteChanged({ userId, trackId, muted, by }) {
    if (userId === this.me?.userId) {
      const track = [...this.localTracks.values()].find(each => each.trackId === trackId)
      if (!track) return
      this.#mutedByOthers(track, muted)
      this.#report('mutedBy', { track, muted, by })
    } else {
      const track = this.participants.get(userId)?.tracks.find(each => each.trackId === trackId)
      if (track) track.muted = muted
    }
  }

  /** @param {Source} source @param {boolean} muted */
  #mutedByOthers(source, muted) {
    source.muted = muted
    if (source.kind === 'audio' && source.track) source.track.enabled = !muted
    if (source.kind === 'video' && !muted) {
      // Only the user turns a camera on.
      if (!source.track) this.mute(source.tag).catch(() => {})
      else source.track.enabled = true
    }
  }

  /** Ends the room without a message to the server.
   * @param {Ending} ending
   * @internal */
  end({ reason, by, error }) {
    if (this.state === 'ended') return
    this.ending = { reason, by, error }
    clearInterval(this.#clock)
    this.publisher.close()
    this.subscriber.close()
    this.link.close()
    this.data.close()
    this.#stateChanged()
    this.elements.close()
    this.#report('ended', this.ending)
  }

  #stateChanged() {
    this.#report('stateChanged', this.state)
    this.changed()
  }

  /** @param {string} event @param {Data} data @param {{ seq?: number, isNew?: boolean }} more */
  #report(event, data, { seq, isNew = true } = {}) {
    this.dispatchEvent(new CustomEvent('event', { detail: { event, data, seq, isNew } }))
    this.dispatchEvent(new CustomEvent(event, { detail: data }))
  }

  /** Reports tracks that came and went, then that views must be redrawn.
   * @internal */
  changed() {
    const before = this.#arrived
    this.#arrived = new Map(this.remoteTracks)
    for (const [id, track] of before) if (this.#arrived.get(id) !== track) this.#report('trackUnsubscribed', track)
    for (const [id, track] of this.#arrived) if (before.get(id) !== track) this.#report('trackSubscribed', track)
    this.elements.update(this.#arrived)
    this.dispatchEvent(new Event('change'))
  }
}
