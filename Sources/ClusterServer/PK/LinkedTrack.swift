import NIOCore
import RoomEngine
import RoomNodeLink
import RoomRTP
import RoomRelay
import RoomSFU
import RoomServer
import Synchronization

/// The records of a track as they cross a link between two nodes.
private enum TrackRecord {
  static let packet: UInt8 = 1
  static let report: UInt8 = 2
  /// A bit of `format`; the other bits are the payload format.
  static let marker: UInt8 = 0x80
  /// A bit of the `time` of a packet, above the byte of its audio level.
  static let hasLevel: UInt64 = 0x100
}

/// A lent track at its own node: the packets of a tap become records of a stream.
final class LentStream: LinkSource {
  private let source: TrackSource
  /// The other node's counter of key frame requests; −1 while it does not want the stream.
  private let requests = Atomic<Int>(-1)

  init(_ source: TrackSource) { self.source = source }

  func read(_ body: (LinkRecord, UnsafeRawBufferPointer) -> Void) -> Bool {
    let isWanted = requests.load(ordering: .relaxed) >= 0
    return source.tap.read { record, payload in
      guard isWanted else { return }
      switch record {
      case .packet(let sequence, let timestamp, let marker, let format, _, let level):
        body(
          LinkRecord(
            stream: 0, kind: TrackRecord.packet, format: format.rawValue | (marker ? TrackRecord.marker : 0),
            sequence: sequence, timestamp: timestamp, time: level.map { TrackRecord.hasLevel | UInt64($0.wire) } ?? 0), payload)
      case .report(let ntp, let timestamp, _):
        body(
          LinkRecord(stream: 0, kind: TrackRecord.report, timestamp: timestamp, time: ntp.rawValue),
          UnsafeRawBufferPointer(start: nil, count: 0))
      // The list of lent tracks tells both.
      case .muted, .ended: break
      }
    }
  }

  /// Requests a key frame at the first wish, and at each change of the other node's counter.
  func wished(_ wish: StreamWish?) {
    guard let wish else { return requests.store(-1, ordering: .relaxed) }
    let counter = Int(wish.keyFrames)
    if requests.exchange(counter, ordering: .relaxed) != counter { source.requestKeyFrame() }
  }

  func end() { source.release() }
}

/// A lent track at the node that borrows it: the records of a stream become packets of a track.
final class BorrowedStream: LinkSink {
  private let injection: TrackInjection

  init(_ injection: TrackInjection) { self.injection = injection }

  func write(_ record: LinkRecord, _ payload: UnsafeRawBufferPointer) {
    switch record.kind {
    case TrackRecord.packet:
      guard let format = PayloadFormat(rawValue: record.format & ~TrackRecord.marker) else { return }
      let level =
        record.time & TrackRecord.hasLevel != 0 ? AudioLevel(wire: UInt8(truncatingIfNeeded: record.time)) : nil
      _ = injection.carry(
        payload, sequence: record.sequence, timestamp: record.timestamp, marker: record.format & TrackRecord.marker != 0,
        format: format, level: level)
    case TrackRecord.report: injection.report(NTPTime(rawValue: record.time), timestamp: record.timestamp)
    default: break
    }
  }

  func commit() { injection.commit() }

  var wish: StreamWish { StreamWish(keyFrames: UInt16(truncatingIfNeeded: injection.keyFrameRequests)) }
}

/// The media of a track that another node lends.
final class BorrowedMedia: LentHandle {
  /// A copy that runs until it is stopped.
  private struct Copy: TrackCopying {
    let link: OpenLink
    let stream: UInt32

    func stop() { link.stopReceiving(stream) }
  }

  private let link: OpenLink
  private let stream: UInt32

  init(_ link: OpenLink, stream: UInt32) {
    self.link = link
    self.stream = stream
  }

  var decoded: DecodedTrack? { nil }

  func copy(into injection: TrackInjection, on loop: any EventLoop) -> any TrackCopying {
    link.receive(stream, into: BorrowedStream(injection))
    return Copy(link: link, stream: stream)
  }
}
