import RoomRTP
import RoomWebRTC

// Opening, connecting and closing transports.

extension Forwarder {
  func openTransport(
    _ id: TransportID, _ credentials: ICECredentials, _ role: DTLSRole, in number: RoomNumber, now: Instant
  ) {
    guard let room = roomIndices[number], let book = rooms[room] else { return }
    let configuration = Peer.Configuration(
      ice: .lite, role: role, certificate: certificate, credentials: credentials,
      streamLimit: limits.learnedSSRCsPerTransport + 2 * limits.tracksPerTransport)
    guard book.transports[id] == nil, users[credentials.ufrag] == nil, let peer = try? Peer(configuration),
      let index = transports.insert(
        TransportSlot(id: id, room: room, peer: peer, localSSRC: .random(using: &random), now: now))
    else {
      refuse(.refused(.transport(id)), in: number)
      return
    }
    transportBooks[index] = TransportState(peer: peer, ufrag: credentials.ufrag)
    users[credentials.ufrag] = index
    book.transports[id] = index
  }

  func restartTransport(_ id: TransportID, _ credentials: ICECredentials, in number: RoomNumber) {
    guard let book = book(number), let index = book.transports[id], let transport = transportBooks[index] else { return }
    guard users[credentials.ufrag] == nil, transport.ufrags.count < TransportState.maximumRestarts else {
      refuse(.refused(.transport(id)), in: number)
      return
    }
    // Checks with the old name are answered until the first with the new one arrives.
    transport.ufrags.append(credentials.ufrag)
    users[credentials.ufrag] = index
    transport.peer.setLocal(credentials)
  }

  func connectTransport(_ id: TransportID, _ remote: TransportParameters, in number: RoomNumber, now: Instant) {
    guard let book = book(number), let index = book.transports[id], let transport = transportBooks[index] else { return }
    transport.peer.setRemote(remote, now: now)
    drain(index, now: now)
  }

  func closeTransport(_ index: Int, now: Instant) {
    guard transports.isLive(index), let book = transportBooks[index] else { return }
    let transport = transports[index]
    while transport.pointee.firstSubscription >= 0 { removeSubscription(Int(transport.pointee.firstSubscription)) }
    while transport.pointee.firstTrack >= 0 { removeTrack(Int(transport.pointee.firstTrack)) }
    book.peer.close(now: now)
    transport.pointee.phase = .ended
    while let output = book.peer.nextOutput() {
      if case .transmit(let bytes, let address) = output { transmit(bytes, to: destination(of: address)) }
    }
    forgetAddresses(of: index)
    for ufrag in book.ufrags { users[ufrag] = nil }
    rooms[transport.pointee.room]?.transports[transport.pointee.id] = nil
    transportBooks[index] = nil
    busyData.remove(index)
    freePath(of: index)
    transports.remove(index)
  }

  /// Makes a transport, with its connection and the streams that arrive on it, one of another room. What was sent on it ends, and so
  /// does what the former room does with its tracks.
  func transfer(_ transfer: TransportTransfer, from number: RoomNumber, to other: RoomNumber) {
    guard let old = book(number), let index = old.transports[transfer.transport] else { return }
    guard let room = roomIndices[other], let new = rooms[room], new.transports[transfer.next] == nil else {
      return refuse(.refused(.transport(transfer.next)), in: other)
    }
    let transport = transports[index]
    while transport.pointee.firstSubscription >= 0 { removeSubscription(Int(transport.pointee.firstSubscription)) }
    for first in Set(tracks(on: index).map { firstLayer(of: $0) }) {
      guard let id = transfer.tracks[tracks[first].pointee.id], new.tracks[id] == nil else {
        removeTrack(first)
        continue
      }
      leaveRoom(first)
      forEachLayer(of: first) { (tracks[$0].pointee.id, tracks[$0].pointee.room) = (id, room) }
      begin(id, at: first, in: new)
    }
    old.transports[transfer.transport] = nil
    (transport.pointee.id, transport.pointee.room) = (transfer.next, room)
    new.transports[transfer.next] = index
  }

  /// The indices of what is published on a transport, and of what is received on it.
  func tracks(on index: Int) -> TransportList<TrackSlot> {
    TransportList(first: transports[index].pointee.firstTrack, in: tracks[0])
  }
  func subscriptions(on index: Int) -> TransportList<SubscriptionSlot> {
    TransportList(first: transports[index].pointee.firstSubscription, in: subscriptions[0])
  }
}
