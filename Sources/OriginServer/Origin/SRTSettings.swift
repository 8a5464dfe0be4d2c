public import RoomLiveOrigin

/// The settings of SRT: its port, its encryption and its limits.
public struct SRTSettings: Sendable {
  /// Whether the server listens for SRT.
  public var listens = false
  /// The UDP port. 0 lets the kernel choose; read it from `RoomServer.srtPort`.
  public var port: UInt16 = 0
  /// The secret of the encryption, 10…79 bytes; with one, encoders without it are refused. Nil accepts any without encryption.
  public var passphrase: Secret?
  /// How long a missing packet is waited for, in milliseconds. An encoder may ask for more.
  public var latency = 120
  /// SRT connections at a time.
  public var connections = 200
  /// The bitrate of a stream in bits per second, averaged over 5 s, above which it is ended.
  public var bitrate = 50_000_000

  public init() {}
}
