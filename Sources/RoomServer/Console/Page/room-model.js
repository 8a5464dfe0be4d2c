// A room as its view shows it: REST data if available, combined with our own call's.

const LENGTH = 90

export class RoomModel {
  people = []
  tracks = []
  #history = new Map() // kbps by track id, newest last

  // From REST: `room` and `statistics` are the answers' bodies. Our own measurements add what the server can't measure.
  fromApi(room, statistics, call) {
    const told = new Map(statistics.participants.map(each => [each.userId, each]))
    this.people = room.participants.map(participant => {
      const { publishing, subscribing, receiving } = told.get(participant.userId) ?? {}
      return {
        userId: participant.userId, grants: participant.grants, joinedAt: participant.joinedAt, connected: participant.connected,
        isMe: call?.me?.userId === participant.userId, tracks: participant.tracks,
        rtt: publishing?.roundTripMs ?? subscribing?.roundTripMs, up: publishing?.receiveKbps ?? 0, down: subscribing?.sendKbps ?? 0,
        loss: receiving?.fractionLost ?? 0,
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
  fromCall(call) {
    const all = call?.isOn ? [{ ...call.me, isMe: true, tracks: ownTracks(call) }, ...call.participants.values()] : []
    this.people = all.map(participant => ({
      userId: participant.userId, grants: participant.grants, joinedAt: participant.joinedAt, connected: participant.connected,
      isMe: participant.isMe ?? false, tracks: participant.tracks, speaking: call.speakers.includes(participant.userId),
    }))
    this.#takeTracks(this.people.flatMap(person => person.tracks.map(track => {
      const { kbps = 0, fps = 0, loss = 0, jitter = 0, rtt } = call.statistics.get(track.trackId) ?? {}
      return { ...this.#row(person, track, call), kbps, fps, loss, jitter, rtt, level: call.levels.get(track.trackId) ?? -127 }
    })))
  }

  #row(person, track, call) {
    const seen = call?.statistics.get(track.trackId)
    return {
      trackId: track.trackId, userId: person.userId, isMe: person.isMe, kind: track.kind, tag: track.tag, codec: track.codec, muted: track.muted,
      width: seen?.width ?? track.width, height: seen?.height ?? track.height,
    }
  }

  #takeTracks(tracks) {
    const before = this.#history
    this.#history = new Map()
    for (const track of tracks) {
      track.history = [...before.get(track.trackId) ?? [], track.muted ? 0 : track.kbps].slice(-LENGTH)
      this.#history.set(track.trackId, track.history)
    }
    this.tracks = tracks
  }
}

// Our own tracks, in the form in which the server describes the others'.
const ownTracks = call => [...call.local.values()].filter(each => each.trackId).map(({ trackId, kind, tag, muted, track }) => {
  const { width, height } = track?.getSettings() ?? {}
  return { trackId, kind, tag, muted, width, height, codec: call.statistics.get(trackId)?.codec?.toLowerCase() }
})
