// A PK over the picture: both sides' scores and the time, and for a minute afterwards the result.
import { sideName } from './asks.js'
import { h, icon, iconButton, say } from './dom.js'
import { count, duration } from './format.js'
import { invitePK, timeLeft } from './pk-invite.js'
import { text } from './text.js'

const SHOWN = 60_000

export class ScoreBar {
  /** @type {Wire.PKInfo | undefined} */
  #pk
  /** @type {JoinedCall | null} */
  #call = null

  /** @param {Acts} acts */
  constructor(acts) {
    this.acts = acts
    this.sides = ['own', 'peer'].map(name => ({ name: h('span'), score: h('b', { class: 'number' }), side: name }))
    this.share = h('i')
    this.clock = h('span', { class: 'score-clock number', role: 'timer' })
    this.outcome = h('b', { class: 'score-outcome' })
    this.rematch = h('button', { type: 'button', class: 'button small', data: { action: 'rematch' }, on: { click: () => this.#again() } }, icon('again', 'small'), text.pk.rematch)
    const close = iconButton('close', text.common.close, () => {
      const { lastPK } = this.#call?.scene ?? {}
      if (lastPK) lastPK.endedAt = 0
      this.update(this.#call)
    })
    this.result = h('div', { class: 'score-result', role: 'status' }, this.outcome, this.rematch, close)
    const [own, peer] = this.sides
    this.node = h('div', { class: 'score', hidden: true },
      h('div', { class: 'own' }, own.name, own.score), this.clock, h('div', { class: 'peer' }, peer.score, peer.name),
      h('div', { class: 'score-line', 'aria-hidden': 'true' }, this.share), this.result)
  }

  /** @param {JoinedCall | null} call */
  update(call) {
    this.#call = call
    const pk = this.#pk = call?.scene.now?.pk
    const last = call?.scene.lastPK
    const over = !pk && last && Date.now() - last.endedAt < SHOWN ? last : null
    const shown = pk ?? over
    this.node.hidden = !shown
    if (!shown) return
    const [own, peer] = this.sides
    say(own.name, shown.host)
    say(peer.name, sideName(shown))
    say(own.score, count(shown.score))
    say(peer.score, count(shown.peerScore))
    const [left, right] = [Math.max(0, shown.score), Math.max(0, shown.peerScore)]
    this.share.style.transform = `scaleX(${left + right ? (left / (left + right)).toFixed(3) : 0.5})`
    this.result.hidden = !over
    if (over) {
      const isOurs = call?.me.userId === over.host
      const lead = Math.sign(over.score - over.peerScore)
      this.node.dataset.result = lead > 0 ? 'won' : lead < 0 ? 'lost' : 'draw'
      say(this.outcome, lead === 0 ? text.pk.draw : isOurs ? (lead > 0 ? text.pk.youWon : text.pk.youLost) : text.pk.won(lead > 0 ? over.host : sideName(over)))
      this.rematch.hidden = !this.acts.has('admin')
    } else delete this.node.dataset.result
    this.tick()
  }

  // Once a second.
  tick() {
    const pk = this.#pk
    if (!pk) {
      const { lastPK } = this.#call?.scene ?? {}
      if (lastPK && !this.node.hidden && Date.now() - lastPK.endedAt >= SHOWN) this.node.hidden = true
      return say(this.clock, lastPK ? duration(lastPK.endedAt ? lastPK.endedAt - lastPK.startedAt : 0) : '')
    }
    const left = timeLeft(this.#call?.scene.now)
    this.clock.classList.toggle('runs-out', left !== null && left < 10_000)
    say(this.clock, left === null ? duration(Date.now() - pk.startedAt) : duration(left))
    this.clock.title = left === null ? text.pk.elapsed : text.pk.left
  }

  #again() {
    const { lastPK } = this.#call?.scene ?? {}
    if (lastPK) invitePK(this.acts, lastPK.room)
  }
}
