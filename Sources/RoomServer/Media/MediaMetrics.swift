import RoomDigests
import RoomHTTPServer
import RoomSFU

extension MediaPart {
  package func addMetrics(to text: inout PrometheusText) async {
    let media = await plane.counters()
    let total = media.total
    text.add("roomserver_media_workers", .gauge, "Media workers.", media.workers.count)
    text.add(
      "roomserver_media_worker_cpu_seconds_total", .counter, "Processor time of each media worker's thread.", label: "worker",
      media.workers.enumerated().map { ("\($0)", Double($1.cpuMicroseconds) / 1e6) })
    text.add(
      "roomserver_media_cipher", .gauge, "1 for the library that encrypts media with AES-GCM.", label: "library",
      [(GCMCipher.Library.available[0].rawValue, 1)])
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
