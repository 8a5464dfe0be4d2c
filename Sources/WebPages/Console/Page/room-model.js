// A room as its view shows it: REST data if available, combined with our own call's.

const LENGTH = 90

export class RoomModel {
  /** @type {Person[]} */
  people = []
  /** @type {TrackRow[]} */
  tracks = []
  /** @type {Map<string, number[]>} */
  #history = new Map() // kbps by track id, newest last

  // From REST: `room` and `statistics` are the answers' bodies. Our own measurements add what the server can't measure.
  /** @param {Wire.RoomDetail} room @param {Wire.RoomStatistics} statistics @param {Call | null} call */
  fromApi(room, statistics, call) {
    const told = new Map(statistics.participants.map(each => [each.userId, each]))
    this.people = room.participants.map(participant => {
      const { publishing, subscribing, receiving } = told.get(participant.userId) ?? {}
      return {
        userId: participant.userId, grants: participant.grants, joinedAt: participant.joinedAt, connected: participant.connected,
        isMe: call?.me?.userId === participant.userId, tracks: participant.tracks,
        rtt: publishing?.roundTripMs ?? subscribing?.roundTripMs, up: publishing?.receiveKbps ?? 0, down: subscribing?.sendKbps ?? 0,
        loss: receiving?.fractionLost ?? 0, target: subscribing?.targetKbps, queue: subscribing?.queueMs, paced: subscribing?.paced,
        speaking: statistics.activeSpeakers.includes(participant.userId),
      }
    })
    this.#takeTracks(this.people.flatMap(person => {
      const measured = new Map(told.get(person.userId)?.tracks.map(each => [each.trackId, each]))
      return person.tracks.map(track => {
        const { kbps = 0, fps = 0, fractionLost = 0, jitterMs = 0, audioLevel = -127, subscriptions = 0 } = measured.get(track.trackId) ?? {}
        return { ...this.#row(person, track, call), kbps, fps, loss: fractionLost, jitter: jitterMs, rtt: person.rtt, level: audioLevel, receivers: subscriptions }
      })
    }))
  }

  // From a call alone, with a room token: what we measure of received media.
  /** @param {Call | null} call */
  fromCall(call) {
    if (!call?.isOn) {
      this.people = []
      return this.#takeTracks([])
    }
    const { me } = /** @type {JoinedCall} */ (call)
    const all = [{ ...me, isMe: true, tracks: ownTracks(call) }, ...[...call.participants.values()].map(each => ({ ...each, isMe: false }))]
    this.people = all.map(participant => ({
      userId: participant.userId, grants: participant.grants, joinedAt: participant.joinedAt, connected: participant.connected,
      isMe: participant.isMe, tracks: participant.tracks, speaking: call.speakers.includes(participant.userId),
    }))
    this.#takeTracks(this.people.flatMap(person => person.tracks.map(track => {
      const { kbps = 0, fps = 0, loss = 0, jitter = 0, rtt } = call.statistics.get(track.trackId) ?? {}
      return { ...this.#row(person, track, call), kbps, fps, loss, jitter, rtt, level: call.levels.get(track.trackId) ?? -127 }
    })))
  }

  /** @param {Person} person @param {PersonTrack} track @param {Call | null} call */
  #row(person, track, call) {
    const seen = call?.statistics.get(track.trackId)
    return {
      trackId: track.trackId, userId: person.userId, isMe: person.isMe, kind: track.kind, tag: track.tag, codec: track.codec, muted: track.muted,
      width: seen?.width ?? track.width, height: seen?.height ?? track.height,
    }
  }

  /** @param {Array<Omit<TrackRow, 'history'>>} tracks */
  #takeTracks(tracks) {
    const before = this.#history
    this.#history = new Map()
    this.tracks = tracks.map(track => ({ ...track, history: [...before.get(track.trackId) ?? [], track.muted ? 0 : track.kbps].slice(-LENGTH) }))
    for (const { trackId, history } of this.tracks) this.#history.set(trackId, history)
  }
}

// Our own tracks, in the form in which the server describes the others'.
/** @param {Call} call @returns {PersonTrack[]} */
const ownTracks = call => [...call.localTracks.values()].flatMap(({ trackId, kind, tag, muted, track }) => {
  if (!trackId) return []
  const { width, height } = track?.getSettings() ?? {}
  return [{ trackId, kind, tag, muted, width, height, codec: call.statistics.get(trackId)?.codec?.toLowerCase() }]
})
