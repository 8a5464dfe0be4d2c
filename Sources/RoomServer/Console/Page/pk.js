// A PK with another room: invitation, answer, score, end; and the result of the last one.
import { openDialog, problem, toastError } from './dialogs.js'
import { attribute, h, icon, say } from './dom.js'
import { count, span } from './format.js'
import { WaitingList } from './waiting.js'

const GRACE = 20_000
/** @type {Record<string, (data: Data, other: string) => string>} */
const OUTCOMES = {
  rejected: ({ reason }, other) => `${other} rejected the PK${reason ? `: ${reason}` : ''}.`,
  cancelled: (_, other) => `The invitation with ${other} was withdrawn.`,
  timedOut: (_, other) => `The invitation with ${other} timed out.`,
  failed: ({ error }, other) => `There is no PK with ${other}: ${error?.message ?? 'it could not start'}.`,
}
/** @type {Record<string, (data: Data, own: string) => string>} */
const ENDS = {
  quit: ({ room, by }, own) => room === own ? `The PK was ended${by ? ` by ${by}` : ''}.` : `The PK was ended by ${room}.`,
  lost: () => 'The PK ended: one side was disconnected for too long.', roomClosed: () => 'The PK ended: a room was closed.', failed: () => 'The PK ended: it could not continue.',
}

export class PK {
  /** @param {Acts} acts @param {string} room */
  constructor(acts, room) {
    this.acts = acts
    this.room = room
    this.invite = h('button', { type: 'button', class: 'button small', data: { action: 'invite-pk' }, on: { click: () => this.#invite() } }, icon('versus', 'small'), 'Invite to PK')
    this.waiting = new WaitingList()
    this.words = h('p', { class: 'muted pk-words', data: { pk: 'none' }, 'aria-live': 'polite' })
    this.mutePeer = this.#button('mute-peer', 'sound', 'Mute the other side', () => this.#try('mutePKPeer', { muted: !this.pk?.peerMuted }))
    this.resume = this.#button('resume-pk', 'play', 'Go on', () => this.#try('resumePK'))
    this.quit = this.#button('quit-pk', 'stop', 'End PK', () => this.#try('quitPK'), 'danger')
    this.score = [1, 10].map(points => this.#button(`score-${points}`, null, `+${points}`, () => this.#add(points)))
    this.running = h('div', { class: 'pk-running', hidden: true },
      h('div', { class: 'buttons' }, this.score, this.mutePeer, this.resume, this.quit))
    this.node = h('section', { class: 'card pk-card', 'aria-label': 'PK' },
      h('div', { class: 'card-head' }, h('h2', {}, 'PK'), h('div', { class: 'buttons' }, this.invite)),
      this.waiting.node, this.words, this.running)
    this.timer = setInterval(() => this.#tell(), 1000)
  }

  stop() { clearInterval(this.timer) }

  /** @param {string} action @param {Icon | null} drawing @param {string} label @param {() => unknown} run @param {string} [style] */
  #button(action, drawing, label, run, style = '') {
    return h('button', { type: 'button', class: `button small ${style}`, data: { action }, on: { click: run } }, drawing && icon(drawing, 'small'), h('span', {}, label))
  }

  /** @param {Wire.RoomState} state */
  update(state) {
    const { acts } = this
    if (this.state?.pk?.pkId !== state.pk?.pkId) {
      /** @type {number | null} */
      this.since = null
      if (state.pk) this.last = null
    }
    this.state = state
    const pk = this.pk = state.pk
    if (pk?.score === this.wanted || !pk) this.wanted = null
    const host = state.seats[0]?.userId
    const isAnchor = acts.isThere && acts.userId === host
    this.invite.hidden = Boolean(pk) || !acts.isAdmin || state.pkInvitations.length > 0
    this.invite.disabled = !host
    this.invite.title = host ? '' : 'A PK needs a host on seat 1.'
    this.running.hidden = !pk || (!acts.isAdmin && !isAnchor)
    if (pk) {
      for (const button of this.score) button.hidden = !acts.isAdmin
      const away = !pk.connected || !pk.peerConnected
      if (away) this.since ??= Date.now()
      else this.since = null
      this.resume.hidden = pk.connected || !isAnchor
      say(/** @type {Node} */ (this.mutePeer.lastChild), pk.peerMuted ? 'Unmute the other side' : 'Mute the other side')
      attribute(this.mutePeer, 'aria-pressed', String(pk.peerMuted))
    }
    this.waiting.update(state.pkInvitations.map(each => this.#invitation(each)))
    this.#tell()
  }

  // Keeps the last result until another PK starts.
  /** @param {string} event @param {Data} data */
  happened(event, data) {
    if (event === 'pkInvited') this.other = data.from.room === this.room ? data.to : data.from
    const other = this.other ? [this.other.userId, this.other.room].filter(Boolean).join(' of ') : 'the other room'
    if (event === 'pkInvitationEnded') this.last = OUTCOMES[data.outcome]?.(data, other) ?? this.last
    if (event === 'pkEnded') this.last = `${ENDS[data.reason]?.(data, this.room) ?? 'The PK is over.'} ${count(data.score)} : ${count(data.peerScore)}`
    this.#tell()
  }

  #tell() {
    const { pk, state } = this
    if (!state) return
    this.words.hidden = !pk && state.pkInvitations.length > 0
    this.words.dataset.pk = pk ? (pk.peerConnected && pk.connected ? 'on' : 'away') : 'none'
    if (!pk) return say(this.words, this.last ?? (state.seats[0]?.userId ? 'No PK. The host may invite the host of another room.' : 'No PK. It requires a participant who joined as host.'))
    const parts = [`With ${pk.userId} of ${pk.room} for ${span(Date.now() - pk.startedAt)}`]
    if (this.since) {
      const left = Math.max(0, Math.ceil((this.since + GRACE - Date.now()) / 1000))
      parts.push(`${pk.peerConnected ? 'this side' : 'the other side'} is disconnected, and has ${left} s to reconnect`)
    }
    if (pk.mutedByPeer) parts.push('they have muted you')
    if (pk.peerMuted) parts.push('you have muted them')
    say(this.words, `${parts.join(' · ')}.`)
  }

  /** @param {Wire.PKInvitation} given @returns {WaitingItem} */
  #invitation({ pkId, from, to, expiresAt }) {
    const isOurs = from.room === this.room
    const other = isOurs ? to : from
    const name = [other.userId, other.room].filter(Boolean).join(' of ')
    this.other = other
    return {
      key: pkId, kind: isOurs ? 'pk-out' : 'pk-in', user: other.userId, expiresAt, text: isOurs ? `Waiting for ${name}` : `${name} invites to a PK`,
      buttons: isOurs ? [{ action: 'cancel-pk', label: 'Cancel', run: () => this.#try('cancelPK', { pkId }) }] : [
        { action: 'reject-pk', label: 'Reject', run: () => this.#reject(pkId) },
        { action: 'accept-pk', label: 'Accept', style: 'primary', run: () => this.#try('acceptPK', { pkId }) },
      ],
    }
  }

  // Points that are added faster than the server answers are added to each other.
  /** @param {number} points */
  #add(points) {
    this.wanted = (this.wanted ?? this.pk?.score ?? 0) + points
    return this.#try('setPKScore', { score: this.wanted })
  }

  /** @param {string} pkId */
  #reject(pkId) { return this.#try('rejectPK', { pkId, reason: 'not now' }) }

  async #invite() {
    const list = h('datalist', { id: 'pk-rooms' })
    const room = h('input', { class: 'input', id: 'pk-room', required: true, maxlength: 64, autocomplete: 'off', spellcheck: 'false', list: 'pk-rooms', pattern: '[A-Za-z0-9_.@:\\-]{1,64}' })
    const failure = h('div')
    const button = h('button', { class: 'button primary', data: { action: 'confirm' } }, 'Invite')
    const form = h('form', { class: 'dialog-body' },
      h('header', {}, h('h2', {}, 'Invite to a PK'), h('p', { class: 'muted' }, 'The host of the other room has 30 seconds to answer. Both audiences then see both, side by side.')),
      h('div', { class: 'field' }, h('label', { for: 'pk-room' }, 'Room'), room, list), failure,
      h('footer', {}, h('button', { type: 'button', class: 'button', on: { click: () => dialog.close() } }, 'Cancel'), button))
    form.addEventListener('submit', event => {
      event.preventDefault()
      button.disabled = true
      this.acts.do('invitePK', { room: room.value.trim() }).then(() => dialog.close(), error => {
        button.disabled = false
        failure.replaceChildren(problem(error))
      })
    })
    const dialog = openDialog(form, { label: 'Invite to a PK' })
    const rooms = await this.acts.app.api?.rooms().catch(() => []) ?? []
    const others = rooms.filter(each => each.name !== this.room && each.participants > 0)
    list.append(...others.map(({ name, users }) => h('option', { value: name }, users.join(', '))))
    if (others.length === 1 && !room.value) room.value = others[0].name
  }

  /** @param {string} method @param {object} [params] */
  #try(method, params) {
    return this.acts.do(method, params).catch(error => {
      this.wanted = null
      toastError(error)
    })
  }
}

// Both sides' scores, over the picture.
export class ScoreBar {
  constructor() {
    this.sides = ['own', 'peer'].map(name => ({ name: h('span'), score: h('b', { class: 'number' }), side: name }))
    this.share = h('i')
    this.node = h('div', { class: 'score', hidden: true }, this.sides.map(({ side, name, score }) => h('div', { class: side }, side === 'own' ? [name, score] : [score, name])),
      h('div', { class: 'score-line', 'aria-hidden': 'true' }, this.share))
  }

  /** @param {Wire.PKInfo | null} [pk] */
  update(pk) {
    this.node.hidden = !pk
    if (!pk) return
    const [own, peer] = this.sides
    say(own.name, pk.host)
    say(peer.name, `${pk.userId} of ${pk.room}`)
    say(own.score, count(pk.score))
    say(peer.score, count(pk.peerScore))
    const [left, right] = [Math.max(0, pk.score), Math.max(0, pk.peerScore)]
    this.share.style.transform = `scaleX(${left + right ? (left / (left + right)).toFixed(3) : 0.5})`
  }
}
