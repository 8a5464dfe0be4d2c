import RoomFuzzSupport
import NIOCore
import NIOEmbedded

@testable import RoomServer

/// The fuzz targets by name. The tests run the stored inputs through the same code.
let roomServerFuzzTargets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = [
  "http": fuzzHTTP, "bodies": fuzzBodies, "websocket": fuzzWebSocket, "conversation": fuzzConversation,
  "ingest": fuzzIngest, "forwarded": fuzzForwarded, "range": fuzzRange,
  "upload-id": fuzzUploadID,
]

/// Feeds the bytes of a signalling socket after the handshake, one piece per read.
@Sendable private func fuzzWebSocket(_ bytes: UnsafeRawBufferPointer) {
  let channel = EmbeddedChannel()
  let (messages, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
  guard
    (try? SignallingServer.addHandlers(
      to: channel.pipeline.syncOperations, messages: continuation, ServerConfiguration(keys: [:]), ServerCounters())) != nil
  else { preconditionFailure("the handlers fit together") }
  for piece in pieces(bytes) where channel.isActive {
    _ = try? channel.writeInbound(ByteBuffer(bytes: piece))
    while let answer = try? channel.readOutbound(as: ByteBuffer.self) { precondition(answer.readableBytes > 0) }
  }
  _ = try? channel.finish()
  withExtendedLifetime(messages) {}
}

/// Feeds the id of an upload. No id leaves the directory of uploads, or names a file that is hidden there.
@Sendable private func fuzzUploadID(_ bytes: UnsafeRawBufferPointer) {
  guard let id = UploadID(String(decoding: bytes, as: UTF8.self)) else { return }
  let name = id.description.utf8
  precondition(name.elementsEqual(bytes) && UploadID(id.description) == id)
  precondition(!name.contains(UInt8(ascii: "/")) && !name.contains(0) && name.first != UInt8(ascii: ".") && name.count < 128)
}
