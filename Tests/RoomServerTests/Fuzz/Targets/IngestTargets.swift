import RoomFuzzSupport
import RoomRTMP
import RoomRTP

@testable import RoomServer

/// Feeds an encoder's stream to a room: records of a kind, four bytes of time, and the message's payload.
@Sendable func fuzzIngest(_ bytes: UnsafeRawBufferPointer) {
  guard let audio = try? IngestAudio() else { preconditionFailure("there is an Opus encoder") }
  var timeline = IngestTimeline()
  var video = IngestVideo()
  var backlog = IngestBacklog()
  for piece in pieces(bytes) where piece.count >= 5 {
    let kind: MediaMessage.Kind = piece[0] & 1 == 0 ? .video : .audio
    let time = piece[1..<5].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    backlog.append(MediaMessage(kind, timestamp: time, payload: Array(piece.dropFirst(5))))
  }
  var now = Instant(microseconds: 0)
  while let message = backlog.next() {
    now = now.advanced(milliseconds: 20)
    guard let time = timeline.time(of: message.timestamp, now: now, wall: 0) else { continue }
    if message.kind == .video {
      guard case .picture(let payloads, _)? = try? video.take(message.payload, at: time) else { continue }
      precondition(payloads.allSatisfy { !$0.isEmpty && $0.count <= 1100 })
    } else {
      let packets = (try? audio.take(message.payload, at: time)) ?? []
      precondition(packets.allSatisfy { !$0.payload.isEmpty })
    }
  }
}
