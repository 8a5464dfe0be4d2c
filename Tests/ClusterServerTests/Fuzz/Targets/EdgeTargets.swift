import NIOCore
import RoomFuzzSupport

@testable import RoomClusterServer

/// Reads a message of another node, as the owner of a room and as its edge do. What was read survives another encoding.
@Sendable func fuzzEdge(_ bytes: UnsafeRawBufferPointer) {
  let frame = ByteBuffer(bytes: bytes)
  check(EdgeFrame.decode(EdgeOrder.self, frame))
  check(EdgeFrame.decode(EdgeNotice.self, frame))
}

private func check<Head: Codable>(_ read: (head: Head, body: ByteBuffer)?) {
  guard let read, let again = EdgeFrame.encode(read.head, read.body) else { return }
  precondition(EdgeFrame.decode(Head.self, again)?.body == read.body)
}
