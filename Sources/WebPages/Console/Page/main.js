// The console: the sign-in, the current view, and the call that continues while views change.
import { Api, poll } from './api.js'
import { Attention } from './attention.js'
import { confirm, toast, toastError } from './dialogs.js'
import { byId } from './dom.js'
import { RoomModel } from './room-model.js'
import { followed, here, settle } from './server.js'
import * as session from './session.js'
import { Shell } from './shell.js'
import { shareToken, tellRenewed, tokenOfAnotherTab } from './tabs.js'
import { text } from './text.js'
import { SignInView } from './view-signin.js'
import { loadViews, newCall, roomView, views } from './views.js'

// The route in the address, without what a list keeps behind it.
const path = () => location.hash.replace(/^#\/?/, '').split('?')[0]

const HALF_A_DAY = 43_200 // seconds

export class App {
  /** @type {Session | null} */
  session = null
  /** @type {Api | null} */
  api = null // null with a room token, which does not authorise REST calls
  /** @type {Call | null} */
  call = null
  /** @type {View | null} */
  view = null
  /** @type {Map<string, RoomModel>} */
  #models = new Map() // of the rooms viewed recently
  #turn = 0 // the number of the last change of view, which outdates one whose code is still being loaded
  #loadsViews = false // those that are not shown yet

  /** @type {Shell | undefined} */
  shell
  attention = new Attention()
  /** @type {{ room: string, reason: string } | null} */
  farewell = null // why the last call ended, unless the user left
  /** @type {string | null} */
  stageInSight = null // the room whose stage is visible

  constructor() {
    this.root = byId('app')
    addEventListener('hashchange', () => this.#arrive())
    addEventListener('pagehide', () => this.call?.leave())
    addEventListener('beforeunload', event => { if (this.call?.broadcast.isOurs) event.preventDefault() })
    shareToken({ session: () => this.session, renewed: session => this.renew(session, false) })
    this.#arrive()
  }

  // A link with a token signs in; everything else is a route.
  async #arrive() {
    const brought = session.fromAddress()
    if (brought) {
      try { return this.signIn(session.read(brought)) } catch (error) { return this.#gate(error) }
    }
    if (!this.session) {
      const remembered = session.remembered() ?? await tokenOfAnotherTab(path())
      if (this.session) return
      if (!remembered) return this.#gate()
      return this.signIn(remembered)
    }
    this.#route()
  }

  /** @param {Failure} [error] */
  #gate(error) { this.#show(new SignInView(this, error)) }

  /** @param {Session} found */
  signIn(found) {
    this.session = found
    session.remember(found)
    this.api = found.kind === 'api' ? new Api(found.token, error => this.#refused(error)) : null
    this.farewell = null
    this.shell?.stop()
    this.shell = new Shell(/** @type {SignedIn} */ (this), this.api ? views : { rooms: { ...views.rooms, label: text.shell.room, path: `rooms/${found.room}` } })
    this.#route()
  }

  // The API token ends neither a call nor the view when it expires: the page asks for a new one.
  /** @param {Failure} error */
  #refused(error) {
    if (!this.session || (!this.call && this.session.expires > Date.now())) return this.signOut(error)
    this.shell?.update()
  }

  // Continues with a newer token.
  /** @param {Session} found @param {boolean} [isOurs] Whether it was entered in this tab. */
  renew(found, isOurs = true) {
    if (!this.session) return
    this.session = found
    session.remember(found)
    this.api?.renew(found.token)
    if (isOurs) tellRenewed(found)
    this.#changed()
  }

  // Signs out; asks first if that ends a live stream.
  leaveAndSignOut() {
    if (!this.call?.broadcast.isOurs) return this.signOut()
    confirm({ title: text.stage.leaveTitle, text: text.stage.leaveText, action: text.shell.signOut, act: async () => this.signOut() })
  }

  /** @param {Failure} [error] */
  signOut(error) {
    if (!this.session) return
    this.call?.leave()
    session.forget()
    this.session = this.api = this.farewell = null
    this.shell?.stop()
    this.attention.update([])
    this.#gate(error)
  }

  async #route() {
    const [section, ...rest] = path().split('/').map(decodeURIComponent)
    const { session } = this
    if (!session) return this.#gate()
    const known = session.kind === 'api' && Object.hasOwn(views, section) ? section : 'rooms'
    const turn = ++this.#turn
    try {
      const view = await (session.kind === 'room' ? roomView(/** @type {SignedIn} */ (this), session.room) : views[known].make(/** @type {Operator} */ (this), rest[0]))
      if (turn === this.#turn) this.#show(view, known)
      else view.stop?.()
    } catch (error) {
      toastError(error)
    }
  }

  /** @param {View} view @param {string} [section] */
  #show(view, section) {
    this.#turn += 1
    const isFirst = this.view === null
    this.view?.stop?.()
    this.view = view
    document.title = this.attention.title = view.title ? `${view.title} · roomserver` : 'roomserver'
    if (section && this.shell) {
      this.shell.show(view, section)
      this.root.replaceChildren(this.shell.node)
      scrollTo(0, 0)
      // With a room token there is only one view.
      if (this.api && !this.#loadsViews) {
        this.#loadsViews = true
        loadViews()
      }
      // The keyboard and screen readers continue at the top of the new view.
      const head = view.node.querySelector('h1')
      if (head && !isFirst) {
        head.tabIndex = -1
        head.focus({ preventScroll: true })
      }
    } else {
      this.root.replaceChildren(view.node)
    }
  }

  // A room's model outlives its view, so that its charts continue.
  /** @param {string} room */
  model(room) {
    const model = this.#models.get(room) ?? new RoomModel()
    this.#models.delete(room)
    this.#models.set(room, model)
    if (this.#models.size > 8) this.#models.delete(this.#models.keys().next().value)
    return model
  }

  // The server was drained, and the console continues with another one.
  /** @param {Server} server */
  #moved(server) {
    settle(server)
    this.#models.clear()
    toast(text.shell.moved(server.host))
    this.shell?.moved()
    this.#route()
  }

  // Creates a room, at the server that a drained server names if this one is drained.
  /** @param {Wire.NewRoom} room */
  async createRoom(room) {
    const app = /** @type {Operator} */ (this)
    const server = await followed(here(), server => app.api.at(server).send('POST', '/v1/rooms', {}, room))
    if (server !== here()) this.#moved(server)
  }

  /** @param {string} path */
  go(path) { location.hash = `#/${path}` }

  // Joins a room and publishes `media`. Throws if the server rejects the join.
  /** @param {Joining} given */
  async startCall({ room, user, grants, media }) {
    await this.call?.leave()
    const app = /** @type {Operator} */ (this)
    this.farewell = null
    // A call outlives the API token: its room token, which lasts for half a day, resumes it.
    /** @type {string | undefined} */
    let minted
    const token = this.api ? async (/** @type {Server} */ server) => {
      try { return minted = await app.api.at(server).roomToken(room, user, grants, HALF_A_DAY) } catch (error) {
        if (!minted || error.status !== 401) throw error
        return minted
      }
    } : async () => app.session.token
    const call = await newCall({ room, server: here(), token, media })
    this.call = call
    call.addEventListener('change', () => {
      if (this.call === call && call.state === 'joined' && call.server !== here()) this.#moved(call.server)
      this.#changed()
    })
    call.addEventListener('note', event => toast(/** @type {CustomEvent} */ (event).detail))
    call.addEventListener('error', event => toastError(/** @type {CustomEvent} */ (event).detail))
    call.addEventListener('ended', () => {
      if (call.reason) this.farewell = { room, reason: call.reason }
      endCount?.()
      if (call.reason) call.ending?.error ? toastError({ ...call.ending.error, message: call.reason }) : toast(call.reason, 'error')
      if (this.call === call) this.call = null
      this.#changed()
    })
    call.addEventListener('event', event => {
      const change = /** @type {CustomEvent<RoomEvent>} */ (event).detail
      if (change.seq === undefined) return
      this.view?.happened?.(change)
    })
    const endCount = this.api && poll(3000, () => this.#countViewers(call), () => {})
    call.addEventListener('seated', () => this.#speak(call))
    for (const event of ['audioLevels', 'activeSpeakers']) call.addEventListener(event, () => this.view?.levels?.())
    call.addEventListener('statistics', () => this.view?.statistics?.())
    this.#changed()
    await call.join()
    return call
  }

  // A participant who gets a seat is unmuted.
  /** @param {Call} call */
  async #speak(call) {
    if (call.localTracks.has('microphone')) return
    try {
      await call.devices.setMicrophone(true)
      toast(text.seats.onSeat)
    } catch (error) { toastError(error) }
  }

  // The server counts everybody who watches: by WebRTC, HLS, FLV and RTMP, and participants that only receive.
  /** @param {Call} call */
  async #countViewers(call) {
    const { broadcast } = call
    if (broadcast.phase !== 'live' || !this.api || this.api.refused) return
    call.seen((await this.api.get('/v1/rooms/{room}', { room: call.room })).viewers)
  }

  #changed() {
    this.shell?.update()
    this.view?.changed?.()
  }
}

new App()
