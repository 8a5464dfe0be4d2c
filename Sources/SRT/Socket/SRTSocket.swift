import RoomCSRT

/// One socket of libsrt, which is closed with the last reference. libsrt's functions may be called on any thread.
final class SRTSocket: Sendable {
  /// 7 packets of a transport stream.
  static let payloadLength = 1316

  private static let library: Void = srt_start()

  let id: SRTSOCKET

  init() throws(SRTFailure) {
    _ = Self.library
    id = srt_create_socket()
    guard id != SRT_INVALID_SOCK else { throw .unusable(Self.lastError) }
  }

  init(accepted id: SRTSOCKET) { self.id = id }

  deinit { close() }

  /// Closes the socket; waiting calls return. Unsent data is discarded.
  func close() { srt_close(id) }

  /// The library's text for the last error of this thread.
  static var lastError: String { String(cString: srt_getlasterror_str()) }

  func set(_ option: SRT_SOCKOPT, _ value: Int) { _ = srt_set_int(id, option, Int32(clamping: value)) }
  func set(_ option: SRT_SOCKOPT, isOn value: Bool) { _ = srt_set_bool(id, option, value) }

  /// - Throws: ``SRTFailure/unusable(_:)`` for a text that the option does not permit.
  func set(_ option: SRT_SOCKOPT, _ text: String) throws(SRTFailure) {
    guard !text.isEmpty else { return }
    let status = text.withCString { srt_setsockflag(id, option, $0, Int32(clamping: text.utf8.count)) }
    guard status != SRT_ERROR else { throw .unusable(Self.lastError) }
  }

  var isConnected: Bool { srt_getsockstate(id) == SRTS_CONNECTED }

  /// The time in milliseconds from sending a packet until the peer delivers it.
  var peerLatency: Int {
    var (value, length) = (Int32(0), Int32(MemoryLayout<Int32>.size))
    guard srt_getsockflag(id, SRTO_PEERLATENCY, &value, &length) != SRT_ERROR else { return 0 }
    return Int(max(0, value))
  }

  /// The bytes that the peer has not acknowledged.
  var unacknowledged: Int {
    var (blocks, bytes) = (0, 0)
    srt_getsndbuffer(id, &blocks, &bytes)
    return bytes
  }

  /// The counters of the connection.
  var statistics: SRTStatistics {
    var values = SRT_TRACEBSTATS()
    guard srt_bistats(id, &values, 0, 1) != SRT_ERROR else { return SRTStatistics() }
    return SRTStatistics(
      roundTrip: Int64(values.msRTT * 1000), bandwidth: Int64(values.mbpsBandwidth * 1_000_000),
      packetsLost: Int(values.pktSndLossTotal) + Int(values.pktRcvLossTotal),
      packetsSentAgain: Int(values.pktRetransTotal), packetsDropped: Int(values.pktSndDropTotal) + Int(values.pktRcvDropTotal),
      sendBuffer: Int(values.msSndBuf), receiveBuffer: Int(values.msRcvBuf))
  }
}

/// The counters of a connection since its start.
public struct SRTStatistics: Sendable, Hashable {
  /// The round trip in microseconds.
  public var roundTrip: Int64 = 0
  /// The library's estimate of the path's bandwidth in bits per second.
  public var bandwidth: Int64 = 0
  public var packetsLost = 0
  public var packetsSentAgain = 0
  /// Packets that were given up because they were too late.
  public var packetsDropped = 0
  /// The media in the library's buffers in milliseconds.
  public var sendBuffer = 0
  public var receiveBuffer = 0
}
