// What is done in a room: by our own session where we are in it with the right, else by the API.

// Calls that the API makes too (api/openapi.yaml); all others are for users who are there.
const OF_THE_API = new Set([
  'kickFromSeat', 'setSeat', 'setLayout', 'acceptRequest', 'rejectRequest', 'inviteToSeat', 'cancelInvitation', 'invitePK', 'cancelPK',
  'acceptPK', 'rejectPK', 'mutePKPeer', 'setPKScore', 'quitPK', 'setAttributes', 'sendMessage',
])

export class Acts {
  constructor(app, room) { Object.assign(this, { app, room }) }

  get call() {
    const { call } = this.app
    return call?.room === this.room && call.isOn ? call : null
  }

  // We are in the room and can be seen there.
  get isThere() { return Boolean(this.call) && !this.call.me.grants.includes('hidden') }
  get userId() { return this.isThere ? this.call.me.userId : null }
  has(grant) { return this.isThere && this.call.me.grants.includes(grant) }
  get isAdmin() { return Boolean(this.app.api) || (this.call?.me.grants.includes('admin') ?? false) }
  get maySpeak() { return this.isThere || Boolean(this.app.api) }

  // An admin of the API who is in the room as a guest still acts as the API where the guest may not.
  do(method, params = {}) {
    const asUser = this.call && (this.has('admin') || !OF_THE_API.has(method) || (method === 'sendMessage' && this.isThere) || !this.app.api)
    if (asUser) return this.call.ask(method, params)
    if (this.app.api && OF_THE_API.has(method)) return this.app.api.act(this.room, method, params)
    return Promise.reject(new Error('Join the room first.'))
  }
}
