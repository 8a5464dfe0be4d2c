import RoomRTP
import RoomWebRTC

// Commands of the control plane, executed between two batches of packets.

extension Forwarder {
  func carryOut(_ command: Command, now: Instant) {
    switch command {
    case .openRoom(let number, let events): openRoom(number, events: events)
    case .closeRoom(let number): closeRoom(number, now: now)
    case .order(let room, let order): carryOut(order, in: room, now: now)
    case .transfer(let room, let transfer, let other): self.transfer(transfer, from: room, to: other)
    case .sendData(let room, let message, let ids): sendData(message, to: ids, in: room, now: now)
    case .inject(let room, let id, let parameters, let injection): inject(id, parameters, from: injection, in: room)
    case .link(let room, let id, let injection):
      if let index = book(room)?.tracks[id] { link(index, to: injection, now: now) }
    case .unlink(let room, let id, let injection):
      if let index = book(room)?.tracks[id] { unlink(index, from: injection) }
    case .setLevels(let room, let levels): setLevels(levels, in: room)
    case .tap(let room, let id, let tap):
      if let index = book(room)?.tracks[id] { self.tap(index, with: tap) } else { tap.ring.write(TapRecord.headOfEnd, nil) }
    case .setTapSize(let room, let id, let size):
      if let index = book(room)?.tracks[id] { setTapSize(size, of: index, now: now) }
    case .untap(let room, let id, let tap):
      if let index = book(room)?.tracks[id] { untap(index, tap) }
    case .statistics(let room, let reply): reply(statistics(of: room))
    case .counters(let reply): reply(currentCounters())
    case .annex, .stop: break
    }
  }

  private func carryOut(_ order: MediaOrder, in room: RoomNumber, now: Instant) {
    switch order {
    case .open(let id, let local, _): openTransport(id, local.credentials, local.role ?? .server, in: room, now: now)
    case .restart(let id, let credentials): restartTransport(id, credentials, in: room)
    case .connect(let id, let remote): connectTransport(id, remote, in: room, now: now)
    case .close(let id): if let index = book(room)?.transports[id] { closeTransport(index, now: now) }
    case .enableData(let id, let parameters, let channels):
      enableData(id, parameters, sendingOn: channels, in: room, now: now)
    case .publish(let id, let transport, let parameters): publish(id, on: transport, parameters, in: room, now: now)
    case .unpublish(let id):
      guard let book = book(room) else { break }
      if let index = book.tracks[id] { removeTrack(index) } else { forget(id, in: book) }
    case .mute(let id, let isMuted): if let index = book(room)?.tracks[id] { setMuted(index, isMuted) }
    case .subscribe(let id, let track, let transport, let parameters, let continues):
      subscribe(id, to: track, on: transport, parameters, continues: continues, in: room, now: now)
    case .unsubscribe(let id): if let index = book(room)?.subscriptions[id] { removeSubscription(index) }
    case .setReception(let id, let reception):
      if let index = book(room)?.subscriptions[id] { setReception(index, reception, now: now) }
    case .requestKeyFrame(let id):
      if let index = book(room)?.tracks[id], tracks[index].pointee.isVideo { requestKeyFrame(of: index) }
    }
  }

  func book(_ number: RoomNumber) -> MediaRoomState? { roomIndices[number].flatMap { rooms[$0] } }

  func refuse(_ event: MediaEvent, in number: RoomNumber) {
    if let room = roomIndices[number] { report(event, to: room) }
  }

  private func openRoom(_ number: RoomNumber, events: @escaping @Sendable (MediaEvent) -> Void) {
    guard roomIndices[number] == nil else { return }
    let book = MediaRoomState(number: number, events: events)
    if let free = rooms.firstIndex(where: { $0 == nil }) {
      rooms[free] = book
      roomIndices[number] = free
    } else {
      rooms.append(book)
      roomIndices[number] = rooms.count - 1
    }
  }

  func closeRoom(_ number: RoomNumber, now: Instant) {
    guard let index = roomIndices.removeValue(forKey: number), let book = rooms[index] else { return }
    for transport in Array(book.transports.values) { closeTransport(transport, now: now) }
    // The remaining tracks come from this process.
    for track in Array(book.tracks.values) { removeTrack(track) }
    book.deliver()
    if !book.otherLevels.isEmpty { roomsWithOtherLevels -= 1 }
    rooms[index] = nil
    closedRooms += 1
  }

  /// Records levels that another worker measured.
  private func setLevels(_ levels: [TrackLevel], in number: RoomNumber) {
    guard let book = book(number), !levels.isEmpty else { return }
    if book.otherLevels.isEmpty { roomsWithOtherLevels += 1 }
    for level in levels { book.otherLevels[level.track] = level.level }
  }

  /// Removes a track that another worker received.
  private func forget(_ track: MediaTrackID, in book: MediaRoomState) {
    guard book.otherLevels.removeValue(forKey: track) != nil else { return }
    if book.otherLevels.isEmpty { roomsWithOtherLevels -= 1 }
    book.speakers.remove(track)
  }

  /// Removes `index` from a linked list in a table.
  func unlink(_ index: Int, from first: inout Int32, _ next: (Int) -> Int32, set: (Int, Int32) -> Void) {
    if Int(first) == index {
      first = next(index)
      return
    }
    var current = Int(first)
    while current >= 0 {
      let following = Int(next(current))
      if following == index {
        set(current, next(index))
        return
      }
      current = following
    }
  }
}
