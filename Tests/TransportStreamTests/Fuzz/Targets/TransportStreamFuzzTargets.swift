import RoomRTMP

@testable import RoomTransportStream

/// The fuzz targets by name. The tests run the stored inputs through the same code.
let transportStreamFuzzTargets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = ["transport-stream": fuzzDemuxer]

/// A stream in pieces whose lengths depend on its bytes. What is read is written, and read again.
@Sendable private func fuzzDemuxer(_ bytes: UnsafeRawBufferPointer) {
  var demuxer = TransportStreamDemuxer()
  var messages = StreamMessages()
  var muxer = MessageMuxer(hasVideo: true, hasAudio: true)
  var again = TransportStreamDemuxer()
  var rest = bytes
  var written: [UInt8] = []
  while let first = rest.first {
    let length = min(rest.count, first & 1 == 0 ? rest.count : Int(first) + 1)
    demuxer.receive(UnsafeRawBufferPointer(rebasing: rest.prefix(length)))
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(length))
    while let frame = demuxer.nextFrame() {
      for message in messages.messages(of: frame) { written += muxer.packets(of: message) }
    }
  }
  written += muxer.flush()
  precondition(written.count % 188 == 0)
  written.withUnsafeBytes { again.receive($0) }
  while again.nextFrame() != nil {}
  precondition(again.counters.gaps == 0)
}
