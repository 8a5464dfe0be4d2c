import RoomHTTPServer

// The origin's part of `/metrics`.

extension Origin {
  package func addMetrics(to text: inout PrometheusText) {
    let streams = list
    func byWay(_ value: (ViewingProtocol) -> Int) -> [(String, Int)] {
      ViewingProtocol.allCases.map { ($0.rawValue, value($0)) }
    }
    text.add(
      "roomserver_origin_streams", .gauge, "Live streams that are being published.", streams.count { $0.publish != nil })
    text.add(
      "roomserver_origin_viewers", .gauge, "Viewers of live streams, by protocol.", label: "protocol",
      byWay { viewingProtocol in streams.reduce(0) { $0 + ($1.viewers[viewingProtocol] ?? 0) } })
    text.add(
      "roomserver_origin_kept_bytes", .gauge, "Bytes of media that live streams keep for their viewers.",
      streams.reduce(0) { $0 + $1.hub.statistics.keptBytes })
    text.add(
      "roomserver_origin_bytes_received_total", .counter, "Bytes of media that publishers of live streams sent.",
      counters.bytesReceived)
    text.add(
      "roomserver_origin_bytes_sent_total", .counter, "Bytes sent to viewers of live streams, by protocol.", label: "protocol",
      byWay { counters.bytesSent($0) })
    text.add(
      "roomserver_origin_dropped_frames_total", .counter, "Frames dropped for late viewers, mostly video.",
      counters.droppedFrames)
    let refusals = counters.refusals
    text.add(
      "roomserver_origin_refused_total", .counter, "Publishers, viewers and connections refused, by reason.", label: "reason",
      OriginRefusal.Reason.allCases.map { ($0.rawValue, refusals[$0] ?? 0) })
    let srt = counters.srt
    text.add("roomserver_srt_connections", .gauge, "Open SRT connections.", srt.open)
    text.add("roomserver_srt_connections_total", .counter, "SRT connections opened.", srt.opened)
    text.add("roomserver_srt_malformed_total", .counter, "SRT connections closed because of their data.", srt.malformed)
    text.add(
      "roomserver_srt_lost_frames_total", .counter, "Frames that SRT connections lost until their end.", srt.lost)
    text.add("roomserver_rtmp_connections", .gauge, "Open RTMP connections.", counters.connections)
    text.add("roomserver_rtmp_connections_total", .counter, "RTMP connections opened.", counters.connectionsOpened)
    text.add(
      "roomserver_rtmp_timed_out_total", .counter, "RTMP connections closed because the client was silent.",
      counters.connectionsTimedOut)
    text.add(
      "roomserver_rtmp_malformed_total", .counter, "RTMP connections closed because of invalid data.",
      counters.connectionsMalformed)
  }
}
