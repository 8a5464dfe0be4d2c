import RoomRTP

@testable import RoomSFU

/// The pictures of one stream that a `VirtualClient` can decode: complete, and after a key frame without a hole. Asks for a key
/// frame as `RoomClient` does.
struct VirtualScreen {
  let media: SSRC
  private var buffer = JitterBuffer(format: .vp8)
  private var seen = 0
  /// When each picture was decoded.
  private(set) var pictures: [Instant] = []

  /// - Parameter media: the stream, whose repairs are under the next number.
  init(_ media: SSRC) { self.media = media }

  mutating func update(_ client: VirtualClient, now: Instant) {
    let news = client.packets[seen...]
    seen = client.packets.count
    for (at, packet) in news {
      var (header, payload) = (packet.header, packet.payload)
      if header.ssrc.rawValue == media.rawValue + 1 {
        guard payload.count > 2 else { continue }
        header.sequenceNumber = UInt16(payload[0]) << 8 | UInt16(payload[1])
        payload.removeFirst(2)
      } else if header.ssrc != media {
        continue
      }
      payload.withUnsafeBytes { _ = buffer.insert(header, payload: $0, now: at) }
      take(client, now: at)
    }
    if let deadline = buffer.deadline, deadline <= now { take(client, now: now) }
  }

  private mutating func take(_ client: VirtualClient, now: Instant) {
    while let output = buffer.next(now: now) {
      switch output {
      case .frame: pictures.append(now)
      case .keyFrameNeeded: client.sendRTCP { _ = $0.pictureLoss(sender: 1, media: media) }
      }
    }
  }
}
