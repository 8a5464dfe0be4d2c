// The parameters of an invitation to a PK. One room without teams and rules is invited to a PK of two.

/**
 * `teams` has the numbers of those rooms that do not play alone, also that of our own one. With `pkId` the rooms join the PK that runs.
 * @param {{ own: string, rooms: string[], teams: Map<string, number>, minutes: number, punishment: number, overtime: number, pkId?: string }} given
 * @returns {Wire.PKInviteParams}
 */
export function inviteParams({ own, rooms, teams, minutes, punishment, overtime, pkId }) {
  /** @param {string} room */
  const invitee = room => ({ room, ...teams.has(room) && { team: teams.get(room) } })
  const others = rooms.slice(1).map(invitee)
  const invited = { ...invitee(rooms[0]), ...others.length && { others } }
  if (pkId) return { ...invited, pkId }
  return {
    ...invited, ...teams.has(own) && { ownTeam: teams.get(own) },
    ...minutes && { duration: minutes * 60 },
    ...(punishment || overtime) && { rules: { ...punishment && { punishment }, ...overtime && { overtime } } },
  }
}
