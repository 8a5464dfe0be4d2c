import RoomRTP
import RoomWebRTC

/// The key of the SSRC tables: an SSRC is unique only within its transport.
struct StreamKey: PacketKey {
  private var bits: UInt64

  @inline(__always) init(transport: Int, ssrc: SSRC) {
    bits = UInt64(truncatingIfNeeded: transport) << 32 | UInt64(ssrc.rawValue)
  }

  @inline(__always) func mixed(_ seed: UInt64) -> UInt64 { mix64(bits ^ seed) }
}

/// A worker's state of one transport. Trivial: `TransportState` owns the objects behind it.
struct TransportSlot {
  enum Phase: UInt8 {
    /// ICE and DTLS are in progress.
    case opening
    case connected
    /// Connected, but nothing was received for a while.
    case silent
    /// Failed, or closed by the remote end; the control plane has not closed it yet.
    case ended
  }

  static let maximumAddresses = 4

  var id: TransportID
  var room: Int
  let peer: Unmanaged<Peer>
  var sealer: Unmanaged<SRTPSealer>?
  var destination = Destination()
  var phase = Phase.opening
  /// The SSRC of this side's reports and feedback.
  let localSSRC: SSRC
  /// Addresses that STUN validated, newest first.
  private var addresses: (AddressKey, AddressKey, AddressKey, AddressKey)
  private var addressCount = 0

  /// Heads of linked lists in the tables of tracks and subscriptions; −1 ends a list.
  var firstTrack: Int32 = -1
  var firstSubscription: Int32 = -1
  var trackCount = 0
  var subscriptionCount = 0
  /// SSRCs learned from packets.
  var learnedSSRCs = 0

  /// BUNDLE has one numbering of extensions for all m-lines (RFC 8843 §9).
  var extensions = RTPExtensionIDs()
  var wantsBitrateEstimate = false
  var feedback: Unmanaged<ArrivalRecorder>?
  /// The transport-wide sequence number of outgoing packets.
  var transportSequence: UInt16 = 0
  /// The path to the subscriber; nil if nothing of it can be known. Owned here: the forwarder frees it with the slot.
  var path: UnsafeMutablePointer<Path>?
  /// The bitrate in bits per second that subscribers can take of what is published here; nil for any.
  var publishLimit: Int?
  /// The number of reports that still state that there is no limit any more.
  var limitReports = 0
  static let releaseReports = 3
  var publishingQuality = QualityMeter()
  var subscribingQuality = QualityMeter()
  var feedbackReceived: UInt64 = 0
  var feedbackLost: UInt64 = 0

  var nextReport: Instant
  var roundTrip: Int64 = 0
  /// The copies of earlier packets in the audio that is sent, by the losses of its receiver.
  var redundancy = RedundancyLevel()
  /// Whether the path has capacity for copies.
  var affordsRedundancy = true

  var packetsReceived: UInt64 = 0
  var bytesReceived: UInt64 = 0
  var packetsSent: UInt64 = 0
  var bytesSent: UInt64 = 0
  var receiveRate = RateMeter()
  var sendRate = RateMeter()

  /// Adds a validated address. Returns the oldest one if it had to be removed.
  mutating func add(_ key: AddressKey) -> AddressKey? {
    let oldest = addressCount == Self.maximumAddresses ? addresses.3 : nil
    addresses = (key, addresses.0, addresses.1, addresses.2)
    addressCount = min(addressCount + 1, Self.maximumAddresses)
    return oldest
  }

  /// Removes and returns the newest address.
  mutating func popAddress() -> AddressKey? {
    guard addressCount > 0 else { return nil }
    let key = addresses.0
    addresses = (addresses.1, addresses.2, addresses.3, addresses.3)
    addressCount -= 1
    return key
  }

  /// The IP address in use; nil without one.
  var host: SIMD2<UInt64>? { addressCount > 0 ? SIMD2(addresses.0.high, addresses.0.low) : nil }

  mutating func forget(_ key: AddressKey) {
    withUnsafeMutableBytes(of: &addresses) { bytes in
      let keys = bytes.assumingMemoryBound(to: AddressKey.self)
      guard let index = keys[..<addressCount].firstIndex(of: key) else { return }
      for next in index..<(addressCount - 1) { keys[next] = keys[next + 1] }
      addressCount -= 1
    }
  }

  @inline(__always) mutating func received(_ length: Int) {
    packetsReceived &+= 1
    bytesReceived &+= UInt64(length)
    receiveRate.add(bytes: length)
  }

  @inline(__always) mutating func sent(_ length: Int) {
    packetsSent &+= 1
    bytesSent &+= UInt64(length)
    sendRate.add(bytes: length)
  }

  init(id: TransportID, room: Int, peer: Peer, localSSRC: SSRC, now: Instant) {
    self.id = id
    self.room = room
    self.peer = Unmanaged.passUnretained(peer)
    self.localSSRC = localSSRC
    let none = AddressKey(TransportAddress(high: 0, low: 0, port: 0))
    addresses = (none, none, none, none)
    nextReport = now
  }

  var isConnected: Bool { phase == .connected || phase == .silent }

  /// The round trip in microseconds; nil before the first measurement.
  var measuredRoundTrip: Int64? { roundTrip > 0 ? roundTrip : nil }

  /// Minimum time before a packet may be requested again, in microseconds: a bounded round trip, 20 ms while it is not
  /// measured.
  var resendInterval: Int64 { min(max(roundTrip, 20_000), 250_000) }
}
