// The bar of a PK: both sides' scores, and the time.
import { duration } from './duration.js'
import { attribute, h, say } from './markup.js'

const [whole, short] = [new Intl.NumberFormat(), new Intl.NumberFormat(undefined, { notation: 'compact', maximumSignificantDigits: 5 })]
// 1,234 as it is, and 1234567 as 1.2346M.
/** @param {number} score */
const points = score => (Math.abs(score) < 1e6 ? whole : short).format(score)

/** @param {import('./room-words.js').Words['stage']} words @param {(peer: { userId: string, room: string }) => string} nameOf */
export function stageScore(words, nameOf = ({ userId, room }) => `${userId} · ${room}`) {
  const [own, peer] = ['own', 'peer'].map(side => ({
    name: h('span', { part: 'side', class: 'score-side' }), score: h('b', { part: `score ${side}-score`, class: 'number' }),
  }))
  const clock = h('span', { part: 'clock', class: 'score-clock number', role: 'timer' })
  const share = h('i', { part: 'share' })
  const node = h('div', { part: 'pk', class: 'score', role: 'group', 'aria-label': words.pk, hidden: true },
    h('span', { class: 'own' }, own.name, own.score), clock, h('span', { class: 'peer' }, peer.score, peer.name), h('span', { class: 'score-line', 'aria-hidden': 'true' }, share))
  return {
    node,
    // Shows a PK as it is at a time; null for none.
    /** @param {Wire.PKInfo | null} pk @param {number} [now] */
    update(pk, now = Date.now()) {
      node.hidden = !pk
      if (!pk) return
      say(own.name, pk.host)
      say(peer.name, nameOf(pk))
      say(own.score, points(pk.score))
      say(peer.score, points(pk.peerScore))
      const [left, right] = [Math.max(0, pk.score), Math.max(0, pk.peerScore)]
      share.style.setProperty('width', `${left + right ? Math.round(100 * left / (left + right)) : 50}%`)
      say(clock, duration(pk.endsAt ? pk.endsAt - now : now - pk.startedAt))
      clock.classList.toggle('runs-out', Boolean(pk.endsAt && pk.endsAt - now < 10_000))
      attribute(clock, 'title', pk.endsAt ? words.left : words.elapsed)
    },
  }
}
