import RoomRTMP
import RoomRTP

/// Plays over HTTP-FLV, like players in a web page.
struct FLVPlayer: StreamPlayer {
  private var output: [UInt8]
  private var body = HTTPBody()
  private var scanner = FLVScanner()
  /// Used by a sampled viewer only.
  private var demuxer = FLVDemuxer()

  /// - Parameter path: the path, including the query.
  init(host: String, port: UInt16, path: String) {
    output = Array("GET \(path) HTTP/1.1\r\nHost: \(host):\(port)\r\nAccept: */*\r\nUser-Agent: loadtest\r\n\r\n".utf8)
  }

  mutating func takeOutput() -> [UInt8] {
    defer { output = [] }
    return output
  }

  mutating func receive(
    _ bytes: UnsafeRawBufferPointer, now: Instant, into reception: inout ViewerReception, sample: (any MediaObserver)?
  ) throws(ChunkScanner.Failure) {
    var received = reception
    defer { reception = received }
    try body.read(bytes) { part throws(ChunkScanner.Failure) in
      try scanner.scan(part) { received.count($0, now: now) }
      guard let sample else { return }
      var rest = part
      do throws(FLVError) {
        while let media = try demuxer.read(&rest) { sample.look(at: media, now: now) }
      } catch { throw ChunkScanner.Failure(reason: "\(error)") }
    }
  }
}
