// What a tile says of its side in a PK of several rooms: the team, the score, and who won.
import { h, say } from './markup.js'
import { points } from './stage-score.js'

/** @param {import('./room-words.js').Words['stage']} words */
export function tileScore(words) {
  const win = h('b', { part: 'win', class: 'win' }, words.win)
  const [team, score] = [h('span', { part: 'team' }), h('b', { part: 'points', class: 'number' })]
  const node = h('span', { class: 'tile-score', hidden: true }, win, team, score)
  return {
    node,
    /** @param {PKSide | null} [side] */
    update(side) {
      node.hidden = !side
      if (!side) return
      win.hidden = !side.won
      team.hidden = typeof side.team !== 'number'
      say(team, words.team(side.team ?? 0))
      say(score, points(side.score))
    },
    // The same for screen readers.
    /** @param {PKSide | null} [side] */
    words: side => side ? [side.won && words.win, typeof side.team === 'number' && words.team(side.team), words.score(points(side.score))].filter(Boolean).join(', ') : '',
  }
}
