// The sides of a PK, ours first, and its time. A PK of two has no members: its two sides are made here.

/** @param {Wire.PKInfo & Partial<LastPK>} pk @param {string} own Our room. @returns {PKSide[]} */
export function sidesOf(pk, own) {
  const { result, endedAt, score, peerScore } = pk
  const members = pk.members?.some(({ room }) => room === own) && pk.members
  // The server decides who wins among several rooms. Of two it says nothing: the higher score wins at the end.
  const pair = [
    { room: own, userId: pk.host, score, connected: pk.connected, muted: false, mutedForAll: false },
    { room: pk.room, userId: pk.userId, score: peerScore, connected: pk.peerConnected, muted: pk.peerMuted, mutedForAll: false },
  ]
  const sides = (members || pair).map(side => ({ ...side, won: result ? result.winners.includes(side.room) : !members && Boolean(endedAt) && side.score === Math.max(score, peerScore) }))
  return [...sides.filter(({ room }) => room === own), ...sides.filter(({ room }) => room !== own)]
}

// The sides in the order of their parts of the picture: ours first, or with the rule `sameOrder` that of all rooms.
/** @param {Wire.PKInfo & Partial<LastPK>} pk @param {string} own Our room. @returns {PKSide[]} */
export function shownOf(pk, own) {
  const sides = sidesOf(pk, own)
  if (!pk.members || !pk.rules?.sameOrder) return sides
  return pk.members.flatMap(({ room }) => sides.find(side => side.room === room) ?? [])
}

// What the clock shows: the rest until the end, after the result that of the punishment; without an end, and of a PK that is over, how long it takes.
/** @param {Wire.PKInfo & Partial<LastPK>} pk @param {number} now @returns {{ kind: 'left' | 'punishment' | 'elapsed', ms: number }} */
export function clockOf({ startedAt, endsAt, endedAt, rules, result }, now) {
  if (!endsAt || endedAt) return { kind: 'elapsed', ms: (endedAt ?? now) - startedAt }
  const end = result ? endsAt + (rules?.punishment ?? 0) * 1000 : endsAt
  return { kind: result ? 'punishment' : 'left', ms: Math.max(0, end - now) }
}
