// What waits for an answer in a room: requests for seats, invitations to seats and to a PK, each with its buttons.
import { toastError } from './dialogs.js'
import { text } from './text.js'

/** @param {Acts} acts @param {string} method @param {object} [params] */
const attempt = (acts, method, params) => acts.do(method, params).catch(toastError)

// Those who ask, and those who are asked, as a host or the participant in question sees it.
/** @param {Acts} acts @param {Wire.RoomState} state @returns {WaitingItem[]} */
export function seatAsks(acts, state) {
  const { isAdmin, userId: me } = acts
  const { seats } = text
  const { where } = seats
  const asking = state.requests.filter(({ userId }) => isAdmin || userId === me).map(({ userId, index, at, expiresAt }) => ({
    key: `ask ${userId}`, user: userId, kind: 'request', at, expiresAt, isForUs: isAdmin && userId !== me,
    text: userId === me ? seats.youRequested(where(index)) : seats.requested(userId, where(index)),
    buttons: [
      userId === me && { action: 'cancel-request', label: text.common.cancel, run: () => attempt(acts, 'cancelRequest') },
      isAdmin && userId !== me && { action: 'reject-request', label: text.pk.reject, run: () => attempt(acts, 'rejectRequest', { userId }) },
      isAdmin && userId !== me && { action: 'accept-request', label: seats.accept, style: 'primary', run: () => attempt(acts, 'acceptRequest', { userId }) },
    ],
  }))
  const invited = state.invitations.filter(({ userId }) => isAdmin || userId === me).map(({ userId, index, by, at, expiresAt }) => ({
    key: `invite ${userId}`, user: userId, kind: 'invitation', at, expiresAt, isForUs: userId === me,
    text: userId === me ? seats.invitesYou(by || seats.theHost, where(index)) : seats.isInvited(userId, where(index)),
    buttons: userId === me ? [
      { action: 'reject-invitation', label: seats.decline, run: () => attempt(acts, 'rejectInvitation') },
      { action: 'accept-invitation', label: seats.takeIt, style: 'primary', run: () => attempt(acts, 'acceptInvitation') },
    ] : [{ action: 'cancel-invitation', label: text.common.cancel, run: () => attempt(acts, 'cancelInvitation', { userId }) }],
  }))
  return [...asking, ...invited]
}

/** @param {Acts} acts @param {Wire.RoomState} state @returns {WaitingItem[]} */
export function pkAsks(acts, state) {
  return state.pkInvitations.map(({ pkId, from, to, at, expiresAt }) => {
    const isOurs = from.room === acts.room
    const other = isOurs ? to : from
    const name = sideName(other)
    return {
      key: pkId, kind: isOurs ? 'pk-out' : 'pk-in', user: other.userId, at, expiresAt, isForUs: !isOurs && acts.isAdmin,
      text: isOurs ? text.pk.waitingFor(name) : text.pk.invites(name),
      buttons: isOurs ? [{ action: 'cancel-pk', label: text.common.cancel, run: () => attempt(acts, 'cancelPK', { pkId }) }] : [
        { action: 'reject-pk', label: text.pk.reject, run: () => attempt(acts, 'rejectPK', { pkId, reason: text.pk.notNow }) },
        { action: 'accept-pk', label: text.pk.accept, style: 'primary', run: () => attempt(acts, 'acceptPK', { pkId }) },
      ],
    }
  })
}

/** @param {Acts} acts @param {Wire.RoomState} state */
export const asks = (acts, state) => [...pkAsks(acts, state), ...seatAsks(acts, state)]

// A side of a PK. A room that carries its host's name is not named again.
/** @param {{ userId?: string, room: string }} given */
export const sideName = ({ userId, room }) => !userId ? room : room.startsWith(userId) ? userId : text.pk.ofRoom(userId, room)
