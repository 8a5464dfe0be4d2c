import Glibc
import RoomCFloor
import RoomCLinux
import RoomRTP
import RoomWebRTC

/// One thread: requests, handshakes, and the publisher's packets, which the loop in C sends to all viewers.
final class FloorLoop {
  private enum Ready { static let requests: UInt64 = 0, datagrams: UInt64 = 1 }

  private let udp: Int32
  private let listener: Int32
  private let epoll = linux_epoll_create()
  private let floor: OpaquePointer
  private let certificate: Certificate
  private let candidate: ICECandidate
  private var peers: [FloorPeer] = []
  private var places: [TransportAddress: Int] = [:]
  private var batch = FloorBatch()
  private var frame = FloorFrame()
  private var nextAdvance = Instant(microseconds: 0)

  /// Listens on TCP for WHIP and WHEP, and on a UDP port that the kernel chooses.
  init(address: String, port: UInt16) throws {
    udp = Self.socket(address, 0) { linux_udp_socket($0, $1, 4 << 20) }
    listener = Self.socket(address, port) { linux_tcp_listen($0, $1, 64) }
    guard udp >= 0, listener >= 0, let floor = floor_make(udp), let own = Self.address(of: udp) else {
      throw LoadtestError.system("the floor can't listen on \(address):\(port): errno \(errno)")
    }
    self.floor = floor
    certificate = try Certificate()
    candidate = ICECandidate(foundation: "1", priority: 2_130_706_431, address: own, kind: .host)
    guard linux_epoll_add(epoll, listener, Ready.requests) == 0, linux_epoll_add(epoll, udp, Ready.datagrams) == 0 else {
      throw LoadtestError.system("epoll: errno \(errno)")
    }
  }

  private static func socket(_ host: String, _ port: UInt16, _ open: (UnsafePointer<sockaddr>, UInt32) -> Int32) -> Int32 {
    var address = FreePort.address(host, port)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { open($0, UInt32(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  private static func address(of descriptor: Int32) -> TransportAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return result == 0 ? TransportAddress(&storage) : nil
  }

  private var now: Instant { Instant(microseconds: linux_now_us()) }

  /// Waits for a request, a datagram or the end of a frame, and handles what has come.
  func turn() throws {
    var tags: (UInt64, UInt64) = (0, 0)
    let wait: Int64 = frame.isEmpty ? 100_000 : max(0, frame.deadline - now)
    let ready = withUnsafeMutableBytes(of: &tags) {
      linux_epoll_wait(epoll, $0.baseAddress?.assumingMemoryBound(to: UInt64.self), 2, wait)
    }
    for place in 0..<max(0, ready) {
      if (place == 0 ? tags.0 : tags.1) == Ready.requests { accept() } else { receive() }
    }
    if !frame.isEmpty, frame.isComplete || now >= frame.deadline { frame.send(by: floor) }
    guard now >= nextAdvance else { return }
    nextAdvance = now.advanced(microseconds: 100_000)
    for place in peers.indices {
      peers[place].peer.advance(to: now)
      drain(place)
    }
  }

  // MARK: Datagrams

  private func receive() {
    let count = batch.receive(from: udp)
    for index in 0..<count {
      let bytes = batch[index]
      guard let source = batch.source(index), let place = place(of: source, UnsafeRawBufferPointer(bytes)) else { continue }
      let isMedia = DatagramKind.classify(UnsafeRawBufferPointer(bytes)) == .rtp
      guard isMedia || !peers[place].isConnected || bytes[0] < 64 else { continue }
      if case .rtp(let length) = peers[place].peer.receive(bytes, from: source, now: now), !peers[place].isViewer {
        frame.add(UnsafeRawBufferPointer(rebasing: bytes[..<length]), of: peers[place], by: floor, now: now)
      }
      if !isMedia { drain(place) }
    }
  }

  /// Returns the peer of an address; of a new one, that whose user fragment the first STUN request has.
  private func place(of source: TransportAddress, _ datagram: UnsafeRawBufferPointer) -> Int? {
    if let place = places[source] { return place }
    let place = peers.lastIndex { peer in
      !peer.isConnected && datagram.count > peer.ufrag.count
        && (0...(datagram.count - peer.ufrag.count)).contains { datagram[$0...].starts(with: peer.ufrag) }
    }
    places[source] = place
    if let place { peers[place].address = source }
    return place
  }

  private func drain(_ place: Int) {
    while let output = peers[place].peer.nextOutput() {
      switch output {
      case .transmit(let bytes, let address): send(bytes, to: address)
      case .event(.connected):
        peers[place].isConnected = true
        guard peers[place].isViewer, let master = peers[place].peer.sendingMaster, let address = peers[place].address else {
          break
        }
        _ = Self.withSocketAddress(address) { floor_add(floor, master, $0, $1) }
      case .event: break
      }
    }
  }

  private func send(_ bytes: [UInt8], to address: TransportAddress) {
    _ = Self.withSocketAddress(address) { sendto(udp, bytes, bytes.count, 0, $0, $1) }
  }

  private static func withSocketAddress<Result>(
    _ address: TransportAddress, _ body: (UnsafePointer<sockaddr>, UInt32) -> Result
  ) -> Result {
    var storage = sockaddr_storage()
    let length = address.write(to: &storage)
    return withUnsafePointer(to: &storage) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) } }
  }

  // MARK: Requests

  private func accept() {
    var source = sockaddr_storage()
    let connection = linux_tcp_accept(listener, &source)
    guard connection >= 0 else { return }
    defer { close(connection) }
    guard let request = FloorRequest(from: connection) else { return }
    let answer = request.method == "POST" ? join(request) : nil
    FloorRequest.answer(answer, to: connection)
  }

  /// Adds a publisher or a viewer. Returns the answer to its offer; nil if there is none.
  private func join(_ request: FloorRequest) -> String? {
    let credentials = ICECredentials.random()
    let isViewer = request.path.hasPrefix("/whep")
    let local = TransportParameters(
      credentials: credentials, fingerprints: [certificate.fingerprint], role: .server, iceLite: true, candidates: [candidate])
    guard
      let peer = try? Peer(
        .init(ice: .lite, role: .server, certificate: certificate, credentials: credentials, profiles: [.aeadAES128GCM]))
    else { return nil }
    var joined = FloorPeer(peer: peer, ufrag: Array(credentials.ufrag.utf8), isViewer: isViewer)
    let (sdp, remote): (String, TransportParameters?)
    if isViewer {
      // All viewers have the same streams: a packet is prepared once.
      let ssrcs = [FloorFrame.audio, FloorFrame.video]
      let next = FloorSSRCs(ssrcs)
      guard let answered = try? ViewNegotiation(local: local, randomSSRC: { next.take() }).answer(request.body, name: "floor")
      else {
        return nil
      }
      (sdp, remote) = (answered.sdp, answered.remote)
      frame.setViewer(answered.media)
    } else {
      var negotiation = PublishNegotiation(local: local)
      guard let answered = try? negotiation.answer(request.body) else { return nil }
      (sdp, remote) = (answered.sdp, answered.remote)
      joined.media = answered.media
    }
    if let remote { peer.setRemote(remote, now: now) }
    peers.append(joined)
    drain(peers.count - 1)
    return sdp
  }
}

/// A publisher or a viewer.
struct FloorPeer {
  let peer: Peer
  /// The user fragment of this side, which the other side's requests contain.
  let ufrag: [UInt8]
  let isViewer: Bool
  var isConnected = false
  var address: TransportAddress?
  /// What a publisher sends.
  var media: [RTPParameters] = []
}
