// A PK over the picture: the bar of the web client, and for a minute afterwards the result.
import { tried } from './dialogs.js'
import { iconButton } from './dom.js'
import { button } from './fields.js'
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
    // Several rooms are invited again as they were; of two, the form lets one change the duration.
    this.rematch = button('rematch', 'again', text.pk.rematch, () => this.#last && tried(this.#last.members ? acts.do('rematchPK') : acts.invitePK(this.#last.room)))
    this.close = iconButton('close', text.common.close, () => {
      if (this.#last) this.#last.endedAt = 0
      this.update(this.#call)
    })
    this.node = this.#bar.node
    this.#bar.result.append(this.rematch, this.close)
  }

  get #last() { return this.#call?.scene.lastPK }

  /** @param {JoinedCall | null} call */
  update(call) {
    this.#call = call
    const last = this.#last
    const pk = call?.scene.now?.pk
    const over = !pk && last && Date.now() - last.endedAt < SHOWN ? last : null
    this.#bar.update(pk ?? over, call)
    if (over) this.#bar.result.hidden = false
    this.close.hidden = !over
    this.rematch.hidden = !over || !this.acts.has('admin')
  }

  // Once a second.
  tick() { this.update(this.#call) }
}
