// A PK with another room: invitation, answer, score, end; and the result of the last one.
import { tried } from './dialogs.js'
import { attribute, h, say } from './dom.js'
import { button, card } from './fields.js'
import { count, duration } from './format.js'
import { pkMembers } from './pk-members.js'
import { sidesOf } from './pk-sides.js'
import { requestList } from './request-list.js'
import { pkRequests, sideName } from './requests.js'
import { ScoreSum } from './score-sum.js'
import { text, words } from './text.js'

const GRACE = 20_000
const RANKED = 3
const MOST_INVITED = 32

export class PK {
  /** @param {Acts} acts @param {string} room */
  constructor(acts, room) {
    this.acts = acts
    this.room = room
    /** @type {Map<string, Wire.PKSide>} */
    this.invited = new Map() // the other sides by the ids of invitations
    this.invite = button('invite-pk', 'versus', text.pk.inviteToPK, () => tried(acts.invitePK('', this.pk?.pkId)))
    this.match = button('match-pk', 'search', text.pk.match, () => this.#try(this.state?.pkMatching ? 'cancelMatch' : 'matchPK'))
    this.sum = new ScoreSum(score => acts.do('setPKScore', { score }))
    this.waiting = requestList({ seconds: words.requests.seconds, tried })
    this.ranking = h('p', { class: 'muted pk-ranking', hidden: true })
    this.words = h('p', { class: 'muted pk-words', data: { pk: 'none' }, 'aria-live': 'polite' })
    this.mutePeer = button('mute-peer', 'sound', text.pk.mutePeer, () => this.#try('mutePKPeer', { muted: !this.pk?.peerMuted }))
    this.resume = button('resume-pk', 'play', text.pk.goOn, () => this.#try('resumePK'))
    this.quit = button('quit-pk', 'stop', text.pk.end, () => this.#try('quitPK'), 'small danger')
    this.extend = button('extend-pk', 'plus', text.pk.extend, () => this.#try('extendPK', { seconds: 60 }))
    this.score = [1, 10].map(points => button(`score-${points}`, null, `+${points}`, () => this.#add(points)))
    this.members = pkMembers(acts)
    this.running = h('div', { class: 'pk-running', hidden: true },
      h('div', { class: 'buttons' }, this.score, this.extend, this.mutePeer, this.resume, this.quit))
    this.node = card(text.pk.pk, { style: 'pk-card', head: [h('div', { class: 'buttons' }, this.match, this.invite)] }, this.waiting.node, this.words, this.members.node, this.ranking, this.running)
    this.timer = setInterval(() => this.#tell(), 1000)
  }

  stop() { clearInterval(this.timer) }

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
    this.sum.settle(pk?.score)
    const host = state.seats[0]?.userId
    const isAnchor = acts.isThere && acts.userId === host
    this.match.hidden = Boolean(pk) || !acts.isAdmin || state.pkInvitations.length > 0
    // A running PK takes more rooms, until its result.
    this.invite.hidden = pk ? !acts.isAdmin || pk.way === 'move' || Boolean(pk.result) : this.match.hidden
    say(/** @type {Node} */ (this.invite.lastChild), pk ? text.pk.inviteMore : text.pk.inviteToPK)
    const seeks = Boolean(state.pkMatching)
    say(/** @type {Node} */ (this.match.lastChild), seeks ? text.pk.cancelMatch : text.pk.match)
    this.invite.disabled = !host || seeks
    this.match.disabled = !host
    this.invite.title = host ? '' : text.pk.needsHost
    this.running.hidden = !pk || (!acts.isAdmin && !isAnchor)
    this.members.update(pk, this.sides, !this.running.hidden)
    if (pk) {
      say(/** @type {Node} */ (this.quit.lastChild), pk.members ? text.pk.leave : text.pk.end)
      for (const button of [...this.score, this.extend]) button.hidden = !acts.isAdmin || Boolean(pk.result)
      attribute(this.extend, 'title', pk.endsAt ? text.pk.extendHint : text.pk.limitHint)
      // Of several rooms, the list says which ones are away.
      const away = !pk.connected || (!pk.members && !pk.peerConnected)
      if (away) this.since ??= Date.now()
      else this.since = null
      this.resume.hidden = pk.connected || !isAnchor
      say(/** @type {Node} */ (this.mutePeer.lastChild), pk.peerMuted ? text.pk.unmutePeer : text.pk.mutePeer)
      attribute(this.mutePeer, 'aria-pressed', String(pk.peerMuted))
      this.mutePeer.hidden = Boolean(pk.members)
    }
    // In a call they are on the stage.
    this.waiting.update(acts.call ? [] : pkRequests(acts, state, words.requests))
    state.pkInvitations.forEach(invitation => this.#note(invitation))
    const ranking = Object.entries(acts.call?.pk.gifts ?? {}).sort(([, a], [, b]) => b - a).slice(0, RANKED)
    this.ranking.hidden = !pk || !ranking.length
    say(this.ranking, `${text.pk.topGifts} ${ranking.map(([user, points]) => `${user || text.chat.operator} ${count(points)}`).join(' · ')}`)
    this.#tell()
  }

  get sides() { return this.pk ? sidesOf(this.pk, this.room) : [] }

  // Keeps the other side of each invitation: the event of its end names only the id.
  /** @param {Wire.PKInvitation} invitation */
  #note({ pkId, from, to }) {
    this.invited.set(pkId, from.room === this.room ? to : from)
    if (this.invited.size > MOST_INVITED) this.invited.delete([...this.invited.keys()][0])
  }

  // Keeps the last result until another PK starts.
  /** @param {string} event @param {Data} data */
  happened(event, data) {
    if (event === 'pkInvited') this.#note(data)
    if (event === 'pkInvitationEnded') {
      const other = this.invited.get(data.pkId)
      this.last = text.pk.outcome(data, other ? sideName(other, words.requests) : text.pk.otherRoom) ?? this.last
    }
    if (event === 'pkMatchEnded' && data.outcome === 'timedOut') this.last = text.pk.noMatch
    if (event === 'pkEnded') {
      /** @type {Wire.PKResult | undefined} */
      const result = data.result
      this.last = [
        text.pk.ended(data, this.room),
        result ? result.scores.map(({ room, score }) => `${room} ${count(score)}`).join(' · ') : `${count(data.score)} : ${count(data.peerScore)}`,
        result && (result.tie ? words.stage.draw : words.stage.won(result.winners.join(', '))),
      ].filter(Boolean).join(' ')
    }
    this.#tell()
  }

  #tell() {
    const { pk, state } = this
    if (!state) return
    this.words.hidden = !pk && state.pkInvitations.length > 0
    this.words.dataset.pk = pk ? (pk.peerConnected && pk.connected ? 'on' : 'away') : 'none'
    if (state.pkMatching) return say(this.words, text.pk.matching(Math.max(0, Math.ceil((state.pkMatching.expiresAt - Date.now()) / 1000))))
    if (!pk) return say(this.words, this.last ?? (state.seats[0]?.userId ? text.pk.none : text.pk.noHost))
    const parts = [text.pk.with(this.sides.slice(1).map(side => sideName(side, words.requests)).join(', '), duration(Date.now() - pk.startedAt))]
    if (this.since) {
      const left = Math.max(0, Math.ceil((this.since + GRACE - Date.now()) / 1000))
      parts.push(text.pk.away(Boolean(pk.members) || pk.peerConnected, left))
    }
    if (pk.mutedByPeer) parts.push(text.pk.mutedByThem)
    if (pk.peerMuted && !pk.members) parts.push(text.pk.mutedThem)
    say(this.words, parts.join(' · '))
  }

  /** @param {number} points */
  #add(points) {
    const { acts, pk } = this
    if (!pk) return null
    // In a call gifts are in the same sum.
    return tried(acts.call && acts.has('admin') ? acts.call.pk.addScore(points) : this.sum.add(points, pk.score))
  }

  /** @param {string} method @param {object} [params] */
  #try(method, params) { return tried(this.acts.do(method, params)) }
}
