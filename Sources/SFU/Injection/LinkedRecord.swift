import RoomRTP

/// The head of a record of a link, as it crosses the network to a media worker of another server. Only `arrival` is a time of this
/// machine's clock.
package struct LinkedRecord: Hashable, Sendable {
  package var kind: UInt8
  package var format: UInt8
  package var sequence: Int64
  package var timestamp: UInt32
  package var time: UInt64
  /// Nil for packets.
  package var arrival: Instant?

  package init(kind: UInt8, format: UInt8, sequence: Int64, timestamp: UInt32, time: UInt64, arrival: Instant?) {
    self.kind = kind
    self.format = format
    self.sequence = sequence
    self.timestamp = timestamp
    self.time = time
    self.arrival = arrival
  }

  /// Whether the records from before the link began end with this one.
  package var endsPast: Bool { kind == InjectedRecord.present }

  /// The record that ends those from before the link began, without a key frame among them.
  package static var emptyPast: Self {
    Self(kind: InjectedRecord.present, format: 0, sequence: 0, timestamp: 0, time: 0, arrival: Instant(microseconds: 0))
  }

  init(_ head: TapRing.Head) {
    self.init(
      kind: head.kind, format: head.format, sequence: head.sequence, timestamp: head.timestamp, time: head.time,
      arrival: head.kind == InjectedRecord.linkedPacket ? nil : Instant(microseconds: head.arrival))
  }

  func head(length: Int) -> TapRing.Head {
    TapRing.Head(
      sequence: sequence, arrival: arrival?.microseconds ?? 0, time: time, timestamp: timestamp,
      length: UInt16(truncatingIfNeeded: length), kind: kind, format: format)
  }
}

extension TrackInjection {
  /// Passes the oldest record to `body` and removes it. Returns false if there is none. Only for the reader of a link whose packets
  /// leave this process.
  package func readLinked(_ body: (LinkedRecord, UnsafeRawBufferPointer) -> Void) -> Bool {
    ring.read { head, payload in body(LinkedRecord(head), payload) }
  }

  /// Appends a record that ``readLinked(_:)`` returned at another server. Ignores one that is too long.
  package func writeLinked(_ record: LinkedRecord, _ payload: UnsafeRawBufferPointer) {
    guard payload.count <= PacketRing.payloadLimit + InjectedRecord.longestDescriptor else { return }
    ring.write(record.head(length: payload.count), payload.baseAddress)
  }

  /// Sets what the other server's subscribers need of this layer, as the injection there has it.
  /// - Parameters:
  ///   - keyFrames: the number of key frame requests so far. Each change is a request.
  ///   - share: as `subscriberShare`.
  package func setWish(isWanted: Bool, keyFrames: Int, share: Int?) {
    setWanted(isWanted)
    setKeyFrameRequests(keyFrames)
    setSubscriberShare(share)
  }
}
