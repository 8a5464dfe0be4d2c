import RoomCLinux
import RoomHTTPServer
import RoomLiveOrigin
import RoomOriginServer
import RoomPush
import RoomRelay
import RoomEngine
import RoomSFU
import RoomWebhooks

/// Collects the metrics of `/metrics`.
struct MetricsReport: Sendable {
  let directory: RoomDirectory
  let plane: MediaPlane
  let counters: ServerCounters
  let requests: HTTPCounters
  let origin: Origin
  let hls: HLSDirectory
  let variants: VariantDirectory
  /// Nil on a server that is no node of a cluster.
  let pulls: PullDirectory?
  let events: EventLog
  let history: History
  let downloads: Downloads
  /// Nil if the server takes no uploads.
  let uploads: UploadStore?
  let alarms: AlarmWatch
  /// Nil on a server that is no node of a cluster.
  let cluster: Cluster?
  let links: NodeLinks?
  let edges: EdgeCounters
  let egresses: Egresses
  let carriage: CarriageCounters
  let agents: AgentDispatches
  /// Nil without TLS.
  let certificate: CurrentCertificate?

  func text() async -> String {
    var text = PrometheusText()
    await addRooms(to: &text)
    if let store = directory.store { addStore(store, to: &text) }
    addControl(to: &text)
    addMedia(await plane.counters(), to: &text)
    addBroadcasts(await directory.broadcasts.totals(), to: &text)
    text.add("roomserver_players", .gauge, "Files and URLs that rooms play.", directory.players.running)
    addMixes(directory.mixes.totals, await directory.mixes.status(), to: &text)
    addLoad(await alarms.load, directory.mixes.totals, to: &text)
    origin.addMetrics(to: &text)
    hls.addMetrics(to: &text)
    variants.addMetrics(to: &text)
    pulls?.addMetrics(to: &text)
    uploads?.tally.addMetrics(to: &text)
    await events.addMetrics(to: &text)
    await history.addMetrics(to: &text)
    cluster?.addMetrics(to: &text)
    links?.addMetrics(to: &text)
    if cluster != nil {
      edges.addMetrics(to: &text)
      carriage.addMetrics(to: &text)
    }
    egresses.addMetrics(to: &text)
    await agents.addMetrics(to: &text)
    addAlarms(await alarms.report.active, to: &text)
    if let certificate {
      text.add(
        "roomserver_certificate_expires_timestamp_seconds", .gauge, "When the TLS certificate expires, since 1970.",
        Int(certificate.certificate.expires.timeIntervalSince1970))
    }
    text.add("process_open_fds", .gauge, "Open file descriptors.", linux_open_descriptors())
    text.add("process_resident_memory_bytes", .gauge, "Resident memory.", linux_resident_bytes())
    text.add(
      "process_cpu_seconds_total", .counter, "User and system time of this process.", ProcessClock.seconds)
    return text.text
  }

  private func addAlarms(_ active: [Alarm], to text: inout PrometheusText) {
    let series = Alarm.Kind.allCases.flatMap { kind in Alarm.Severity.allCases.map { (kind, $0) } }
    text.add(
      "roomserver_alarms", .gauge, "Active alarms, by kind and severity.", labels: ("kind", "severity"),
      series.map { kind, severity in
        (kind.rawValue, severity.rawValue, active.count { $0.subject.kind == kind && $0.severity == severity })
      })
  }

  private func addRooms(to text: inout PrometheusText) async {
    let rooms = await directory.all
    var participants = 0
    var tracks = 0
    var viewers = 0
    var jobs = 0
    let audience = origin.audience
    let summaries = directory.summaries.withLock { $0 }
    for room in rooms {
      let counts = await room.read(\.counts)
      participants += counts.participants
      tracks += counts.tracks
      viewers += counts.viewers + (summaries[room.name]?.watchedStream.flatMap { audience[$0] } ?? 0)
      jobs += await room.read(\.jobList.count)
    }
    text.add("roomserver_draining", .gauge, "1 while the server is draining.", await directory.drain == nil ? 0 : 1)
    text.add("roomserver_rooms", .gauge, "Open rooms.", rooms.count)
    text.add("roomserver_participants", .gauge, "Participants in all rooms.", participants)
    text.add(
      "roomserver_viewers", .gauge,
      "People who watch rooms, each once: by WHEP, as participants that only receive, and by the rooms' streams.",
      viewers)
    text.add("roomserver_jobs", .gauge, "Relay jobs in all rooms.", jobs)
    text.add("roomserver_published_tracks", .gauge, "Published tracks in all rooms.", tracks)
    text.add(
      "roomserver_kicked_tokens", .gauge, "Revoked tokens of kicked users.",
      directory.kicked.withLock { $0.count })
  }

  private func addStore(_ store: StoreWriter, to text: inout PrometheusText) {
    let counters = store.counters
    text.add("roomserver_store_waiting", .gauge, "Changes that are not written yet.", store.waiting)
    text.add("roomserver_store_writes_total", .counter, "Store transactions.", counters.writes)
    text.add("roomserver_store_rooms_total", .counter, "Rooms written in store transactions.", counters.rooms)
    text.add("roomserver_store_bytes_total", .counter, "Bytes written in store transactions.", counters.bytes)
    text.add("roomserver_store_failures_total", .counter, "Store transactions that failed and were retried.", counters.failures)
    text.add(
      "roomserver_store_lost_total", .counter, "Changes dropped because the store failed for too long.", counters.lost)
    text.add(
      "roomserver_store_early_answers_total", .counter,
      "Answers sent before their change was on disk, because the store failed or took too long.", counters.earlyAnswers)
    text.add("roomserver_store_slowest_milliseconds", .gauge, "Duration of the slowest transaction.", counters.slowest)
  }

  private func addControl(to text: inout PrometheusText) {
    let (values, requests) = (counters.values, requests.values)
    func byCode(_ counts: [Int: Int]) -> [(String, Int64)] {
      counts.sorted { $0.key < $1.key }.map { ("\($0.key)", Int64($0.value)) }
    }
    text.add(
      "roomserver_http_requests_total", .counter, "HTTP requests answered, by status.", label: "status",
      byCode(requests.requests))
    text.add("roomserver_signalling_sockets", .gauge, "Open signalling sockets.", values.sockets)
    text.add("roomserver_signalling_sockets_total", .counter, "Signalling sockets opened.", values.socketsOpened)
    text.add("roomserver_signalling_sockets_dead_total", .counter, "Signalling sockets closed for silence.", values.socketsDead)
    text.add("roomserver_signalling_messages_received_total", .counter, "Signalling messages read.", values.messagesReceived)
    text.add("roomserver_signalling_messages_sent_total", .counter, "Signalling messages sent.", values.messagesSent)
    text.add(
      "roomserver_signalling_messages_malformed_total", .counter, "Signalling messages that were not valid requests.",
      values.messagesMalformed)
    text.add(
      "roomserver_data_refused_total", .counter,
      "Messages over data channels that were malformed or that the sender may not send.", values.dataRefused)
    text.add(
      "roomserver_signalling_messages_unwritable_total", .counter, "Answers and events that could not be encoded, a defect.",
      values.messagesUnwritable)
    text.add(
      "roomserver_signalling_errors_total", .counter, "Errors sent over signalling, by code.", label: "code",
      byCode(values.errors))
    text.add("roomserver_joins_total", .counter, "Joins, by the code of their result.", label: "code", byCode(values.joins))
    text.add("roomserver_resumes_total", .counter, "Sessions resumed.", values.resumes)
    text.add("roomserver_kicks_total", .counter, "Participants kicked.", values.kicks)
    text.add("roomserver_whip_sessions_total", .counter, "WHIP sessions started.", values.whipSessions)
    text.add("roomserver_whep_sessions_total", .counter, "WHEP sessions started.", values.whepSessions)
    text.add(
      "roomserver_ingests_total", .counter, "Streams of encoders admitted to rooms, by protocol.", label: "protocol",
      EncoderProtocol.allCases.map { ($0.rawValue, values.ingests[$0] ?? 0) })
    text.add(
      "roomserver_ingests_forwarded_total", .counter, "Streams of encoders passed to the node of their room.",
      values.forwardedIngests)
    text.add(
      "roomserver_ingest_faults_total", .counter, "Streams of encoders ended because a room can't convert them, by protocol.",
      label: "protocol", EncoderProtocol.allCases.map { ($0.rawValue, values.ingestFaults[$0] ?? 0) })
    text.add(
      "roomserver_ingests_transcoded_total", .counter, "Streams of encoders whose video was transcoded for a room.",
      values.transcodedIngests)
    text.add(
      "roomserver_renditions_total", .counter, "Tracks that were transcoded for subscribers that can't decode them.",
      values.renditions)
    text.add("roomserver_ice_restarts_total", .counter, "ICE restarts of WHIP and WHEP sessions.", values.iceRestarts)
    text.add(
      "roomserver_limits_hit_total", .counter, "Refusals because of a limit.", label: "limit",
      ServerCounters.Limit.allCases.map { ($0.rawValue, values.limits[$0] ?? 0) }
        + HTTPCounters.Limit.allCases.map { ($0.rawValue, requests.limits[$0] ?? 0) })
    text.add(
      "roomserver_watch_failures_total", .counter, "Watch pages that showed nothing, as they report it.", label: "reason",
      WatchFailure.allCases.map { ($0.rawValue, values.watchFailures[$0] ?? 0) })
  }

  private func addBroadcasts(_ totals: BroadcastTotals, to text: inout PrometheusText) {
    text.add(
      "roomserver_broadcasts", .gauge, "Broadcasts, by the state of their connection.", label: "state",
      PushState.allCases.map { ($0.rawValue, totals.live[$0] ?? 0) })
    text.add("roomserver_broadcast_queue_milliseconds", .gauge, "Media that waits in the fullest send queue.", totals.queued)
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
    text.add("roomserver_recordings_downloads", .gauge, "Recorded files that are being sent.", downloads.count)
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

  private func addLoad(_ load: LoadShares, _ mixes: MixDirectory.Totals, to text: inout PrometheusText) {
    text.add(
      "roomserver_load_ratio", .gauge, "The share in use of each resource, 0 to 1.", label: "resource",
      [
        ("media", load.media), ("mixes", mixes.limit > 0 ? mixes.budget.used / mixes.limit : 0), ("memory", load.memory),
        ("processors", load.processors),
      ])
  }

  private func addMedia(_ media: MediaCounters, to text: inout PrometheusText) {
    let total = media.total
    text.add("roomserver_media_workers", .gauge, "Media workers.", media.workers.count)
    text.add(
      "roomserver_media_worker_cpu_seconds_total", .counter, "Processor time of each media worker's thread.", label: "worker",
      media.workers.enumerated().map { ("\($0)", Double($1.cpuMicroseconds) / 1e6) })
    text.add("roomserver_transports", .gauge, "Media transports.", total.transports)
    text.add("roomserver_transports_connected", .gauge, "Media transports that are connected.", total.connectedTransports)
    text.add("roomserver_tracks", .gauge, "Tracks that media workers route.", total.tracks)
    text.add("roomserver_subscriptions", .gauge, "Tracks sent to participants.", total.subscriptions)
    text.add("roomserver_media_tcp_connections", .gauge, "Open TCP connections to media ports.", total.tcpConnections)
    text.add("roomserver_paths", .gauge, "Media transports with an estimate of the path to their subscriber.", total.paths)
    text.add(
      "roomserver_paths_limited", .gauge, "The part of these that carry hardly more than what is sent: video is paced.",
      total.limitedPaths)
    text.add(
      "roomserver_paths_limited_bits_per_second", .gauge, "Sum of the bitrates that limited paths are estimated to carry.",
      total.limitedPathBitrate)
    text.add("roomserver_ring_bytes", .gauge, "Bytes of packet rings.", total.ringBytes)
    for (name, help, value) in [
      ("packets_received", "Datagrams received.", total.packetsReceived),
      ("packets_sent", "Datagrams sent.", total.packetsSent),
      ("bytes_received", "Bytes of datagrams received.", total.bytesReceived),
      ("bytes_sent", "Bytes of datagrams sent.", total.bytesSent),
      ("segmented_messages", "Messages of several datagrams that the kernel split (UDP GSO).", total.segmentedMessages),
      ("segmented_packets", "Datagrams sent in such messages.", total.segmentedPackets),
      ("segmentation_refused", "Such messages that the kernel refused.", total.segmentationRefused),
      ("rtp_received", "RTP packets received.", total.rtpReceived),
      ("rtp_linked", "RTP packets copied between media workers, for rooms that use several.", total.linked),
      ("rtp_injected", "RTP packets of the server's own tracks: encoders' streams and mixes.", total.injected),
      ("rtcp_received", "RTCP compounds received.", total.rtcpReceived),
      ("rtp_forwarded", "RTP packets forwarded.", total.rtpForwarded),
      ("audio_redundant", "Audio packets forwarded with copies of earlier ones (RED).", total.audioRedundant),
      ("audio_restored", "Lost audio packets of publishers restored from copies.", total.audioRestored),
      ("starts_from_ring", "Videos that started with a key frame that the server already had.", total.startsFromRing),
      ("layer_switches", "Subscriptions that changed the layer of a simulcast.", total.layerSwitches),
      ("temporal_left_out", "Packets of upper temporal layers that subscriptions did not get.", total.temporalLeftOut),
      ("pauses", "Subscriptions that were paused, by their receiver or for lack of bandwidth.", total.pauses),
      ("bandwidth_pauses", "The part of the pauses for which the path was too thin.", total.bandwidthPauses),
      ("lagging_streams", "Videos that waited too long on a thin path, and continued at a key frame.", total.laggingStreams),
      ("probes", "Probes of paths to subscribers.", total.probes),
      ("padding_bytes", "Bytes of padding in these probes.", total.paddingBytes),
      ("retransmitted", "RTP packets sent again.", total.retransmitted),
      ("repairs_doubled", "The part of the packets sent again that lossy paths got twice.", total.repairsDoubled),
      ("nacks_received", "NACKs received.", total.nacksReceived),
      ("nacked_packets", "Packets that subscribers requested again.", total.nackedPackets),
      ("nacks_sent", "NACKs sent.", total.nacksSent),
      ("key_frame_requests_received", "PLI and FIR received.", total.keyFrameRequestsReceived),
      ("key_frame_requests_sent", "PLI and FIR sent.", total.keyFrameRequestsSent),
      ("transport_feedback_received", "Transport-wide feedback received.", total.transportFeedbackReceived),
      ("transport_feedback_sent", "Transport-wide feedback sent.", total.transportFeedbackSent),
      ("data_received", "Messages of clients over data channels.", total.dataReceived),
      ("data_bytes_received", "Bytes of these messages.", total.dataBytesReceived),
      ("data_sent", "Messages given to the data channels of clients.", total.dataSent),
      ("data_bytes_sent", "Bytes of these messages.", total.dataBytesSent),
      ("data_dropped", "Messages lost because a receiver was too slow or had no channel.", total.dataDropped),
      ("data_held", "Times that a sender of messages was held back.", total.dataHeld),
      ("data_slow", "Transports that failed because they were too slow for reliable messages.", total.dataSlow),
      ("tcp_accepted", "TCP connections accepted.", total.tcpAccepted),
      ("tcp_refused", "TCP connections closed because of a limit.", total.tcpRefused),
      ("tcp_silent", "TCP connections closed because no valid check arrived in time.", total.tcpSilent),
      ("tcp_malformed", "TCP connections closed because of invalid data.", total.tcpMalformed),
      ("tcp_bytes_received", "Bytes read from TCP connections.", total.tcpBytesReceived),
      ("tcp_bytes_sent", "Bytes written to TCP connections.", total.tcpBytesSent),
    ] {
      text.add("roomserver_media_\(name)_total", .counter, help, value)
    }
    text.add(
      "roomserver_media_layer_packets_total", .counter, "RTP packets received of simulcasts, by layer; 0 is the smallest.",
      label: "layer", (0..<3).map { ("\($0)", Int64(clamping: total.layerPackets[$0])) })
    text.add(
      "roomserver_media_dropped_total", .counter, "Packets dropped, by reason.", label: "reason",
      MediaDrop.allCases.map { ("\($0)", Int64(clamping: total[$0])) })
  }
}
