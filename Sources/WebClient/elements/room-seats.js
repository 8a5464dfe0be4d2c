// <room-seats>: the mic seats of a room, and what one may do with them.
import { keyed } from './keyed.js'
import { define, h } from './markup.js'
import { RoomElement } from './room-element.js'
import { wordsFor } from './room-words.js'

const style = `
:host { display: block; font: 14px/1.5 var(--room-seats-font, system-ui, sans-serif); }
:host([hidden]) { display: none; }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(7rem, 1fr)); gap: 8px; margin: 0; padding: 0; list-style: none; }
li { display: grid; gap: 4px; justify-items: center; padding: 10px; border: 2px solid var(--room-seats-border, #8884); border-radius: 10px; overflow-wrap: anywhere; text-align: center; }
li.speaking { border-color: var(--room-seats-speaking, #2a9d4a); }
button { font: inherit; padding: 4px 10px; }
`

/**
 * The seats of a room. Set `room` to a Room. Who may publish takes a free seat, others ask for it; one's own seat can be left. Style it by ::part(seats), (seat),
 * (name), (state) and (action), --room-seats-font, -border and -speaking. An `error` event has what the server refused.
 */
export class RoomSeatsElement extends RoomElement {
  draw() {
    const { room } = this
    const words = wordsFor(this)
    const root = this.tree(style, () => [h('ul', { part: 'seats', 'aria-label': words.seats })])
    const me = room?.me
    const mayAct = Boolean(room?.isOn && me && !me.grants.includes('hidden'))
    const hasAsked = room?.seats.requests.some(({ userId }) => userId === me?.userId)
    const seats = (room?.seats.all ?? []).map(seat => {
      const isMine = Boolean(seat.userId) && seat.userId === me?.userId
      const isFree = !seat.userId && !seat.locked
      /** @type {'leave' | 'take' | 'ask' | null} */
      let action = null
      if (mayAct && isMine) action = 'leave'
      else if (mayAct && isFree && !room?.seats.mine && !hasAsked) action = me?.grants.includes('publish') ? 'take' : 'ask'
      return { index: seat.index, user: seat.userId ?? '', isLocked: seat.locked, isMuted: seat.muted, action }
    })
    const list = /** @type {HTMLElement} */ (root.querySelector('ul'))
    // A seat that is as before keeps its node: its button keeps the focus while others speak.
    keyed(list, seats, seat => JSON.stringify(seat), ({ index, user, isLocked, isMuted, action }) => {
      const node = h('li', { part: 'seat' },
        h('span', { part: 'name' }, user || (isLocked ? words.locked : words.free(index + 1))), isMuted && h('span', { part: 'state' }, words.muted),
        action && h('button', { part: 'action', type: 'button', on: { click: () => this.#act(action, index) } }, words[action]))
      return { node, update: () => { node.classList.toggle('speaking', Boolean(user && this.room?.speakers.includes(user))) } }
    })
  }

  /** @param {'leave' | 'take' | 'ask'} action @param {number} index */
  #act(action, index) {
    const seats = this.room?.seats
    if (!seats) return
    this.tried(action === 'leave' ? seats.leave() : action === 'take' ? seats.take(index) : seats.request(index))
  }
}

define('room-seats', RoomSeatsElement)
