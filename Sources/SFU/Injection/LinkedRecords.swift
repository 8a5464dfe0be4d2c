import RoomRTP

/// The records of a link that leaves this process. Only their arrivals are times of this machine's clock.
extension LinkRecord {
  package var isPacket: Bool { kind == InjectedRecord.linkedPacket }

  /// Whether records from before the link began follow.
  package var beginsPast: Bool { kind == InjectedRecord.past }

  /// Whether the records from before the link began end with this one.
  package var endsPast: Bool { kind == InjectedRecord.present }

  /// The record that ends those from before the link began, without a key frame among them.
  package static var emptyPast: Self { Self(kind: InjectedRecord.present, arrival: Instant(microseconds: 0)) }

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
  package func readLinked(_ body: (LinkRecord, UnsafeRawBufferPointer) -> Void) -> Bool {
    ring.read { head, payload in body(LinkRecord(head), payload) }
  }

  /// Appends a record that ``readLinked(_:)`` returned at another server. Ignores one that is too long.
  package func writeLinked(_ record: LinkRecord, _ payload: UnsafeRawBufferPointer) {
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
