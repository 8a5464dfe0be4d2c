// The seats of a room: their users, speakers and requests, and the host's controls.
import { loudness } from './devices.js'
import { ask, toastError, tried } from './dialogs.js'
import { avatar, h, icon, keyed, say } from './dom.js'
import { button, card, counter, field, rowButton, select } from './fields.js'
import { requestList } from './request-list.js'
import { seatRequests } from './requests.js'
import { text, words } from './text.js'

/** @typedef {Pick<Source, 'trackId' | 'kind' | 'muted'>} Heard */
/** @typedef {Part<Wire.Seat> & { node: HTMLElement, meter: HTMLElement, seat: Wire.Seat }} SeatPart */

export class Seats {
  /** @type {Map<number, SeatPart>} */
  #seats = new Map() // by index: the parts that update often
  /** @type {Map<string | undefined, number>} */
  #levels = new Map() // by user id, dBov

  // `people` returns the participants of the room.
  /** @param {Acts} acts @param {() => Person[]} people */
  constructor(acts, people) {
    this.acts = acts
    this.people = people
    this.count = counter()
    /** @type {HTMLSelectElement} */
    this.layout = h('select', { class: 'input compact', 'aria-label': text.seats.layout, data: { action: 'layout' }, on: { change: () => this.#try('setLayout', { type: this.layout.value }) } },
      Object.entries(text.seats.layouts).map(([type, name]) => h('option', { value: type }, name)), h('option', { value: 'custom', disabled: true }, text.seats.custom))
    this.askButton = button('ask-seat', 'hand', '', () => this.#askOrCancel())
    this.take = button('take-seat', 'up', text.seats.take, () => this.#try('takeSeat'), 'small primary')
    this.grid = h('ul', { class: 'seats' })
    this.waiting = requestList({ seconds: words.requests.seconds, tried })
    this.node = card(words.seats, { style: 'seats-card', head: [this.count, h('div', { class: 'buttons' }, this.layout, this.askButton, this.take)] }, this.waiting.node, this.grid)
  }

  /** @param {Wire.RoomState} state */
  update(state) {
    this.state = state
    const { acts } = this
    const me = acts.userId
    const mine = state.seats.find(seat => me && seat.userId === me)
    const asked = state.requests.some(request => request.userId === me)
    const invited = state.invitations.some(invitation => invitation.userId === me)
    const free = state.seats.some(seat => !seat.userId && !seat.locked && (seat.index > 0 || acts.has('admin')))
    say(this.count, text.seats.count(state.seats.filter(seat => seat.userId).length, state.seats.length))
    this.layout.value = state.layout.type
    this.layout.hidden = !acts.isAdmin
    this.take.hidden = !acts.isThere || Boolean(mine) || !acts.has('publish') || !free
    this.askButton.hidden = !acts.isThere || Boolean(mine) || invited || (acts.has('publish') && !asked)
    say(/** @type {Node} */ (this.askButton.lastChild), asked ? text.seats.cancelRequest : text.seats.request)
    keyed(this.grid, state.seats, seat => seat.index, seat => this.#seat(seat))
    // In a call they are on the stage.
    this.waiting.update(acts.call ? [] : seatRequests(acts, state, words.requests))
  }

  // Levels by user, from a call.
  /** @param {Call} call */
  levels(call) {
    this.#levels.clear()
    /** @type {Array<{ userId?: string, tracks: Heard[] }>} */
    const all = [{ userId: call.me?.userId, tracks: [...call.localTracks.values()] }, ...call.participants.values()]
    for (const { userId, tracks } of all) {
      const level = Math.max(-127, ...tracks.filter(track => track.kind === 'audio' && !track.muted).map(track => call.levels.get(track.trackId ?? '') ?? -127))
      this.#levels.set(userId, level)
    }
    this.#speak(call.speakers)
  }

  // The same if only REST is available.
  /** @param {Person[]} people */
  speakers(people) {
    if (this.acts.call) return
    this.#levels.clear()
    for (const person of people) if (person.speaking) this.#levels.set(person.userId, -20)
    this.#speak(people.filter(person => person.speaking).map(person => person.userId))
  }

  /** @param {string[]} speakers */
  #speak(speakers) {
    for (const { node, meter, seat } of this.#seats.values()) {
      node.classList.toggle('speaking', speakers.includes(seat.userId ?? ''))
      meter.style.transform = `scaleX(${loudness(this.#levels.get(seat.userId) ?? -127).toFixed(2)})`
    }
  }

  /** @param {Wire.Seat} given */
  #seat(given) {
    const { index } = given
    const face = h('div', { class: 'seat-face' })
    const name = h('b', { class: 'seat-name' })
    const badges = h('span', { class: 'seat-badges' })
    const meter = h('i')
    const place = index + 1
    const buttons = {
      take: rowButton('take', 'up', text.seats.takeNumber(place), () => this.#try('takeSeat', { index })),
      ask: rowButton('ask', 'hand', text.seats.requestNumber(place), () => this.#try('requestSeat', { index })),
      invite: rowButton('invite', 'invite', text.seats.inviteNumber(place), () => this.#invite(index)),
      leave: rowButton('leave-seat', 'down', text.seats.leave, () => this.#try('leaveSeat')),
      mute: rowButton('mute-seat', 'microphone', '', () => this.#try('setSeat', { index, muted: !part.seat.muted })),
      lock: rowButton('lock-seat', 'lock', '', () => this.#try('setSeat', { index, locked: !part.seat.locked })),
      kick: rowButton('kick-seat', 'kick', '', () => this.#try('kickFromSeat', { userId: part.seat.userId }), 'danger'),
    }
    const node = h('li', { class: 'seat', data: { seat: index } },
      h('span', { class: 'seat-number faint number', 'aria-hidden': 'true' }, String(place)), badges, face, name,
      h('div', { class: 'meter', role: 'img', 'aria-label': text.seats.loudness(place) }, meter),
      h('div', { class: 'seat-actions' }, Object.values(buttons)))
    /** @type {string | undefined} */
    let drawn
    /** @type {SeatPart} */
    const part = {
      node, meter, seat: given,
      remove: () => this.#seats.delete(index),
      update: seat => {
        part.seat = seat
        const { acts, state } = this
        if (!state) return
        const me = acts.userId
        const isMine = Boolean(me) && seat.userId === me
        const sits = state.seats.some(each => me && each.userId === me)
        const key = `${seat.userId} ${seat.locked} ${seat.muted} ${seat.audio} ${seat.video}`
        if (drawn !== key) {
          drawn = key
          node.classList.toggle('taken', Boolean(seat.userId))
          node.classList.toggle('locked', seat.locked)
          face.replaceChildren(seat.userId ? avatar(seat.userId) : h('span', { class: 'seat-empty' }, icon(seat.locked ? 'lock' : 'plus')))
          /** @type {Array<[unknown, Icon, string]>} */
          const marks = [[seat.locked, 'lock', words.locked], [seat.muted, 'microphone-off', text.seats.mutedByHost], [seat.userId && !seat.audio, 'sound-off', text.seats.soundOff], [seat.userId && !seat.video, 'camera-off', text.seats.pictureOff]]
          badges.replaceChildren(...marks.filter(([on]) => on).map(([, drawing, label]) => h('span', { class: 'mark', role: 'img', 'aria-label': label, title: label, data: { mark: drawing } }, icon(drawing, 'small'))))
        }
        say(name, seat.userId ? (isMine ? `${seat.userId}${text.stage.you}` : seat.userId) : seat.locked ? words.locked : index === 0 ? text.seats.hostsSeat : text.seats.free)
        node.classList.toggle('mine', isMine)
        const open = !seat.userId && !seat.locked && acts.isThere && !sits
        buttons.take.hidden = !open || !acts.has('publish') || (index === 0 && !acts.has('admin'))
        buttons.ask.hidden = !open || acts.has('publish') || index === 0 || state.requests.some(each => each.userId === me)
        buttons.invite.hidden = !acts.isAdmin || Boolean(seat.userId) || seat.locked
        buttons.leave.hidden = !isMine
        buttons.mute.hidden = buttons.lock.hidden = !acts.isAdmin
        buttons.mute.show(seat.muted ? 'microphone-off' : 'microphone', seat.muted ? text.seats.unmute(place) : text.seats.mute(place))
        buttons.lock.show(seat.locked ? 'unlock' : 'lock', seat.locked ? text.seats.unlock(place) : text.seats.lock(place))
        buttons.kick.hidden = !acts.isAdmin || !seat.userId || isMine
        buttons.kick.show('kick', text.seats.takeOff(seat.userId ?? ''))
      },
    }
    this.#seats.set(index, part)
    return part
  }

  #askOrCancel() {
    const asked = this.state?.requests.some(request => request.userId === this.acts.userId)
    return this.#try(asked ? 'cancelRequest' : 'requestSeat')
  }

  /** @param {number} index */
  #invite(index) {
    const seated = new Set(this.state?.seats.map(seat => seat.userId))
    const guests = this.people().filter(({ userId, grants }) => !seated.has(userId) && !grants.includes('hidden') && !userId.includes('@'))
    const who = select('invite-user', guests.map(({ userId }) => [userId, userId]))
    ask({
      title: text.seats.inviteTitle(index + 1), text: guests.length ? text.seats.inviteHint(guests.length) : text.seats.allSeated, action: text.pk.invite, isReady: guests.length > 0,
      act: () => this.acts.do('inviteToSeat', { userId: who.value, index }),
    }, field(who, text.seats.who))
  }

  /** @param {string} method @param {object} [params] */
  #try(method, params) {
    return this.acts.do(method, params).catch(error => {
      toastError(error)
      if (this.state) this.update(this.state)
    })
  }
}
