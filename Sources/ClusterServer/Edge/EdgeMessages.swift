import Foundation
import NIOCore
import RoomEngine
import RoomSFU
import RoomServer
import RoomWebRTC

/// What the node that owns a room sends to an edge of it.
enum EdgeOrder: Codable, Sendable {
  /// The edge is a part of the room's media. Answers ``EdgeNotice/begins(_:)``.
  case begun
  case media(MediaOrder)
  /// Receives a track from the link, each layer as a stream of its own: the first number is `stream`. Repeated if the parameters
  /// have changed.
  case carry(MediaTrackID, RTPParameters, layers: Int, stream: UInt32)
  /// Sends a track to the link; ``EdgeNotice/sends(_:stream:)`` answers.
  case fetch(MediaTrackID)
  case endFetching(MediaTrackID)
  case statistics(request: Int)
  /// Sends the message that follows on data channels. ``EdgeNotice/dataPassed(_:spent:)`` answers.
  case data(DataFrame, to: [TransportID])
  /// No copy of the message of ``EdgeNotice/data(_:from:)`` with that number waits any more.
  case dataPassed(Int, spent: Int)
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
  /// The message that follows arrived on a data channel. ``EdgeOrder/dataPassed(_:spent:)`` answers.
  case data(DataFrame, from: TransportID)
  /// No copy of the message of ``EdgeOrder/data(_:to:)`` with that number waits any more.
  case dataPassed(Int, spent: Int)
  /// A client has connected.
  case opened(client: Int, address: String?)
  /// The message that follows is of a client.
  case message(from: Int)
  case lost(client: Int)
}

/// A message of a data channel, without its payload.
struct DataFrame: Codable, Sendable {
  /// Identifies the message in the acknowledgement of the other node.
  var number: Int
  var label: String
  var isReliable: Bool
  var isText: Bool

  init(_ message: DataMessage, number: Int) {
    self.number = number
    (label, isReliable, isText) = (message.label, message.isReliable, message.isText)
  }

  /// - Parameter share: what the message uses at its sender until it is passed on.
  func message(_ payload: ByteBuffer, share: DataShare) -> DataMessage {
    DataMessage(
      label: label, isReliable: isReliable, isText: isText, payload: Array(payload.readableBytesView), share: share)
  }
}

/// The shares of messages that the other node passes on, by their numbers.
///
/// The sender's allowance at this node bounds their bytes, and so their number.
struct PassedData {
  private var shares: [Int: DataShare] = [:]
  private var last = 0

  /// Returns the head of a message, whose share is kept until ``passed(_:spent:)``.
  mutating func frame(_ message: DataMessage) -> DataFrame {
    last += 1
    shares[last] = message.share
    return DataFrame(message, number: last)
  }

  /// Counts what the other node has sent because of a message.
  /// - Returns: its share. The caller frees it outside of its lock, because the share then informs the node of the sender.
  mutating func passed(_ number: Int, spent: Int) -> DataShare? {
    let share = shares.removeValue(forKey: number)
    share?.spend(max(0, spent))
    return share
  }
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
