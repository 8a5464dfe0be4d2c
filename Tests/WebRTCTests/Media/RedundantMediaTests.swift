import RoomRTP
import Testing

@testable import RoomWebRTC

@Suite("MediaSession: redundant audio")
struct RedundantMediaTests {
  private static let audio: Mid = "0"

  /// Opus with RED, and with neither NACK nor RTX unless `repairs` is set.
  private func connected(
    _ link: MediaPair.Link = .init(), seed: UInt64 = 1, red: Bool = true, repairs: Bool = false
  ) throws -> MediaPair {
    let pair = try MediaPair(.init(delay: link.delay), seed: seed)
    var codec = RTPCodec.opus
    if !red { codec.redPayloadType = nil }
    if !repairs {
      codec.rtxPayloadType = nil
      codec.feedback = [.transportCC]
    }
    pair.agree(on: [Sample.stream(codec, mid: Self.audio)])
    #expect(pair.connect())
    pair.link = link
    return pair
  }

  /// Sends this many packets of 20 ms, the first numbered `first`.
  private func play(_ pair: MediaPair, _ count: Int, from first: Int = 0) {
    for number in first..<(first + count) {
      pair.send(Sample.opus(number), mid: Self.audio)
      pair.run(milliseconds: 20)
    }
  }

  @Test("without losses nothing is repeated, and not a byte more is sent")
  func clean() throws {
    let pair = try connected()
    play(pair, 500)
    pair.run(milliseconds: 500)
    #expect(try #require(pair.sender.statistics().senders[Self.audio]).redundant == 0)
    #expect(pair.frames[Self.audio]?.map(\.frame.data) == (0..<500).map { Sample.opus($0).data })
  }

  @Test("at 20 % of losses, copies replace more than nine tenths of the lost packets", arguments: 1...3 as ClosedRange<UInt64>)
  func lossy(seed: UInt64) throws {
    let pair = try connected(.init(loss: 0.2), seed: seed)
    // The first reports of losses.
    play(pair, 200)
    let before = pair.frames[Self.audio]?.count ?? 0
    play(pair, 2000, from: 200)
    pair.link.loss = 0
    pair.run(milliseconds: 1000)
    let frames = try #require(pair.frames[Self.audio]).dropFirst(before).map(\.frame)
    #expect(frames.count >= 1960, "98 %")
    for (previous, next) in zip(frames, frames.dropFirst()) {
      #expect(Int32(bitPattern: next.timestamp &- previous.timestamp) > 0, "in order, each once")
    }
    let received = try #require(pair.receiver.statistics().receivers[Self.audio])
    #expect(received.restored > 300)
    #expect(received.packetsLost > 300, "reports state the losses of the link")
  }

  @Test("each restored frame is the one that was lost, under its timestamp")
  func identical() throws {
    let pair = try connected(.init(loss: 0.2), seed: 9)
    play(pair, 1000)
    pair.run(milliseconds: 1000)
    let frames = try #require(pair.frames[Self.audio]).map(\.frame)
    let offset = try #require(frames.first).timestamp &- UInt32(try #require(number(of: frames[0]))) &* 960
    for frame in frames {
      let index = Int((frame.timestamp &- offset) / 960)
      #expect(frame.data == Sample.opus(index).data)
    }
  }

  /// The number of one of the first 256 frames.
  private func number(of frame: EncodedFrame) -> Int? { (0..<256).first { Sample.opus($0).data == frame.data } }

  @Test("RTX repeats the payload alone, and both repairs together lose nothing", arguments: 1...3 as ClosedRange<UInt64>)
  func withRTX(seed: UInt64) throws {
    let pair = try connected(.init(loss: 0.2), seed: seed, repairs: true)
    play(pair, 1000)
    pair.link.loss = 0
    play(pair, 20, from: 1000)
    pair.run(milliseconds: 1000)
    let frames = try #require(pair.frames[Self.audio]).map(\.frame)
    #expect(frames.count >= 1010)
    let offset = try #require(frames.first).timestamp &- UInt32(try #require(number(of: frames[0]))) &* 960
    #expect(frames.allSatisfy { $0.data == Sample.opus(Int(($0.timestamp &- offset) / 960)).data })
    let received = try #require(pair.receiver.statistics().receivers[Self.audio])
    #expect(received.restored > 50 && received.repaired > 0)
  }

  @Test("a receiver without RED gets none")
  func plain() throws {
    let pair = try connected(.init(loss: 0.2), red: false)
    play(pair, 500)
    #expect(try #require(pair.sender.statistics().senders[Self.audio]).redundant == 0)
  }
}
