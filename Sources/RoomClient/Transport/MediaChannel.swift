import RoomCLinux
import Glibc
import RoomRTP
import RoomProtocol
import RoomWebRTC

/// One media transport of a room on its loop's thread: a UDP socket, TCP connections if the session needs them, the sans-I/O
/// session, and the tracks that it serves.
final class MediaChannel {
  /// The events that the room receives.
  enum Event: Sendable {
    case connected
    /// The remote side is silent; it may return.
    case disconnected
    /// The transport failed; only a new one helps.
    case failed(String)
    case firstFrame(trackId: TrackID)
  }

  private let id: UInt64
  private let epoll: Int32
  private let session: MediaSession
  private let tell: @Sendable (Event) -> Void
  private var udp: UDPSocket
  /// Connections to the server's TCP candidates, by their number in epoll tags.
  private var streams: [UInt16: (address: TransportAddress, stream: TCPStream)] = [:]
  private var lastStream: UInt16 = 0
  /// Addresses whose connection ended or could not be opened, not yet reported to the session.
  private var lost: [TransportAddress] = []
  private var lines: [Mid: TrackLine] = [:]
  private var ceilings: [Mid: Int] = [:]
  private var audioRate = AudioRate()
  /// The bitrate that the path carries; nil before the first estimate.
  private var target: Int?
  private var lastShare: Instant?
  private var tracks: [Mid: RemoteTrack] = [:]
  /// The open data channels by their labels, and what receives their messages.
  private var channels: [String: DataChannelID] = [:]
  private var receive: (@Sendable (_ label: String, DataChannelMessage) -> Void)?
  private var begun: Set<Mid> = []
  private var batch: [linux_datagram] = []
  private var bytes: [[UInt8]] = []
  private(set) var deadline: Instant?
  private(set) var isConnected = false

  /// The number of datagrams passed to the kernel in one call.
  private static let batchLimit = 32
  /// More than a server has addresses.
  private static let streamLimit = 16

  /// The interval in microseconds at which the target is divided again.
  private static let shareInterval: Int64 = 1_000_000

  /// The bit position of a connection's number in an epoll tag; number 0 is the UDP socket.
  static let streamShift: UInt64 = 48

  init(id: UInt64, epoll: Int32, session: MediaSession, socket: UDPSocket, tell: @escaping @Sendable (Event) -> Void) {
    self.id = id
    self.epoll = epoll
    self.session = session
    self.tell = tell
    udp = socket
  }

  var socket: Int32 { udp.descriptor }

  func isDue(_ now: Instant) -> Bool { deadline.map { $0 <= now } ?? false }

  // MARK: calls from the room

  func setRemote(_ parameters: TransportParameters, now: Instant) {
    session.setRemote(parameters, now: now)
    flush(now)
  }

  func setSenders(_ parameters: [RTPParameters], lines: [Mid: TrackLine], ceilings: [Mid: Int], now: Instant) {
    session.setSenders(parameters, now: now)
    self.lines = lines
    self.ceilings = ceilings
    share(now)
    flush(now)
  }

  func setReceivers(_ parameters: [RTPParameters], tracks: [Mid: RemoteTrack], now: Instant) {
    session.setReceivers(parameters, now: now)
    self.tracks = tracks
    begun.formIntersection(tracks.keys)
    flush(now)
  }

  func send(_ frame: EncodedFrame, mid: Mid, rid: Rid?, level: Int?, now: Instant) {
    let loudness = level.map { RoomRTP.AudioLevel(level: UInt8(clamping: -$0), voice: $0 > -60) }
    session.send(frame, mid: mid, rid: rid, level: loudness, now: now)
    if lines[mid]?.kind == .audio { audioRate.sent(frame.data.count, mid: mid, now: now) }
    // The needs of audio change, and tracks are muted.
    if lastShare.map({ now - $0 >= Self.shareInterval }) ?? true { share(now) }
    flush(now)
  }

  func enableData(
    _ remote: DataParameters, _ receive: @escaping @Sendable (_ label: String, DataChannelMessage) -> Void, now: Instant
  ) {
    self.receive = receive
    session.enableChannels(remote, now: now)
    flush(now)
  }

  func send(_ message: DataChannelMessage, label: String, now: Instant) throws(DataChannelError) {
    guard let id = channels[label] else { throw .notOpen }
    try session.send(message, on: id, now: now)
    flush(now)
  }

  private func handle(_ event: DataChannelEvent) {
    switch event {
    case .opened(let id, let channel): channels[channel.label] = id
    case .message(let id, let message):
      if let label = channels.first(where: { $0.value == id })?.key { receive?(label, message) }
    case .closed(let id): channels = channels.filter { $0.value != id }
    case .ended: channels = [:]
    case .bufferedAmountLow: break
    }
  }

  func requestKeyFrame(mid: Mid, now: Instant) {
    session.requestKeyFrame(mid: mid, now: now)
    flush(now)
  }

  func statistics() -> SessionStatistics { session.statistics() }

  /// Continues on a new socket. The server learns the new address from the connectivity checks that arrive from it.
  func networkChanged(now: Instant) {
    guard let fresh = UDPSocket() else { return tell(.failed("no socket: \(MediaLoop.errorText())")) }
    guard linux_epoll_add(epoll, fresh.descriptor, id) == 0 else {
      fresh.close()
      return tell(.failed("no epoll: \(MediaLoop.errorText())"))
    }
    udp.close()
    udp = fresh
    closeStreams()
    session.networkChanged(now: now)
    flush(now)
  }

  func close(now: Instant) {
    session.close(now: now)
    flush(now)
    closeStreams()
    udp.close()
  }

  // MARK: calls from the loop

  func receive(_ datagram: UnsafeMutableRawBufferPointer, from: TransportAddress, now: Instant) {
    session.receive(datagram, from: from, now: now)
    flush(now)
  }

  func advance(to now: Instant) {
    session.advance(to: now)
    flush(now)
  }

  func socketFailed(now: Instant) { networkChanged(now: now) }

  /// Handles a connection that is readable or writable.
  func streamReady(_ number: UInt16, slab: UnsafeMutableRawBufferPointer, now: Instant) {
    guard let (address, stream) = streams[number] else { return }
    let isOpen = stream.flush() && stream.read(into: slab) { session.receive($0, from: address, now: now) }
    if isOpen { watch(stream, number) } else { drop(number) }
    flush(now)
  }

  /// Executes the session's outputs after every change, so that none waits for the next one.
  private func flush(_ now: Instant) {
    repeat {
      for address in lost { session.connectionClosed(address, now: now) }
      lost.removeAll(keepingCapacity: true)
      while let output = session.nextOutput() {
        switch output {
        case .transmit(let datagram, let address): enqueue(datagram, to: address)
        case .event(let event): handle(event, now)
        }
      }
    } while !lost.isEmpty
    sendBatch()
    deadline = session.deadline
  }

  private func handle(_ event: MediaSession.Event, _ now: Instant) {
    switch event {
    case .connected:
      isConnected = true
      tell(.connected)
    case .disconnected:
      isConnected = false
      tell(.disconnected)
    case .failed(let reason):
      isConnected = false
      tell(.failed("\(reason)"))
    case .closed:
      isConnected = false
      tell(.failed("closed by the server"))
    case .frame(let mid, let frame):
      guard let track = tracks[mid] else { return }
      if track.deliver(frame, from: id), begun.insert(mid).inserted { tell(.firstFrame(trackId: track.trackId)) }
    case .keyFrameRequested(let mid, let rid): lines[mid]?.keyFrameRequested(rid)
    case .lossReported(let mid, let share): lines[mid]?.lossReported(share)
    case .channel(let event): handle(event)
    case .targetBitrate(let total):
      target = total
      share(now)
    }
  }

  /// Divides the target among the tracks that are not muted.
  private func share(_ now: Instant) {
    lastShare = now
    let active = lines.filter { !$0.value.isMuted }
    let audio = audioRate.bitrate(of: active.filter { $0.value.kind == .audio }.keys)
    let videos = active.filter { $0.value.kind == .video }
    session.setWanted(
      videos.keys.allSatisfy { ceilings[$0] != nil } ? audio + videos.keys.reduce(0) { $0 + (ceilings[$1] ?? 0) } : nil)
    guard let target else { return }
    let shares = BitrateShares.divide(
      target, audio: audio,
      among: videos.map { BitrateShares.Video(mid: $0.key, ceiling: ceilings[$0.key], minimum: $0.value.minimum) })
    for (mid, share) in shares { videos[mid]?.setTarget(share) }
  }

  private func enqueue(_ datagram: [UInt8], to address: TransportAddress) {
    guard !address.isTCP else { return send(datagram, over: address) }
    var entry = linux_datagram()
    udp.address(&entry, to: address)
    batch.append(entry)
    bytes.append(datagram)
    if batch.count == Self.batchLimit { sendBatch() }
  }

  // MARK: connections

  /// Sends a packet over TCP. A connectivity check opens a missing connection; other packets are lost without one.
  private func send(_ packet: [UInt8], over address: TransportAddress) {
    var number = streams.first { $0.value.address == address }?.key
    if number == nil, DatagramKind.classify(firstByte: packet.first ?? 0xFF) == .stun, streams.count < Self.streamLimit,
      let stream = TCPStream(to: address)
    {
      repeat { lastStream = lastStream == .max ? 1 : lastStream + 1 } while streams[lastStream] != nil
      if linux_epoll_add(epoll, stream.descriptor, id | UInt64(lastStream) << Self.streamShift) == 0 {
        streams[lastStream] = (address, stream)
        number = lastStream
      } else {
        stream.close()
      }
    }
    // Without a connection the check fails, and the next one follows with a growing delay.
    guard let number, let stream = streams[number]?.stream else { return }
    stream.queue(packet)
    if stream.flush() { watch(stream, number) } else { drop(number) }
  }

  private func watch(_ stream: TCPStream, _ number: UInt16) {
    _ = linux_epoll_modify(epoll, stream.descriptor, id | UInt64(number) << Self.streamShift, stream.awaitsRoom ? 1 : 0)
  }

  /// The session is informed after all its outputs are processed, because it may have more for the same address.
  private func drop(_ number: UInt16) {
    guard let (address, stream) = streams.removeValue(forKey: number) else { return }
    stream.close()
    lost.append(address)
  }

  private func closeStreams() {
    for (_, stream) in streams.values { stream.close() }
    streams = [:]
  }

  // MARK: datagrams

  /// Sends the batch. Datagrams that the kernel does not accept are lost, as on any network.
  private func sendBatch() {
    guard !batch.isEmpty else { return }
    let total = bytes.reduce(0) { $0 + $1.count }
    withUnsafeTemporaryAllocation(byteCount: max(1, total), alignment: 1) { memory in
      guard let base = memory.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      var offset = 0
      for index in batch.indices {
        let datagram = bytes[index]
        datagram.withUnsafeBufferPointer { source in
          if let from = source.baseAddress { (base + offset).update(from: from, count: source.count) }
        }
        batch[index].data = base + offset
        batch[index].capacity = UInt32(datagram.count)
        offset += datagram.count
      }
      var sent = 0
      while sent < batch.count {
        let taken = Int(
          batch.withUnsafeBufferPointer { linux_send(udp.descriptor, $0.baseAddress.map { $0 + sent }, Int32($0.count - sent)) }
        )
        // Skips the rejected datagram and continues with the rest.
        sent += max(1, taken)
      }
    }
    batch.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }
}
