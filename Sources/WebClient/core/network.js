// What connections carry, as the events `streams` and `networkQuality` say (api/signalling.md §4).

export class Network {
  /** @type {Map<string, StreamState>} */
  #streams = new Map() // by track id
  /** @type {Map<string, UserQuality>} */
  #users = new Map()

  /** Each join, also one that resumes, brings the values again.
   * @internal */
  clear() {
    this.restarted()
    this.#users.clear()
  }

  /** On a new connection everything is active, until an event says otherwise.
   * @internal */
  restarted() { this.#streams.clear() }

  /** @internal
   * @param {StreamState[]} streams */
  takeStreams(streams) { for (const each of streams) this.#streams.set(each.trackId, each) }
  /** @internal
   * @param {UserQuality[]} users */
  takeQualities(users) { for (const each of users) this.#users.set(each.userId, each) }
  /** @internal
   * @param {string} trackId */
  ended(trackId) { this.#streams.delete(trackId) }
  /** @internal
   * @param {string} userId */
  left(userId) { this.#users.delete(userId) }

  /** What the server sends of a received track; undefined if that never changed.
   * @param {string} trackId */
  stream(trackId) { return this.#streams.get(trackId) }
  /** A participant that was never named has a good connection.
   * @param {string} userId @returns {UserQuality} */
  quality(userId) { return this.#users.get(userId) ?? { userId, uplink: 'good', downlink: 'good' } }
}
