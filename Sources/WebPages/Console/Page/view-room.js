// One room: its stage, the people in it, and their tracks.
import { Acts } from './acts.js'
import { poll } from './api.js'
import { Attributes } from './attributes.js'
import { Chat } from './chat.js'
import { confirm, problem, toast, toastError } from './dialogs.js'
import { h, icon, say } from './dom.js'
import { ago, moment } from './format.js'
import { Films } from './films.js'
import { Jobs } from './jobs.js'
import { People } from './people.js'
import { PK } from './pk.js'
import { Recorder } from './recorder.js'
import { settingsDialog } from './room-settings.js'
import { Seats } from './seats.js'
import { Stage } from './stage.js'
import { text } from './text.js'
import { isMix } from './tiles.js'
import { Tracks } from './tracks.js'

export class RoomView {
  /** @param {SignedIn} app @param {string} room */
  constructor(app, room) {
    this.app = app
    this.room = room
    this.title = room
    this.model = app.model(room)
    this.facts = h('div', { class: 'facts' }, '\u00a0')
    this.failure = h('div')
    /** @type {Actions} */
    const actions = {
      kick: app.api || this.#isAdmin() ? person => this.#kick(person.userId) : null,
      mute: track => this.#mute(track),
      mayMute: track => Boolean(app.api) || track.isMe || this.#isAdmin(),
    }
    this.stage = new Stage(app, room)
    this.people = new People(actions)
    this.tracks = new Tracks(actions)
    this.acts = new Acts(app, room)
    this.seats = new Seats(this.acts, () => this.model.people)
    this.pk = new PK(this.acts, room)
    this.chat = new Chat(this.acts)
    this.attributes = new Attributes(this.acts)
    this.films = new Films(this.acts)
    this.host = h('div', { class: 'room-host' }, this.seats.node, this.pk.node, this.films.node, this.attributes.node)
    const { api } = app
    this.recorder = new Recorder(this.acts, { publishers: () => this.#publishers() })
    this.jobs = api && new Jobs(api, room, () => this.model.people)
    this.deletion = api && h('button', { class: 'button danger', title: text.room.deleteRoom, data: { action: 'delete-room' }, on: { click: () => this.#delete() } }, icon('trash', 'small'), h('span', {}, text.room.deleteRoom))
    this.settings = api && h('button', { class: 'button', 'aria-label': text.room.settingsTitle, title: text.room.settingsTitle, data: { action: 'room-settings' }, on: { click: () => settingsDialog(api, room).catch(toastError) } }, icon('settings', 'small'), h('span', {}, text.room.settingsTitle))
    this.restyle = h('button', { class: 'button', title: text.room.stageStyle, hidden: true, data: { action: 'stage-style' }, on: { click: () => this.#style().catch(toastError) } }, icon('inset', 'small'), h('span', {}, text.room.stageStyle))
    this.node = h('div', { class: 'view' },
      h('header', { class: 'view-head' },
        h('div', { class: 'titles' },
          h('div', { class: 'headline' }, app.api && h('nav', { 'aria-label': text.room.above }, h('a', { class: 'crumb', href: '#/rooms' }, text.shell.rooms), h('span', { class: 'crumb', 'aria-hidden': 'true' }, ' / ')), h('h1', {}, room)), this.facts),
        this.recorder.node, this.restyle, this.settings, this.deletion),
      this.failure,
      this.body = h('div', { class: 'room' }, this.stage.node, this.people.node,
        this.host, this.chat.node, this.tracks.node, this.jobs?.node))
    this.#poll()
    this.changed()
  }

  #poll() {
    const { api } = this.app
    this.endPoll = api ? poll(1000, () => this.#load(api), error => this.#failed(error)) : () => {}
  }

  stop() {
    this.endPoll?.()
    this.pk.stop()
    this.films.stop()
    this.stage.stop()
  }

  get #call() { return this.app.call?.room === this.room ? this.app.call : null }

  // The call, for an action that needs one.
  #joined() {
    const call = this.#call
    if (!call) throw new Error(text.stage.joinFirst)
    return call
  }

  #isAdmin() { return this.app.session.grants?.includes('admin') ?? false }

  /** @param {Api} api */
  async #load(api) {
    const names = { room: this.room }
    const room = await api.get('/v1/rooms/{room}', names) // first and alone: a room that closed is one failed request
    const [statistics, { jobs }, state] = await Promise.all([api.get('/v1/rooms/{room}/statistics', names), api.get('/v1/rooms/{room}/jobs', names), api.get('/v1/rooms/{room}/state', names)])
    this.failure.replaceChildren()
    this.createdAt = room.createdAt
    this.audience = room.audience && { viewers: room.viewers, nodes: room.audience.nodes }
    this.inForce = room.settings.stage
    this.model.fromApi(room, statistics, this.#call)
    this.#draw()
    this.jobs?.update(jobs)
    this.fetched = state
    this.#drawState()
    this.seats.speakers(this.model.people)
  }

  /** @param {Failure} error */
  #failed(error) {
    if (error.code === 404002) {
      // Our own join may be about to create it.
      if (this.#call) return
      this.endPoll?.()
      this.failure.replaceChildren(h('div', { class: 'card empty' }, icon('rooms'), h('h2', {}, text.room.notOpen),
        h('p', {}, text.room.notOpenHint), h('span', { class: 'code' }, `${error.code} ${error.name}`),
        h('div', { class: 'buttons' }, h('a', { class: 'button', href: '#/rooms' }, text.room.allRooms),
          h('button', { class: 'button primary', data: { action: 'create-room' }, on: { click: () => this.#create() } }, text.room.create))))
      this.#hide(true)
    } else {
      this.failure.replaceChildren(problem(error))
    }
  }

  async #create() {
    try {
      await this.app.createRoom({ name: this.room })
      // Another view may be shown by now: another server's.
      if (this.app.view === this) this.#opened()
    } catch (error) { toastError(error) }
  }

  #opened() {
    this.#hide(false)
    this.#poll()
  }

  /** @param {boolean} hidden */
  #hide(hidden) {
    for (const node of [this.body, this.recorder.node, this.restyle, this.settings, this.deletion]) if (node) node.hidden = hidden
  }

  // MARK: Room state

  changed() {
    if (this.#call && this.body.hidden) this.#opened()
    this.stage.update()
    this.#drawState()
    if (!this.app.api) this.statistics()
  }

  levels() {
    const call = this.#call
    if (!call) return
    this.stage.levels(call)
    this.tracks.levels(call.levels)
    this.people.levels(call)
    this.seats.levels(call)
  }

  // Who sends, those on seats first. Our own session knows it first.
  #publishers() {
    const { call } = this.acts
    /** @type {Array<{ userId: string, tracks: unknown[] }>} */
    const people = call ? [{ userId: call.me.userId, tracks: [...call.localTracks.values()] }, ...call.participants.values()] : this.model.people
    const seated = (call?.scene.now ?? this.fetched)?.seats.map(seat => seat.userId) ?? []
    /** @param {{ userId: string }} person */
    const rank = ({ userId }) => (seated.indexOf(userId) + 1) || Infinity
    return people.filter(({ userId, tracks }) => tracks.length && !isMix(userId)).sort((a, b) => rank(a) - rank(b)).map(person => person.userId)
  }

  #drawRecorder() {
    if (this.body.hidden) return
    const { call } = this.acts
    this.recorder.update(call ? call.jobs.all : this.fetched?.jobs ?? [])
  }

  /** @param {RoomEvent} change */
  happened(change) {
    this.stage.happened(change)
    this.pk.happened(change.event, change.data)
  }

  // The room's state: our own session has it first; the API supplies what it may not see.
  #drawState() {
    const own = this.acts.call?.scene.now
    const style = this.#styleInForce
    this.restyle.hidden = !style || !this.acts.isAdmin || this.body.hidden
    if (style && this.styleForm && !this.styleForm.isClosed) this.styleForm.update(style)
    let state = own ?? this.fetched
    this.#drawRecorder()
    this.host.hidden = this.chat.node.hidden = !state
    if (!state) return
    if (own && this.fetched && !this.acts.call?.me.grants.includes('admin')) state = { ...own, pkInvitations: this.fetched.pkInvitations }
    for (const part of [this.seats, this.pk, this.chat, this.films, this.attributes]) part.update(state)
  }

  // MARK: The stage's style

  // Our own session has it first.
  get #styleInForce() { return this.acts.call?.scene.stage ?? this.inForce ?? null }

  async #style() {
    const { StageStyle } = await import('./stage-style.js')
    const { app: { api }, room } = this
    this.styleForm = new StageStyle({
      style: () => this.#styleInForce ?? {},
      apply: stage => api ? api.send('PATCH', '/v1/rooms/{room}', { room }, { stage }) : this.#joined().request('setStage', stage),
      ...api && {
        images: async () => (await api.get('/v1/rooms/{room}/images', { room })).images.map(({ name }) => name),
        upload: (name, file) => api.send('PUT', '/v1/rooms/{room}/images/{name}', { room, name }, file),
      },
    })
  }

  statistics() {
    // An expired API token answers no more; the call still knows its room.
    if (!this.app.api || (this.app.api.refused && this.#call)) {
      this.model.fromCall(this.#call)
      this.#draw()
    }
    this.stage.statistics()
    this.#drawRecorder()
  }

  #draw() {
    const { people, tracks } = this.model
    // With a room token nothing is known before the join.
    const isKnown = Boolean(this.app.api) || (this.#call?.isOn ?? false)
    this.people.node.hidden = this.tracks.node.hidden = !isKnown
    say(this.facts, isKnown ? [text.room.facts(people.length, tracks.length), this.audience && text.room.audience(this.audience.viewers, this.audience.nodes), this.createdAt && text.room.created(ago(this.createdAt))].filter(Boolean).join(' · ') : text.room.joinToSee)
    if (this.createdAt) this.facts.title = moment(this.createdAt)
    this.people.update(people)
    this.tracks.update(tracks)
  }

  // MARK: Moderation

  /** @param {string} userId */
  #kick(userId) {
    confirm({
      title: text.room.removeTitle(userId), text: text.room.removeText, action: text.room.removeButton,
      act: async () => {
        await (this.app.api ? this.app.api.send('DELETE', '/v1/rooms/{room}/participants/{user}', { room: this.room, user: userId }) : this.#joined().kick(userId))
        toast(text.room.removed(userId))
      },
    })
  }

  /** @param {TrackRow} track */
  async #mute(track) {
    try {
      const call = this.#call
      const own = track.isMe ? [...call?.localTracks.values() ?? []].find(source => source.trackId === track.trackId) : undefined
      if (own?.tag === 'microphone') await call?.devices.setMicrophone(track.muted)
      else if (own?.tag === 'camera') await call?.devices.setCamera(track.muted)
      else if (this.app.api) await this.app.api.send('POST', '/v1/rooms/{room}/tracks/{trackId}/mute', { room: this.room, trackId: track.trackId }, { muted: !track.muted })
      else await this.#joined().muteTrack(track.trackId, !track.muted)
      track.muted = !track.muted
      this.#draw()
    } catch (error) { toastError(error) }
  }

  #delete() {
    confirm({
      title: text.room.deleteTitle(this.room), text: text.room.deleteText, action: text.room.deleteRoom,
      act: async () => {
        this.endPoll?.()
        await /** @type {Operator} */ (this.app).api.send('DELETE', '/v1/rooms/{room}', { room: this.room })
        this.app.go('rooms')
      },
    })
  }
}
