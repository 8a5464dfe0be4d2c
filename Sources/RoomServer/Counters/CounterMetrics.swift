import RoomHTTPServer
import RoomLiveOrigin

extension ServerCounters {
  /// Adds the metrics of rooms and signalling.
  package func addMetrics(to text: inout PrometheusText) {
    let values = values
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
      values.errors)
    text.add("roomserver_joins_total", .counter, "Joins, by the code of their result.", label: "code", values.joins)
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
  }
}
