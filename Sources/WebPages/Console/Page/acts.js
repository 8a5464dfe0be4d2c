// The calls of a room. They use our own session if it has the permission, else the REST API.
import { text } from './text.js'

// Calls that the REST API has too (api/openapi.yaml). All others require a participant.
const OF_THE_API = new Set([
  'kickFromSeat', 'setSeat', 'setLayout', 'acceptRequest', 'rejectRequest', 'inviteToSeat', 'cancelInvitation', 'invitePK', 'cancelPK', 'matchPK', 'cancelMatch',
  'acceptPK', 'rejectPK', 'mutePKPeer', 'removeFromPK', 'rematchPK', 'setPKScore', 'extendPK', 'quitPK', 'setAttributes', 'sendMessage',
])

export class Acts {
  /** @param {SignedIn} app @param {string} room */
  constructor(app, room) {
    this.app = app
    this.room = room
  }

  /** @returns {JoinedCall | null} */
  get call() {
    const { call } = this.app
    return call?.room === this.room && call.isOn ? /** @type {JoinedCall} */ (call) : null
  }

  // Whether we are a visible participant of the room.
  get isThere() { return Boolean(this.call && !this.call.me.grants.includes('hidden')) }
  get userId() { return this.isThere && this.call ? this.call.me.userId : null }
  /** @param {Wire.Grant} grant */
  has(grant) { return Boolean(this.isThere && this.call?.me.grants.includes(grant)) }
  get isAdmin() { return Boolean(this.app.api) || (this.call?.me.grants.includes('admin') ?? false) }
  get maySpeak() { return this.isThere || Boolean(this.app.api) }

  // Makes a call that REST has under a path of its own: in our own session if it has the grant, else by `ofApi`.
  /** @param {Wire.Grant} grant @param {string} method @param {object} params @param {(api: Api) => Promise<Data>} ofApi @returns {Promise<Data>} */
  async ask(grant, method, params, ofApi) {
    const { api } = this.app
    return this.has(grant) ? this.call?.request(method, params) : api && ofApi(api)
  }

  // Opens the form of an invitation to a PK; its code follows on demand.
  /** @param {string} [wanted] The room that is invited again. @param {string} [pkId] The PK that runs. */
  async invitePK(wanted, pkId) { return (await import('./pk-invite.js')).invitePK(this, { wanted, pkId }) }

  // A console with an API token whose participant is only a guest uses the API for calls that the guest may not make.
  /** @param {string} method @param {object} [params] @returns {Promise<Data>} */
  do(method, params = {}) {
    const { call } = this
    if (call && (this.has('admin') || !OF_THE_API.has(method) || (method === 'sendMessage' && this.isThere) || !this.app.api)) return call.request(method, params)
    if (this.app.api && OF_THE_API.has(method)) return this.app.api.send('POST', '/v1/rooms/{room}/calls/{method}', { room: this.room, method }, params)
    return Promise.reject(new Error(text.stage.joinFirst))
  }
}
