// What the app has chosen to receive. A session that starts anew is asked for the same.

/** @typedef {{ trackIds?: string[], userIds?: string[] }} Selection */

export class Choices {
  /** @type {Map<string, Reception>} */
  receptions = new Map() // by track id
  /** @type {Map<string, boolean>} */
  #tracks = new Map() // whether it is wanted, by track id
  /** @type {Map<string, boolean>} */
  #users = new Map()

  /** @param {Selection} selection @param {boolean} wanted */
  select({ trackIds = [], userIds = [] }, wanted) {
    for (const id of trackIds) this.#tracks.set(id, wanted)
    for (const id of userIds) this.#users.set(id, wanted)
  }

  // The server forgets these too.
  /** @param {string} trackId */
  ended(trackId) {
    this.receptions.delete(trackId)
    this.#tracks.delete(trackId)
  }
  /** @param {string} userId */
  left(userId) { this.#users.delete(userId) }

  // The requests that repeat the choices, for those who are still there.
  /** @param {Wire.Participant[]} participants @returns {Array<{ method: string, params: object }>} */
  repeated(participants) {
    const users = new Set(participants.map(({ userId }) => userId))
    const tracks = new Set(participants.flatMap(each => each.tracks.map(({ trackId }) => trackId)))
    for (const trackId of [...this.receptions.keys(), ...this.#tracks.keys()]) if (!tracks.has(trackId)) this.ended(trackId)
    for (const userId of this.#users.keys()) if (!users.has(userId)) this.left(userId)
    /** @param {Map<string, boolean>} choices @param {boolean} wanted */
    const ids = (choices, wanted) => [...choices].flatMap(([id, is]) => is === wanted ? id : [])
    const selected = [true, false].flatMap(wanted => {
      const params = { trackIds: ids(this.#tracks, wanted), userIds: ids(this.#users, wanted) }
      return params.trackIds.length || params.userIds.length ? { method: wanted ? 'subscribe' : 'unsubscribe', params } : []
    })
    return this.receptions.size ? [...selected, { method: 'setReception', params: { tracks: [...this.receptions.values()] } }] : selected
  }
}
