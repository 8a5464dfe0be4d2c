import RoomRTP
import RoomWebRTC

// ICE and DTLS of the transports: assigns datagrams to peers, and handles the peers' output.

extension Forwarder {
  /// Receives a connectivity check, which names its transport by our user fragment. Only if the peer finds it authentic is the
  /// address accepted.
  func receiveSTUN(_ bytes: UnsafeMutableRawBufferPointer, from address: TransportAddress, now: Instant) {
    let index: Int
    if let user = STUN.localFragment(of: UnsafeRawBufferPointer(bytes)) {
      guard let named = users[user] else { return drop(.unknownUser) }
      index = named
    } else {
      index = addresses[AddressKey(address)]
      guard index >= 0 else { return drop(.unknownAddress) }
    }
    let transport = transports[index]
    switch transport.pointee.peer._withUnsafeGuaranteedRef({ $0.receive(bytes, from: address, now: now) }) {
    case .dropped(let reason): drop(MediaDrop(reason))
    case .consumed, .rtp, .rtcp:
      transport.pointee.received(bytes.count)
      remember(address, of: index)
    }
    drain(index, now: now)
  }

  func receiveDTLS(_ bytes: UnsafeMutableRawBufferPointer, from address: TransportAddress, now: Instant) {
    let index = addresses[AddressKey(address)]
    guard index >= 0 else { return drop(.unknownAddress) }
    let transport = transports[index]
    switch transport.pointee.peer._withUnsafeGuaranteedRef({ $0.receive(bytes, from: address, now: now) }) {
    case .dropped(let reason): drop(MediaDrop(reason))
    case .consumed, .rtp, .rtcp: transport.pointee.received(bytes.count)
    }
    drain(index, now: now)
  }

  /// Assigns the address to the transport, and removes it from any other. If there are too many, removes the oldest.
  private func remember(_ address: TransportAddress, of index: Int) {
    let key = AddressKey(address)
    let before = addresses[key]
    guard before != index else { return }
    if before >= 0 { transports[before].pointee.forget(key) }
    let transport = transports[index]
    if let oldest = transport.pointee.add(key) { removeAddress(oldest) }
    addresses.set(key, index)
    if key.isTCP { prove(key, at: address, for: index) }
  }

  private func removeAddress(_ key: AddressKey) {
    addresses.remove(key)
    if key.isTCP { abandonConnection(key) }
  }

  func forgetAddresses(of index: Int) {
    let transport = transports[index]
    while let key = transport.pointee.popAddress() { removeAddress(key) }
  }

  /// Sends the peer's datagrams, and reports its events.
  func drain(_ index: Int, now: Instant) {
    let transport = transports[index]
    while let output = transport.pointee.peer._withUnsafeGuaranteedRef({ $0.nextOutput() }) {
      switch output {
      case .transmit(let bytes, let address): transmit(bytes, to: destination(of: address))
      case .event(let event): happened(event, to: index, now: now)
      }
    }
  }

  private func happened(_ event: PeerEvent, to index: Int, now: Instant) {
    let transport = transports[index]
    let id = transport.pointee.id
    let room = transport.pointee.room
    switch event {
    case .connected:
      connect(index, now: now)
    case .addressChanged(let address):
      transport.pointee.destination = destination(of: address)
    case .disconnected:
      transport.pointee.phase = .silent
      report(.transportDisconnected(id), to: room)
    case .reconnected:
      transport.pointee.phase = .connected
      if let address = transport.pointee.peer._withUnsafeGuaranteedRef({ $0.remoteAddress }) {
        transport.pointee.destination = destination(of: address)
      }
      startVideos(on: index, now: now)
      report(.transportConnected(id), to: room)
    case .failed(let reason):
      transport.pointee.phase = .ended
      report(.transportFailed(id, TransportFailure(reason)), to: room)
    case .closed:
      transport.pointee.phase = .ended
      report(.transportClosed(id), to: room)
    case .channel(let event): channelHappened(event, to: index, now: now)
    }
  }

  private func connect(_ index: Int, now: Instant) {
    let transport = transports[index]
    let peer = transport.pointee.peer
    guard let book = transportBooks[index], let sealer = peer._withUnsafeGuaranteedRef({ $0.makeSealer() }),
      let address = peer._withUnsafeGuaranteedRef({ $0.remoteAddress })
    else {
      transport.pointee.phase = .ended
      report(.transportFailed(transport.pointee.id, .keys), to: transport.pointee.room)
      return
    }
    book.sealer = sealer
    transport.pointee.sealer = Unmanaged.passUnretained(sealer)
    transport.pointee.destination = destination(of: address)
    transport.pointee.phase = .connected
    startVideos(on: index, now: now)
    report(.transportConnected(transport.pointee.id), to: transport.pointee.room)
  }

  /// Starts the videos on this transport, which has become able to send.
  func startVideos(on index: Int, now: Instant) {
    for subscription in subscriptions(on: index) { start(subscription, now: now) }
  }

  func advancePeers(_ now: Instant) {
    for index in 0..<transports.end where transports.isLive(index) {
      let due = transports[index].pointee.peer._withUnsafeGuaranteedRef { peer in
        guard let deadline = peer.deadline, deadline <= now else { return false }
        peer.advance(to: now)
        return true
      }
      if due { drain(index, now: now) }
    }
  }
}

extension TransportFailure {
  init(_ reason: PeerFailure) {
    switch reason {
    case .iceTimeout, .lostConsent, .dtlsTimeout: self = .timeout
    case .fingerprint: self = .fingerprint
    case .handshake(let reason): self = .handshake(reason)
    case .noCommonProfile: self = .handshake("no common SRTP profile")
    case .alert: self = .handshake("a fatal alert")
    case .dtlsRole: self = .handshake("both sides have the same DTLS role")
    case .srtp: self = .keys
    }
  }
}
