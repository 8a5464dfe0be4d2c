/// The workers' counters since their start, and their gauges.
public struct MediaCounters: Sendable, Hashable {
  /// In the order of the workers' ports.
  public var workers: [WorkerCounters]

  /// Creates the counters of these workers.
  public init(workers: [WorkerCounters] = []) { self.workers = workers }

  /// The sum over all workers.
  public var total: WorkerCounters {
    workers.reduce(into: WorkerCounters()) { $0.add($1) }
  }
}

/// The counters of one worker. All except the gauges only increase.
public struct WorkerCounters: Sendable, Hashable {
  // Gauges.
  /// Open rooms.
  public var rooms = 0
  /// Transports, connected or not.
  public var transports = 0
  /// Transports over which media can flow.
  public var connectedTransports = 0
  /// Published tracks.
  public var tracks = 0
  /// Subscriptions to tracks.
  public var subscriptions = 0
  /// Bytes that the packet rings of live tracks use.
  public var ringBytes = 0

  /// TCP connections, proven to be a client's or not yet.
  public var tcpConnections = 0
  /// Transports with an estimate of the path to their subscriber.
  public var paths = 0
  /// The part of `paths` that carry hardly more than what is sent, so that video is paced.
  public var limitedPaths = 0
  /// The sum of the targets of `limitedPaths` in bits per second.
  public var limitedPathBitrate = 0

  /// CPU time of the worker's thread in microseconds.
  public var cpuMicroseconds: Int64 = 0
  /// Datagrams and frames of TCP connections received, of any kind.
  public var packetsReceived: UInt64 = 0
  /// Bytes received, without IP, UDP and TCP headers.
  public var bytesReceived: UInt64 = 0
  /// Datagrams that the kernel accepted, and frames that were queued for TCP connections, of any kind.
  public var packetsSent: UInt64 = 0
  /// Bytes sent, without IP, UDP and TCP headers.
  public var bytesSent: UInt64 = 0
  /// Messages of several packets that the kernel accepted and segmented (UDP GSO).
  public var segmentedMessages: UInt64 = 0
  /// The part of `packetsSent` that was sent in such messages.
  public var segmentedPackets: UInt64 = 0
  /// Messages of several packets that the kernel refused. Their packets were sent one by one.
  public var segmentationRefused: UInt64 = 0
  /// Authentic RTP packets received.
  public var rtpReceived: UInt64 = 0
  /// RTP packets of tracks that come from this process.
  public var injected: UInt64 = 0
  /// RTP packets that arrived from another worker, for the subscribers of this one.
  public var linked: UInt64 = 0
  /// Authentic RTCP compound packets received.
  public var rtcpReceived: UInt64 = 0
  /// RTP packets sealed for subscribers, without retransmissions.
  public var rtpForwarded: UInt64 = 0
  /// Audio packets sealed with copies of earlier packets (RED), part of `rtpForwarded`.
  public var audioRedundant: UInt64 = 0
  /// Lost audio packets of publishers that were restored from copies in later packets.
  public var audioRestored: UInt64 = 0
  /// RTP packets received of simulcasts, by the quality of their layer: smallest, next, largest, 0.
  public var layerPackets = SIMD4<UInt64>()
  /// Subscriptions that changed the layer of a simulcast.
  public var layerSwitches: UInt64 = 0
  /// Packets of upper temporal layers that subscriptions did not get.
  public var temporalLeftOut: UInt64 = 0
  /// Subscriptions that were paused.
  public var pauses: UInt64 = 0
  /// Videos that started with a key frame that the server already had.
  public var startsFromRing: UInt64 = 0
  /// The part of `pauses` for which the path to the subscriber was too thin.
  public var bandwidthPauses: UInt64 = 0
  /// Videos that waited too long for their turn on a thin path, and continued at a key frame.
  public var laggingStreams: UInt64 = 0
  /// Probes of paths to subscribers.
  public var probes: UInt64 = 0
  /// Bytes of padding in these probes.
  public var paddingBytes: UInt64 = 0
  /// NACK packets from subscribers.
  public var nacksReceived: UInt64 = 0
  /// Sequence numbers that subscribers requested again.
  public var nackedPackets: UInt64 = 0
  /// Packets retransmitted.
  public var retransmitted: UInt64 = 0
  /// The part of `retransmitted` that was sent once more, because the path loses repairs too.
  public var repairsDoubled: UInt64 = 0
  /// NACK packets to publishers.
  public var nacksSent: UInt64 = 0
  /// PLI and FIR from subscribers.
  public var keyFrameRequestsReceived: UInt64 = 0
  /// PLI and FIR to publishers.
  public var keyFrameRequestsSent: UInt64 = 0
  /// Transport-wide feedback packets from subscribers.
  public var transportFeedbackReceived: UInt64 = 0
  /// Transport-wide feedback packets to publishers.
  public var transportFeedbackSent: UInt64 = 0
  /// Messages of clients over data channels.
  public var dataReceived: UInt64 = 0
  /// The bytes of these.
  public var dataBytesReceived: UInt64 = 0
  /// Messages given to the data channels of clients.
  public var dataSent: UInt64 = 0
  /// The bytes of these.
  public var dataBytesSent: UInt64 = 0
  /// Messages that were lost: the receiver was too slow for lossy ones, or had no channel.
  public var dataDropped: UInt64 = 0
  /// Times that a sender was held back.
  public var dataHeld: UInt64 = 0
  /// Transports that failed because they were too slow for reliable messages.
  public var dataSlow: UInt64 = 0
  /// TCP connections accepted.
  public var tcpAccepted: UInt64 = 0
  /// TCP connections closed because of a limit, at once or in favour of a newer one.
  public var tcpRefused: UInt64 = 0
  /// TCP connections closed because no valid connectivity check arrived in time.
  public var tcpSilent: UInt64 = 0
  /// TCP connections closed because a frame was too long, or because the first frame was no connectivity check.
  public var tcpMalformed: UInt64 = 0
  /// Bytes read from TCP connections, including the two-byte frame lengths.
  public var tcpBytesReceived: UInt64 = 0
  /// Bytes written to TCP connections, including the two-byte frame lengths.
  public var tcpBytesSent: UInt64 = 0

  /// Drops by `MediaDrop`, in the order of its cases.
  public var drops = [UInt64](repeating: 0, count: MediaDrop.allCases.count)

  /// Creates counters that are all zero.
  public init() {}

  /// The number of drops for this reason.
  public subscript(reason: MediaDrop) -> UInt64 { drops[Int(reason.rawValue)] }

  mutating func add(_ other: WorkerCounters) {
    rooms += other.rooms
    transports += other.transports
    connectedTransports += other.connectedTransports
    tracks += other.tracks
    subscriptions += other.subscriptions
    ringBytes += other.ringBytes
    cpuMicroseconds &+= other.cpuMicroseconds
    packetsReceived &+= other.packetsReceived
    bytesReceived &+= other.bytesReceived
    packetsSent &+= other.packetsSent
    bytesSent &+= other.bytesSent
    segmentedMessages &+= other.segmentedMessages
    segmentedPackets &+= other.segmentedPackets
    segmentationRefused &+= other.segmentationRefused
    rtpReceived &+= other.rtpReceived
    injected &+= other.injected
    linked &+= other.linked
    rtcpReceived &+= other.rtcpReceived
    rtpForwarded &+= other.rtpForwarded
    audioRedundant &+= other.audioRedundant
    audioRestored &+= other.audioRestored
    layerPackets &+= other.layerPackets
    layerSwitches &+= other.layerSwitches
    temporalLeftOut &+= other.temporalLeftOut
    pauses &+= other.pauses
    startsFromRing &+= other.startsFromRing
    bandwidthPauses &+= other.bandwidthPauses
    laggingStreams &+= other.laggingStreams
    probes &+= other.probes
    paddingBytes &+= other.paddingBytes
    nacksReceived &+= other.nacksReceived
    nackedPackets &+= other.nackedPackets
    retransmitted &+= other.retransmitted
    repairsDoubled &+= other.repairsDoubled
    nacksSent &+= other.nacksSent
    keyFrameRequestsReceived &+= other.keyFrameRequestsReceived
    keyFrameRequestsSent &+= other.keyFrameRequestsSent
    transportFeedbackReceived &+= other.transportFeedbackReceived
    transportFeedbackSent &+= other.transportFeedbackSent
    dataReceived &+= other.dataReceived
    dataBytesReceived &+= other.dataBytesReceived
    dataSent &+= other.dataSent
    dataBytesSent &+= other.dataBytesSent
    dataDropped &+= other.dataDropped
    dataHeld &+= other.dataHeld
    dataSlow &+= other.dataSlow
    tcpConnections += other.tcpConnections
    paths += other.paths
    limitedPaths += other.limitedPaths
    limitedPathBitrate += other.limitedPathBitrate
    tcpAccepted &+= other.tcpAccepted
    tcpRefused &+= other.tcpRefused
    tcpSilent &+= other.tcpSilent
    tcpMalformed &+= other.tcpMalformed
    tcpBytesReceived &+= other.tcpBytesReceived
    tcpBytesSent &+= other.tcpBytesSent
    for index in drops.indices { drops[index] &+= other.drops[index] }
  }
}
