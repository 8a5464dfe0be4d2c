import Foundation
import NIOCore
import RoomCluster
import RoomEngine
import RoomSFU
import RoomServer
import RoomWebRTC

/// What the node that owns a room sends to an edge of it.
enum EdgeOrder: Codable, Sendable {
  /// The edge is a part of the room's media. Answers ``EdgeNotice/begins(_:)``. An owner of an earlier version has no `tree`.
  case begun(tree: Int)
  case media(MediaOrder)
  /// Has a track from now on. Repeated if the parameters have changed.
  case carry(MediaTrackID, RTPParameters, layers: Int)
  /// Receives a track from a node's link, each layer as a stream of its own: the first number is `stream`. A second one replaces the
  /// first without a gap; ``EdgeNotice/receives(_:from:)`` answers.
  case receive(MediaTrackID, stream: UInt32, from: Incarnation)
  /// Sends a track to a node's link; ``EdgeNotice/sends(_:to:stream:)`` answers.
  /// - Parameter isContinued: whether the node has received the track from elsewhere so far.
  case send(MediaTrackID, to: Incarnation, isContinued: Bool)
  case endSending(MediaTrackID, to: Incarnation)
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
  /// The track's layers are streams of the link to the node from this number on; nil if the node can't be reached.
  case sends(MediaTrackID, to: Incarnation, stream: UInt32?)
  /// The track arrives from the node, without a gap if it came from another one before.
  case receives(MediaTrackID, from: Incarnation)
  /// The node, from which tracks should come, can't be reached.
  case misses(Incarnation)
  /// Whether the edge only sends tracks on, and has no clients of its own.
  case idle(Bool)
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
