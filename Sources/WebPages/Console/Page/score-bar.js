// A PK over the picture: the bar of the web client, and for a minute afterwards the result.
import { h, iconButton, say } from './dom.js'
import { button } from './fields.js'
import { invitePK } from './pk-invite.js'
import { sideName } from './requests.js'
import { stageScore } from './stage-score.js'
import { text, words } from './text.js'

const SHOWN = 60_000

export class ScoreBar {
  /** @type {JoinedCall | null} */
  #call = null
  #bar = stageScore(words.stage, peer => sideName(peer, words.requests))

  /** @param {Acts} acts */
  constructor(acts) {
    this.acts = acts
    this.outcome = h('b', { class: 'score-outcome' })
    this.rematch = button('rematch', 'again', text.pk.rematch, () => this.#last && invitePK(acts, this.#last.room))
    this.result = h('div', { class: 'score-result', role: 'status' }, this.outcome, this.rematch, iconButton('close', text.common.close, () => {
      if (this.#last) this.#last.endedAt = 0
      this.update(this.#call)
    }))
    this.node = this.#bar.node
    this.node.append(this.result)
  }

  get #last() { return this.#call?.scene.lastPK }

  /** @param {JoinedCall | null} call */
  update(call) {
    this.#call = call
    const last = this.#last
    const pk = call?.scene.now?.pk
    const over = !pk && last && Date.now() - last.endedAt < SHOWN ? last : null
    this.#bar.update(pk ?? (over && { ...over, endsAt: undefined }), over?.endedAt)
    this.result.hidden = !over
    delete this.node.dataset.result
    if (!over) return
    const lead = Math.sign(over.score - over.peerScore)
    this.node.dataset.result = lead > 0 ? 'won' : lead < 0 ? 'lost' : 'draw'
    const isOurs = call?.me.userId === over.host
    say(this.outcome, lead === 0 ? text.pk.draw : isOurs ? (lead > 0 ? text.pk.youWon : text.pk.youLost) : text.pk.won(lead > 0 ? over.host : sideName(over, words.requests)))
    this.rematch.hidden = !this.acts.has('admin')
  }

  // Once a second.
  tick() { this.update(this.#call) }
}
