import RoomEngine
import RoomHTTPServer
import RoomLiveOrigin
import RoomPush
import RoomProtocol
import RoomRelay

extension RoomsPart {
  package func addMetrics(to text: inout PrometheusText) async {
    await addRooms(to: &text)
    ground.counters.addMetrics(to: &text)
    addBroadcasts(await directory.broadcasts.totals(), to: &text)
    text.add("roomserver_players", .gauge, "Files and URLs that rooms play.", directory.players.running)
    addMixes(directory.mixes.totals, await directory.mixes.status(), to: &text)
  }

  private func addRooms(to text: inout PrometheusText) async {
    let rooms = await directory.all.count
    var participants = 0
    var tracks = 0
    var viewers = 0
    var jobs = 0
    let audience = origin.audience
    let summaries = directory.summaries.withLock { $0 }
    for room in summaries.values {
      participants += room.participants
      tracks += room.tracks
      viewers += room.viewers + (room.watchedStream.flatMap { audience[$0] } ?? 0)
      jobs += room.jobs.count
    }
    text.add("roomserver_draining", .gauge, "1 while the server is draining.", await directory.drain == nil ? 0 : 1)
    text.add("roomserver_rooms", .gauge, "Open rooms.", rooms)
    text.add("roomserver_participants", .gauge, "Participants in all rooms.", participants)
    text.add(
      "roomserver_viewers", .gauge,
      "People who watch rooms, each once: by WHEP, as participants that only receive, and by the rooms' streams.",
      viewers)
    addAudience(of: summaries.values, audience, to: &text)
    text.add("roomserver_jobs", .gauge, "Relay jobs in all rooms.", jobs)
    text.add("roomserver_published_tracks", .gauge, "Published tracks in all rooms.", tracks)
    text.add(
      "roomserver_kicked_tokens", .gauge, "Revoked tokens of kicked users.",
      directory.kicked.withLock { $0.count })
  }

  /// The maximum number of rooms that metrics name.
  private static let namedRooms = 100

  private func addAudience(
    of rooms: some Collection<RoomSummary>, _ audience: [StreamPath: Int], to text: inout PrometheusText
  ) {
    let watched = rooms.map { RoomPage.Entry(room: $0, streamViewers: $0.watchedStream.flatMap { audience[$0] }) }
      .filter { $0.viewers > 0 }
    let largest = watched.sorted { ($1.viewers, $0.room.name) < ($0.viewers, $1.room.name) }.prefix(Self.namedRooms)
    text.add(
      "roomserver_room_viewers", .gauge, "People who watch a room, for the \(Self.namedRooms) rooms with the most.",
      label: "room",
      largest.map { ($0.room.name.rawValue, $0.viewers) })
    guard let places else { return }
    var viewers: [AudiencePlace: Int] = [places.own(): origin.audienceHere.values.reduce(0, +)]
    for room in rooms { viewers.merge(places.people(of: room).mapValues(\.viewers), uniquingKeysWith: +) }
    text.add(
      "roomserver_node_viewers", .gauge,
      "People who watch, by the node that serves them: rooms of this node, and the streams of any node that people watch here.",
      labels: ("node", "region"),
      viewers.sorted { $0.key.node < $1.key.node }.map { ("\($0.key.node)", $0.key.region, $0.value) })
  }

  private func addBroadcasts(_ totals: BroadcastTotals, to text: inout PrometheusText) {
    text.add(
      "roomserver_broadcasts", .gauge, "Broadcasts, by the state of their connection.", label: "state",
      PushState.allCases.map { ($0.rawValue, totals.live[$0] ?? 0) })
    text.add("roomserver_broadcast_queue_milliseconds", .gauge, "Media that waits in the fullest send queue.", totals.queued)
    text.add("roomserver_broadcast_sounds", .gauge, "AAC streams of broadcasts.", totals.encodedStreams)
    text.add(
      "roomserver_broadcast_sound_encoders", .gauge, "AAC encoders of broadcasts; those that send the same audio share one.",
      totals.encoders)
    text.add("roomserver_broadcast_bytes_total", .counter, "Bytes pushed.", totals.bytes)
    text.add(
      "roomserver_broadcast_dropped_frames_total", .counter, "Pictures dropped because a server was too slow.",
      totals.droppedFrames)
    text.add("roomserver_broadcast_connections_total", .counter, "Connections on which publishing started.", totals.connections)
    text.add("roomserver_broadcast_takeovers_total", .counter, "Jobs that took over a publish URL.", totals.takeovers)
    text.add(
      "roomserver_broadcast_failures_total", .counter, "Connections that were refused or lost, by cause.", label: "cause",
      PushFailure.causes.map { ($0, totals.failures[$0] ?? 0) })
    let recordings = totals.recordings
    text.add("roomserver_recordings", .gauge, "Recordings in progress.", recordings.live)
    text.add("roomserver_recordings_total", .counter, "Recordings started.", recordings.begun)
    text.add("roomserver_recording_bytes_total", .counter, "Bytes written to recordings.", recordings.bytes)
    text.add(
      "roomserver_recording_dropped_frames_total", .counter, "Pictures left out of recordings because the disk was too slow.",
      recordings.droppedPictures)
    text.add("roomserver_recordings_stored", .gauge, "Recorded files that are listed.", recordings.stored)
    text.add("roomserver_recordings_stored_bytes", .gauge, "Bytes of the listed files.", recordings.storedBytes)
    text.add(
      "roomserver_recordings_unlisted", .gauge, "Recorded files that are not listed because there are too many.",
      recordings.unlisted)
    text.add(
      "roomserver_recordings_deleted_total", .counter, "Recorded files deleted, by reason.", label: "reason",
      RecordingDeletion.allCases.map { ($0.rawValue, recordings.deleted[$0] ?? 0) })
    text.add(
      "roomserver_recording_failures_total", .counter, "Recordings that ended before their broadcast, by cause.",
      label: "cause", RecordingFailure.causes.map { ($0, recordings.failures[$0] ?? 0) })
  }

  private func addMixes(_ totals: MixDirectory.Totals, _ mixes: [LiveMix.Status], to text: inout PrometheusText) {
    text.add("roomserver_mixes", .gauge, "Active mixes.", mixes.count)
    text.add(
      "roomserver_mixes_shared", .gauge, "Mixes that are another room's, because both show and play the same.",
      totals.shared)
    text.add("roomserver_mix_cores", .gauge, "Cores that mixes and their decoders use.", totals.budget.used)
    text.add("roomserver_mix_cores_limit", .gauge, "Cores that mixes may use.", totals.limit)
    text.add("roomserver_mix_refused_total", .counter, "Mixes refused because of the limit of cores.", totals.budget.refused)
    text.add("roomserver_mix_frames_total", .counter, "Frames made by active mixes.", mixes.reduce(0) { $0 + $1.frames })
    text.add(
      "roomserver_mix_skipped_frames_total", .counter, "Frames that active mixes skipped because the machine was too slow.",
      mixes.reduce(0) { $0 + $1.skipped })
    text.add(
      "roomserver_mix_delay_milliseconds", .gauge, "Delay of the slowest mix behind its sources.", mixes.map(\.delay).max() ?? 0
    )
    text.add("roomserver_mix_decoded_tracks", .gauge, "Tracks that are decoded, each once.", totals.decoding.tracks)
    text.add("roomserver_mix_decoded_uses", .gauge, "Uses of decoded tracks by mixes and forwards.", totals.decoding.uses)
    text.add("roomserver_mix_decoded_total", .counter, "Pictures and packets decoded.", totals.decoding.decoded)
    text.add(
      "roomserver_mix_undecodable_total", .counter, "Pictures and packets that could not be decoded.", totals.decoding.broken)
    text.add(
      "roomserver_mix_decoding_cpu_seconds_total", .counter, "Processor time of the decoders.",
      Double(totals.decoding.microseconds) / 1e6)
  }
}
