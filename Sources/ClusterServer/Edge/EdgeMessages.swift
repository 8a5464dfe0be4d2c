import Foundation
import NIOCore
import RoomEngine
import RoomSFU
import RoomServer
import RoomWebRTC

/// What the node that owns a room sends to an edge of it.
enum EdgeOrder: Codable, Sendable {
  case media(MediaOrder)
  /// Receives a track from the link, each layer as a stream of its own: the first number is `stream`. Repeated if the parameters
  /// have changed.
  case carry(MediaTrackID, RTPParameters, layers: Int, stream: UInt32)
  /// Sends a track to the link; ``EdgeNotice/sends(_:stream:)`` answers.
  case fetch(MediaTrackID)
  case endFetching(MediaTrackID)
  case statistics(request: Int)
  /// Passes the message that follows to clients.
  case message(to: [Int])
  case close(client: Int, CloseReason)
  /// The room's media has ended. The last messages to clients follow.
  case end
}

/// What an edge sends to the node that owns the room.
enum EdgeNotice: Codable, Sendable {
  /// Comes first.
  case begins(MediaAnnexAddresses)
  case media(MediaEvent)
  /// The track's layers are streams of the link from this number on.
  case sends(MediaTrackID, stream: UInt32)
  case statistics(request: Int, MediaStatistics)
  /// A client has connected.
  case opened(client: Int, address: String?)
  /// The message that follows is of a client.
  case message(from: Int)
  case lost(client: Int)
}

/// A message between both nodes: a line of JSON, and for some the bytes that follow it.
enum EdgeFrame {
  private static let newline = UInt8(ascii: "\n")

  /// Nil if the head can't be encoded.
  static func encode(_ head: some Encodable, _ body: ByteBuffer? = nil) -> ByteBuffer? {
    guard let json = try? JSONEncoder().encode(head) else { return nil }
    var buffer = ByteBuffer(bytes: json)
    if var body {
      buffer.writeInteger(newline)
      buffer.writeBuffer(&body)
    }
    return buffer
  }

  /// Returns the head and the bytes that follow it; nil if the frame is none of this type.
  static func decode<Head: Decodable>(_ type: Head.Type, _ frame: ByteBuffer) -> (head: Head, body: ByteBuffer)? {
    var body = frame
    let bytes = frame.readableBytesView
    let end = bytes.firstIndex(of: newline) ?? bytes.endIndex
    guard let head = try? JSONDecoder().decode(type, from: Data(bytes[..<end])) else { return nil }
    body.moveReaderIndex(forwardBy: min(end - bytes.startIndex + 1, bytes.count))
    return (head, body)
  }
}
