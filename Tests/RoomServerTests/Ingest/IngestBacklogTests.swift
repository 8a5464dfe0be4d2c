import RoomRTMP
import Testing

@testable import RoomServer

@Suite("the queue of an ingested stream")
struct IngestBacklogTests {
  private func picture(_ bytes: Int, isKey: Bool = false) -> MediaMessage {
    MediaMessage(
      .video, timestamp: 0,
      payload: VideoTag.avcHeader(.codedFrames, isKeyFrame: isKey) + [UInt8](repeating: 0, count: bytes))
  }
  private let sound = MediaMessage(.audio, timestamp: 0, payload: [0xaf, 1, 2])

  @Test("messages are returned in order")
  func order() {
    var backlog = IngestBacklog()
    for number in 0..<1000 {
      backlog.append(MediaMessage(.audio, timestamp: UInt32(number), payload: [0xaf, 1]))
      if number % 3 == 0 { #expect(backlog.next()?.timestamp == UInt32(number / 3)) }
    }
    var last: UInt32 = 333
    while let message = backlog.next() {
      #expect(message.timestamp == last + 1)
      last = message.timestamp
    }
    #expect(last == 999 && backlog.isEmpty && backlog.dropped == 0)
  }

  @Test("when the queue is full, pictures are dropped up to a key frame")
  func full() {
    var backlog = IngestBacklog()
    for _ in 0..<20 { backlog.append(picture(1 << 19)) }
    let dropped = backlog.dropped
    #expect((4...6).contains(dropped))
    while backlog.next() != nil {}
    backlog.append(picture(10))
    backlog.append(sound)
    backlog.append(picture(10, isKey: true))
    backlog.append(picture(10))
    #expect(backlog.dropped == dropped + 1)
    #expect(
      [backlog.next()?.kind, backlog.next()?.kind, backlog.next()?.kind, backlog.next()?.kind] == [.audio, .video, .video, nil])
    for _ in 0..<5000 { backlog.append(sound) }
    #expect(backlog.dropped == dropped + 1 + 5000 - IngestBacklog.messages)
  }
}
