import RoomCodecs
import RoomTestSupport
import Testing

@testable import RoomMedia

@Suite("The lifetime of a source")
struct SourceLifeTests {
  @Test("a released source ends with all its tasks, even while running")
  func letGo() async throws {
    func use() async throws -> (Weak<SourceQueue<VideoFrame>>, Weak<SourceQueue<AudioFrame>>) {
      let picture = try VideoSource.testPattern(VideoSourceTests.configuration())
      let tone = try AudioSource.tone(frequency: 440)
      try await eventually("both run") { picture.statistics.encoded > 2 && tone.statistics.encoded > 2 }
      return (Weak(picture.queue), Weak(tone.queue))
    }
    let (video, audio) = try await use()
    try await eventually("both are released") { video.object == nil && audio.object == nil }
  }

  @Test("frames beyond the backlog drop the oldest, and frames after the end are ignored")
  func backlog() async {
    let queue = SourceQueue<Int>(backlog: 2)
    for number in 0..<5 { queue.push(number) }
    #expect(queue.dropped == 3)
    queue.end()
    queue.push(9)
    #expect(await collect(5, from: queue.frames) == [3, 4])
  }
}

/// Sendable because `object` is only ever read after `init`, and weak references may be read anywhere.
private final class Weak<Object: AnyObject & Sendable>: @unchecked Sendable {
  private(set) weak var object: Object?

  init(_ object: Object) { self.object = object }
}
