import RoomRTP
import RoomWebRTC

/// The layers of a publisher's video: the SSRCs beside that of its m-line, announced as `a=ssrc-group:SIM`.
///
/// Only the first layer has the MID extension; servers know the others by the SSRCs of the description.
struct SimulcastOffer: Sendable {
  private let video: RTPParameters
  /// The SSRCs of each layer, the smallest layer first; the first ones are those of the m-line.
  let encodings: [RTPEncoding]

  init(_ video: RTPParameters, count: Int) {
    self.video = video
    let others = (1..<max(1, count)).map { _ in RTPEncoding(ssrc: .random(), rtxSSRC: .random()) }
    encodings = video.encodings.prefix(1) + others
  }

  /// Returns the offer with all layers.
  func announce(in offer: String) -> String {
    guard encodings.count > 1, let first = encodings.first?.ssrc else { return offer }
    let ssrcs = encodings.compactMap { $0.ssrc.map { "\($0)" } }.joined(separator: " ")
    var lines: [String] = []
    var isAnnounced = false
    for line in offer.components(separatedBy: "\r\n") {
      lines.append(line)
      guard !isAnnounced, line.hasPrefix("a=ssrc:\(first) ") || line.hasPrefix("a=ssrc-group:FID \(first) ") else { continue }
      isAnnounced = true
      lines.insert("a=ssrc-group:SIM \(ssrcs)", at: lines.count - 1)
      for encoding in encodings.dropFirst() {
        guard let ssrc = encoding.ssrc, let rtx = encoding.rtxSSRC else { continue }
        lines += [
          "a=ssrc-group:FID \(ssrc) \(rtx)", "a=ssrc:\(ssrc) cname:\(video.cname)", "a=ssrc:\(rtx) cname:\(video.cname)",
        ]
      }
    }
    return lines.joined(separator: "\r\n")
  }

  /// Returns the accepted m-lines, with one entry for each layer in place of that of the video.
  func senders(_ accepted: [RTPParameters]) -> [RTPParameters] {
    accepted.flatMap { parameters in
      guard parameters.mid == video.mid else { return [parameters] }
      return encodings.enumerated().map { index, encoding in
        guard index > 0 else { return parameters }
        var layer = parameters
        layer.mid = Mid("\(parameters.mid.rawValue)-\(index)")
        layer.headerExtensions[.mid] = nil
        layer.encodings = [encoding]
        if parameters.encodings.first?.rtxSSRC == nil { layer.encodings[0].rtxSSRC = nil }
        return layer
      }
    }
  }
}
