// The frames of the sides in the picture of a PK, as the server composes the picture (docs/pk.md), and the teams of the sides.

// The teams of a PK in the order of their sides. A side without a team is one of its own.
/** @template {{ team?: number | null }} S @param {S[]} sides @returns {S[][]} */
export function teamsOf(sides) {
  /** @type {Map<unknown, S[]>} */
  const teams = new Map()
  for (const side of sides) {
    const key = side.team ?? side
    teams.set(key, [...teams.get(key) ?? [], side])
  }
  return [...teams.values()]
}

// Two teams face each other, and so do three sides, the first one alone; others fill rows.
/** @template {{ team?: number | null }} S @param {S[]} sides @param {boolean} isLandscape @returns {S[][]} */
function columnsOf(sides, isLandscape) {
  const teams = teamsOf(sides)
  if (teams.length === 2 && sides.every(({ team }) => typeof team === 'number')) return teams
  if (sides.length <= 3) return [sides.slice(0, 1), sides.slice(1)]
  const count = sides.length > 6 || (sides.length > 4 && isLandscape) ? 3 : 2
  return Array.from({ length: count }, (_, column) => sides.filter((_, index) => index % count === column))
}

/** @param {Array<{ team?: number | null }>} sides In the order of the picture. @param {boolean} isLandscape @returns {Wire.Frame[]} */
export function framesOf(sides, isLandscape) {
  const columns = columnsOf(sides, isLandscape)
  return sides.map(side => {
    const column = columns.findIndex(each => each.includes(side))
    const { length } = columns[column]
    return { x: column / columns.length, y: columns[column].indexOf(side) / length, width: 1 / columns.length, height: 1 / length }
  })
}
