import RoomNodeLink
import RoomRTP
import RoomSFU
import RoomServer
import Synchronization

/// A layer of a track at the node that sends it: the records of an injection become those of a stream.
final class LayerSource: LinkSource {
  private enum Demand { static let (awaited, wanted, ended) = (0, 1, 2) }

  private let injection: TrackInjection
  /// The first records wait for the other node's wish: they contain the newest key frame.
  private let demand = Atomic(Demand.awaited)
  /// Until when packets cross in any case, in µs: those from before the link began, and those for which the other node's wish may be on its
  /// way. 0 before the first.
  private let openUntil = Atomic<Int64>(0)
  private static let patience: Int64 = 2_000_000

  let place: StreamPlace

  /// - Parameter track: the number that all layers of the track have on the link.
  init(_ injection: TrackInjection, of track: UInt32) {
    self.injection = injection
    place = injection.isVideo ? .video(track: track) : .audio
  }

  func read(_ body: (LinkRecord, UnsafeRawBufferPointer) -> Void) -> Bool {
    let demand = demand.load(ordering: .relaxed)
    guard demand != Demand.awaited else { return false }
    return injection.readLinked { record, payload in
      guard demand == Demand.wanted else { return }
      // Sound crosses in any case: who speaks is not known in advance.
      if record.isPacket, injection.isVideo, !injection.isWanted, hasWaited { return }
      body(record, payload)
    }
  }

  private var hasWaited: Bool {
    let end = openUntil.load(ordering: .relaxed)
    guard end < .max else { return true }
    let now = Instant.now.microseconds
    if end == 0 {
      openUntil.store(now + Self.patience, ordering: .relaxed)
    } else if now > end {
      openUntil.store(.max, ordering: .relaxed)
    }
    return end != 0 && now > end
  }

  func wished(_ wish: StreamWish?) {
    guard let wish else { return demand.store(Demand.ended, ordering: .relaxed) }
    injection.setWish(
      isWanted: wish.layers != 0, keyFrames: Int(wish.keyFrames), share: wish.share == .max ? nil : Int(wish.share))
    demand.store(Demand.wanted, ordering: .relaxed)
  }
}

/// A layer of a track at the node that receives it.
final class LayerSink: LinkSink {
  /// How long packets wait for the end of the records from before the link began; µs. A lost record must not stop the track.
  private static let patience: Int64 = 1_000_000

  private let injection: TrackInjection
  private let hasPast = Atomic(true)
  /// The time of the first record, in µs; 0 before.
  private let begunAt = Atomic<Int64>(0)
  /// Called once if the track is continued: it has come over another link so far, whose packets are not repeated to subscribers.
  private let continues: (@Sendable () -> Void)?

  init(_ injection: TrackInjection, continues: (@Sendable () -> Void)?) {
    self.injection = injection
    self.continues = continues
  }

  func write(_ record: LinkRecord, _ payload: UnsafeRawBufferPointer) {
    guard hasPast.load(ordering: .relaxed) else { return injection.writeLinked(record, payload) }
    if let continues {
      // The stream is under way: only its packets and reports count.
      guard record.endsPast else { return record.beginsPast ? () : injection.writeLinked(record, payload) }
      hasPast.store(false, ordering: .relaxed)
      return continues()
    }
    watchPast(record)
    injection.writeLinked(record, payload)
  }

  private func watchPast(_ record: LinkRecord) {
    guard !record.endsPast else { return hasPast.store(false, ordering: .relaxed) }
    let now = Instant.now.microseconds
    let begun = begunAt.load(ordering: .relaxed)
    if begun == 0 { return begunAt.store(now, ordering: .relaxed) }
    guard now - begun > Self.patience else { return }
    hasPast.store(false, ordering: .relaxed)
    injection.writeLinked(.emptyPast, UnsafeRawBufferPointer(start: nil, count: 0))
  }

  func commit() { injection.commit() }

  var wish: StreamWish {
    StreamWish(
      keyFrames: UInt16(truncatingIfNeeded: injection.keyFrameRequests), layers: injection.isWanted ? 1 : 0,
      share: injection.subscriberShare.map { UInt32(clamping: $0) } ?? .max)
  }
}

/// A track that crosses a link in one direction. Each layer is a stream of its own.
struct TrackStreams {
  let injection: TrackInjection
  /// The number of the first stream.
  let first: UInt32
  private let link: OpenLink
  private let isSending: Bool

  static func layers(of injection: TrackInjection) -> [TrackInjection] { Array(sequence(first: injection, next: \.nextLayer)) }

  /// Sends the records of an injection.
  init(sending injection: TrackInjection, at first: UInt32, of link: OpenLink) {
    (self.injection, self.first, self.link, isSending) = (injection, first, link, true)
    forEach { link.send(LayerSource($0, of: first), as: $1) }
  }

  /// Receives records into an injection.
  /// - Parameter continues: called for each layer of a track that has come over another link so far, once what was missed is here.
  init(
    receiving injection: TrackInjection, at first: UInt32, of link: OpenLink, continues: (@Sendable () -> Void)? = nil
  ) {
    (self.injection, self.first, self.link, isSending) = (injection, first, link, false)
    forEach { link.receive($1, into: LayerSink($0, continues: continues)) }
  }

  private func forEach(_ body: (_ layer: TrackInjection, _ stream: UInt32) -> Void) {
    for (number, layer) in Self.layers(of: injection).enumerated() { body(layer, first &+ UInt32(number)) }
  }

  func end() { forEach { isSending ? link.stopSending($1) : link.stopReceiving($1) } }
}
