// <room-stage>: who is on the stage of a room, in the frames of its layout, and a running PK.
import { keyed } from './keyed.js'
import { attribute, define, h } from './markup.js'
import { RoomElement } from './room-element.js'
import { wordsFor } from './room-words.js'
import { stageOf } from './stage-people.js'
import { stageScore } from './stage-score.js'
import { style } from './stage-sheet.js'
import { stageTile } from './stage-tile.js'

/** @typedef {import('./stage-people.js').Place} Place */

/**
 * The stage of a room. Set `room` to a Room. Each seat's participant has a tile in its frame of the room's layout; others that publish have tiles below. Our own
 * camera is a preview. During a PK the anchors are where its viewers see them, ours first, under the scores, the time and the outcome; of several rooms, each tile has its score. A click or
 * the Enter key enlarges a tile. Style it by ::part(tile), (video), (face), (name), (owner), (state), (muted), (quality), (level), (caption), (enlarge), (points), (team), (win), (canvas), (others), (pk),
 * (side), (score), (clock), (share), (outcome),
 * and --room-stage-height, -font, -gap, -radius, -background, -own, -peer and -speaking.
 */
export class RoomStageElement extends RoomElement {
  static news = ['change', 'activeSpeakers', 'audioLevels']

  /** @type {string | null} */
  #large = null
  /** @type {ReturnType<typeof stageScore> | undefined} */
  #score
  /** @type {number | undefined} */
  #clock

  /** The user whose tile is enlarged; null for nobody. */
  get enlarged() { return this.#large }
  set enlarged(userId) {
    if (this.#large === userId) return
    const before = this.#large
    this.#large = userId
    if (this.isConnected) this.draw()
    // The tile may be a new one, and the focus stays on its participant.
    const user = userId ?? before
    for (const tile of this.shadowRoot?.querySelectorAll('li') ?? []) if (tile.dataset.user === user) tile.querySelector('button')?.focus()
  }

  draw() {
    const words = wordsFor(this)
    const root = this.tree(style, () => {
      this.#score = stageScore(words.stage)
      this.addEventListener('keydown', ({ key }) => { if (key === 'Escape') this.enlarged = null })
      return [this.#score.node, h('ul', { part: 'canvas', class: 'canvas', 'aria-label': words.stage.stage }), h('ul', { part: 'others', class: 'others', 'aria-label': words.stage.others })]
    })
    const { room } = this
    const [canvas, rest] = /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll('ul'))
    const { ratio, places, others } = room ? stageOf(room) : { ratio: 16 / 9, places: [], others: [] }
    const large = [...places, ...others].find(({ userId }) => userId && userId === this.#large)
    if (!large) this.#large = null
    else if (others.includes(large)) others.splice(others.indexOf(large), 1), places.push(large)
    this.style.setProperty('--ratio', String(ratio))
    canvas.hidden = !places.length
    rest.hidden = !others.length
    this.#fill(canvas, places, words.stage)
    this.#fill(rest, others, words.stage)
    attribute(canvas, 'data-large', large !== undefined)
    const pk = room?.isOn ? room.pk.current : null
    this.#score?.update(pk, room)
    if (pk) this.#clock ??= setInterval(() => this.#score?.update(this.room?.pk.current ?? null, this.room), 500)
    else this.#stopClock()
  }

  /** @param {HTMLElement} list @param {Place[]} places @param {import('./room-words.js').Words['stage']} words */
  #fill(list, places, words) {
    const { room } = this
    keyed(list, places, ({ key }) => key, first => {
      const tile = stageTile(first, { room: /** @type {Room} */ (room), words, enlarge: userId => { this.enlarged = this.#large === userId ? null : userId } })
      return { ...tile, update: (/** @type {Place} */ now) => tile.update(now, now.userId !== '' && now.userId === this.#large) }
    })
  }

  release() {
    for (const list of this.shadowRoot?.querySelectorAll('ul') ?? []) keyed(list, [], String, () => { throw new Error('no item') })
    this.#large = null
    this.#stopClock()
  }

  #stopClock() {
    clearInterval(this.#clock)
    this.#clock = undefined
  }
}

define('room-stage', RoomStageElement)
