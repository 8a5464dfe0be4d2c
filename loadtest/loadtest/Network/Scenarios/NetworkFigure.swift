/// The figures of a measurement behind a link. The raw values are names in the JSON.
enum NetworkFigure: String, Sendable, CaseIterable, CodingKey {
  /// Decoded pictures per second: percentiles of all seconds.
  case fpsP5 = "fps_p5"
  case fpsP50 = "fps_p50"
  /// Share of the seconds in which the server stated that the connection does not carry the video, or the audio. The figures of
  /// pictures and of sound are those of the other seconds.
  case paused = "video_paused_percent"
  case soundPaused = "sound_paused_percent"
  /// Pictures, one of each sender at each receiver, that stood still at once, and were not stated as paused: mean and most.
  case stillMean = "still_pictures_mean"
  case stillMax = "still_pictures_max"
  /// Share of the time in which the picture stood still, as W3C defines a freeze.
  case frozen = "frozen_percent"
  /// Longest wait for a picture in each second, in ms.
  case waitP95 = "picture_wait_p95_ms"
  case waitMax = "picture_wait_max_ms"
  /// Share of the played samples that are not from packets: those that were invented, and silence after longer losses. The
  /// source never pauses.
  case concealed = "concealed_percent"
  /// The same without silence, as W3C's statistics define concealment.
  case invented = "concealed_audibly_percent"
  /// Longest silence in each second, in ms.
  case silenceP95 = "silence_p95_ms"
  case silenceMax = "silence_max_ms"
  /// From sending until playing, in ms.
  case delayP50 = "picture_delay_p50_ms"
  case delayP95 = "picture_delay_p95_ms"
  case soundDelayP95 = "sound_delay_p95_ms"
  /// Median height of the decoded pictures, and the number of its changes.
  case height = "height_p50"
  case changes = "height_changes"
  /// Seconds from the first picture until the median height was first reached.
  case settled = "settled_s"
  /// NACKs and key frame requests of the subscriber in a second.
  case nacks = "nacks_per_s"
  case keyFrameRequests = "key_frame_requests_per_s"
  /// Bytes sent into the link, as a share of what it can carry, from 3 s on.
  case offered = "offered_percent"
  /// Retransmitted packets, as a share of all video packets.
  case resent = "resent_percent"
  /// Wait in the link's queue, in ms.
  case queueP50 = "queue_p50_ms"
  case queueP95 = "queue_p95_ms"
  /// How late the link forwarded packets, in ms.
  case lateness = "link_late_p99_ms"
  /// How late the publisher sent pictures because the machine was busy, in ms: p99; of meetings p95 of each second's worst.
  case publisherLateness = "publisher_late_ms"
  /// Seconds from the end of an interruption until sound and pictures were back.
  case soundBack = "sound_back_s"
  case pictureBack = "picture_back_s"
  /// Changes of layer that the browser was asked for and showed, and those that it did not show in time.
  case layerChanges = "layer_changes"
  case layerChangesMissed = "layer_changes_missed"
  /// From the request for a layer until its first picture is shown, in ms.
  case layerChangeP50 = "layer_change_p50_ms"
  case layerChangeP95 = "layer_change_p95_ms"
  case layerChangeMax = "layer_change_max_ms"
  /// The longest freeze, as W3C defines a freeze, and the longest time between two pictures that were shown, in ms.
  case longestFreeze = "longest_freeze_ms"
  case longestGap = "longest_picture_gap_ms"
  /// Pictures that arrived and were not decoded or shown.
  case dropped = "pictures_dropped"
  /// Key frame requests of the browser, which it sends if it can't decode, and changes of its decoder.
  case decoderFaults = "decoder_faults"
  /// How far the offset between sound and picture moves from its median, in ms: p95.
  case offsetMoves = "offset_moves_p95_ms"
  /// Rates of the TCP flow on the same link, and of everything else, in kbit/s.
  case tcp = "tcp_kbps"
  case media = "media_kbps"
  /// The server's CPU, and that of all processes but the server and this one, as percentages of a core.
  case serverCPU = "server_cpu_percent"
  case othersCPU = "others_cpu_percent"
}

/// A condition that a measurement has to meet.
struct NetworkLimit: Sendable, Equatable {
  let figure: NetworkFigure
  let isMost: Bool
  let bound: Double

  static func most(_ figure: NetworkFigure, _ bound: Double) -> Self { Self(figure: figure, isMost: true, bound: bound) }
  static func least(_ figure: NetworkFigure, _ bound: Double) -> Self { Self(figure: figure, isMost: false, bound: bound) }

  var text: String { "\(figure.rawValue) \(isMost ? "<=" : ">=") \(Parameter.text(bound))" }

  /// Returns a sentence if the limit is broken, also if the figure was not measured.
  func fault(_ figures: [NetworkFigure: Double]) -> String? {
    guard let value = figures[figure] else { return "\(text): not measured" }
    return (isMost ? value <= bound : value >= bound) ? nil : "\(text): \(FigureText.number(value))"
  }
}
