// What waits for an answer in a room: requests for seats, and invitations to seats and to a PK, each with its buttons.

/** @typedef {{ action: string, label: string, style?: string, run(): Promise<unknown> }} Answer */
/** @typedef {{ key: string, kind: string, user: string, text: string, at: number, expiresAt: number, isForUs: boolean, buttons: Array<Answer | false> }} Waiting */
/** Who answers, and makes the calls of the protocol: a participant, or an operator who is nobody in the room.
 * @typedef {{ userId: string | null, isAdmin: boolean, room: string, do(method: string, params?: object): Promise<unknown> }} Answering */
/** @typedef {import('./room-words.js').Words['requests']} Words */

// Requests and invitations as a host or the participant in question sees them.
/** @param {Answering} given @param {Wire.RoomState} state @param {Words} words @returns {Waiting[]} */
export function seatRequests(given, state, words) {
  const { isAdmin, userId: me } = given
  const asking = state.requests.filter(({ userId }) => isAdmin || userId === me).map(({ userId, index, at, expiresAt }) => ({
    key: `ask ${userId}`, user: userId, kind: 'request', at, expiresAt, isForUs: isAdmin && userId !== me,
    text: userId === me ? words.youRequested(words.where(index)) : words.requested(userId, words.where(index)),
    buttons: [
      userId === me && { action: 'cancel-request', label: words.cancel, run: () => given.do('cancelRequest') },
      isAdmin && userId !== me && { action: 'reject-request', label: words.reject, run: () => given.do('rejectRequest', { userId }) },
      isAdmin && userId !== me && { action: 'accept-request', label: words.accept, style: 'primary', run: () => given.do('acceptRequest', { userId }) },
    ],
  }))
  const invited = state.invitations.filter(({ userId }) => isAdmin || userId === me).map(({ userId, index, by, at, expiresAt }) => ({
    key: `invite ${userId}`, user: userId, kind: 'invitation', at, expiresAt, isForUs: userId === me,
    text: userId === me ? words.invitesYou(by || words.theHost, words.where(index)) : words.isInvited(userId, words.where(index)),
    buttons: userId === me ? [
      { action: 'reject-invitation', label: words.decline, run: () => given.do('rejectInvitation') },
      { action: 'accept-invitation', label: words.takeIt, style: 'primary', run: () => given.do('acceptInvitation') },
    ] : [{ action: 'cancel-invitation', label: words.cancel, run: () => given.do('cancelInvitation', { userId }) }],
  }))
  return [...asking, ...invited]
}

/** @param {Answering} given @param {Wire.RoomState} state @param {Words} words @returns {Waiting[]} */
export function pkRequests(given, state, words) {
  return state.pkInvitations.map(({ pkId, from, to, at, expiresAt, terms }) => {
    const isOurs = from.room === given.room
    const other = isOurs ? to : from
    const name = sideName(other, words)
    return {
      key: pkId, kind: isOurs ? 'pk-out' : 'pk-in', user: other.userId, at, expiresAt, isForUs: !isOurs && given.isAdmin,
      text: isOurs ? words.waitingFor(name) : [
        words.invites(name), terms?.rooms.length && words.already(terms.rooms.join(', ')), typeof terms?.team === 'number' && words.yourTeam(terms.team),
      ].filter(Boolean).join(' · '),
      buttons: isOurs ? [{ action: 'cancel-pk', label: words.cancel, run: () => given.do('cancelPK', { pkId }) }] : [
        { action: 'reject-pk', label: words.reject, run: () => given.do('rejectPK', { pkId, reason: words.notNow }) },
        { action: 'accept-pk', label: words.acceptPK, style: 'primary', run: () => given.do('acceptPK', { pkId }) },
      ],
    }
  })
}

/** @param {Answering} given @param {Wire.RoomState} state @param {Words} words */
export const requests = (given, state, words) => [...pkRequests(given, state, words), ...seatRequests(given, state, words)]

// A side of a PK. A room that carries its host's name is not named again.
/** @param {{ userId?: string, room: string }} given @param {Words} words */
export const sideName = ({ userId, room }, words) => !userId ? room : room.startsWith(userId) ? userId : words.ofRoom(userId, room)
