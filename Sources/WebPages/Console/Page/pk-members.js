// The rooms of a PK of several: their scores, and what a host may do with each of the others.
import { tried } from './dialogs.js'
import { attribute, h, keyed, say } from './dom.js'
import { rowButton } from './fields.js'
import { sideName } from './requests.js'
import { points } from './stage-score.js'
import { text, words } from './text.js'

/** @param {Acts} acts */
export function pkMembers(acts) {
  const node = h('ul', { class: 'pk-members', 'aria-label': text.pk.members, hidden: true })
  /** @type {Wire.PKInfo | undefined} */
  let pk
  let isControlled = false

  /** @param {PKSide} first */
  const member = first => {
    const { room } = first
    let side = first
    const [name, score, state] = [h('b'), h('b', { class: 'number' }), h('small', { class: 'muted' })]
    /** @param {string} method @param {object} [more] */
    const ask = (method, more) => tried(acts.do(method, { room, ...more }))
    const mute = rowButton('mute-member', 'sound', '', () => ask('mutePKPeer', { muted: !side.muted }))
    const muteForAll = rowButton('mute-for-all', 'microphone', '', () => ask('mutePKPeer', { muted: !side.mutedForAll, forAll: true }))
    const remove = rowButton('remove-member', 'kick', text.pk.remove(sideName(first, words.requests)), () => ask('removeFromPK'), 'danger')
    return {
      node: h('li', { data: { room } }, h('span', {}, name, state), score, h('div', { class: 'buttons' }, mute, muteForAll, remove)),
      update: (/** @type {PKSide} */ now) => {
        side = now
        const isOurs = room === acts.room
        const who = sideName(side, words.requests)
        say(name, who)
        say(score, points(side.score))
        say(state, [
          side.won && words.stage.win, isOurs && text.room.you, typeof side.team === 'number' && words.stage.team(side.team), !side.connected && words.stage.away,
          side.mutedForAll ? text.pk.isMutedForAll : side.muted && text.pk.isMuted,
        ].filter(Boolean).join(' · '))
        const rules = acts.isAdmin && !isOurs && (side.invitedBy === acts.room || pk?.members?.[0].room === acts.room)
        mute.hidden = !isControlled || isOurs || side.mutedForAll
        muteForAll.hidden = remove.hidden = !isControlled || !rules
        mute.show(side.muted ? 'sound-off' : 'sound', side.muted ? text.pk.unmute(who) : text.pk.mute(who))
        muteForAll.show(side.mutedForAll ? 'microphone-off' : 'microphone', side.mutedForAll ? text.pk.unmuteForAll(who) : text.pk.muteForAll(who))
        attribute(mute, 'aria-pressed', String(side.muted))
        attribute(muteForAll, 'aria-pressed', String(side.mutedForAll))
      },
    }
  }
  return {
    node,
    /** @param {Wire.PKInfo | undefined} now @param {PKSide[]} sides @param {boolean} mayControl */
    update(now, sides, mayControl) {
      pk = now
      isControlled = mayControl
      node.hidden = !pk?.members
      keyed(node, pk?.members ? sides : [], ({ room }) => room, member)
    },
  }
}
