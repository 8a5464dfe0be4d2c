// The bar of a PK: our side's score and that of the best other one, the time, and the outcome. The scores of a team add up.
import { duration } from './duration.js'
import { attribute, h, say } from './markup.js'
import { teamsOf } from './pk-frames.js'
import { clockOf, sidesOf } from './pk-sides.js'

const [whole, short] = [new Intl.NumberFormat(), new Intl.NumberFormat(undefined, { notation: 'compact', maximumSignificantDigits: 5 })]
// 1,234 as it is, and 1234567 as 1.2346M.
/** @param {number} score */
export const points = score => (Math.abs(score) < 1e6 ? whole : short).format(score)

/** @param {import('./room-words.js').Words['stage']} words @param {(side: { userId: string, room: string }) => string} nameOf */
export function stageScore(words, nameOf = ({ userId, room }) => `${userId} · ${room}`) {
  const [own, peer] = ['own', 'peer'].map(side => ({
    name: h('span', { part: 'side', class: 'score-side' }), score: h('b', { part: `score ${side}-score`, class: 'number' }),
  }))
  const clock = h('span', { part: 'clock', class: 'score-clock number', role: 'timer' })
  const share = h('i', { part: 'share' })
  const outcome = h('b', { part: 'outcome', class: 'score-outcome' })
  const result = h('div', { class: 'score-result', role: 'status' }, outcome)
  const node = h('div', { part: 'pk', class: 'score', role: 'group', 'aria-label': words.pk, hidden: true },
    h('span', { class: 'own' }, own.name, own.score), clock, h('span', { class: 'peer' }, peer.score, peer.name), h('span', { class: 'score-line', 'aria-hidden': 'true' }, share), result)

  /** @param {PKSide[]} sides @param {boolean} isAnchor */
  const ended = ([ours, ...others], isAnchor) => {
    const teams = teamsOf([ours, ...others].filter(({ won }) => won))
    const names = teams.map(team => team.map(side => side === ours ? side.userId : nameOf(side)).join(', ')).join(' : ')
    attribute(node, 'data-result', !names ? null : teams.length > 1 ? 'draw' : ours.won ? 'won' : 'lost')
    if (!names) return ''
    if (teams.length > 1) return others.length > 1 ? `${words.draw}: ${names}` : words.draw
    return !isAnchor ? words.won(names) : ours.won ? words.youWon : others.length > 1 ? words.won(names) : words.youLost
  }
  return {
    node, result,
    /**
     * Shows a PK as it is at a time; null for none.
     * @param {Wire.PKInfo & Partial<LastPK> | null} pk @param {{ name: string, me: { userId: string } | null } | null} room @param {number} [now]
     */
    update(pk, room, now = Date.now()) {
      node.hidden = !pk || !room
      if (!pk || !room) return
      const sides = sidesOf(pk, room.name)
      const teams = teamsOf(sides).map(team => ({
        name: team.map(side => side === sides[0] ? side.userId : nameOf(side)).join(', '), score: team.reduce((sum, { score }) => sum + score, 0),
      }))
      const [ours, ...others] = teams
      const best = others.reduce((best, each) => each.score > best.score ? each : best, others[0] ?? { name: '', score: 0 })
      say(own.name, ours.name)
      say(peer.name, best.name)
      say(own.score, points(ours.score))
      say(peer.score, points(best.score))
      const [left, all] = [Math.max(0, ours.score), teams.reduce((sum, { score }) => sum + Math.max(0, score), 0)]
      share.style.setProperty('width', `${all ? Math.round(100 * left / all) : 50}%`)
      const { kind, ms } = clockOf(pk, now)
      say(clock, kind === 'punishment' ? `${words.punishment} ${duration(ms)}` : duration(ms))
      clock.classList.toggle('runs-out', kind === 'left' && ms < 10_000)
      attribute(clock, 'title', words[kind])
      say(outcome, ended(sides, room.me?.userId === pk.host))
      result.hidden = !outcome.textContent
    },
  }
}
