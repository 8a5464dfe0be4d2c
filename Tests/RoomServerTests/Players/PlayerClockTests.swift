import RoomRTMP
import RoomRTP
import Testing

@testable import RoomServer

@Suite("The clock of a player") struct PlayerClockTests {
  private static let start = Instant(microseconds: 5_000_000)

  private func frame(_ kind: MediaMessage.Kind, _ milliseconds: Int) -> MediaMessage {
    // A key frame of H.264, and a frame of AAC.
    MediaMessage(kind, timestamp: UInt32(milliseconds), payload: kind == .video ? [0x17, 1, 0, 0, 0, 1] : [0xAF, 1, 1])
  }

  /// Returns a clock that has read a second: pictures each 40 ms, sound each 20 ms.
  private func clock(isPaused: Bool = false, from start: Int = 0) -> PlayerClock {
    var clock = PlayerClock(isPaused: isPaused)
    clock.opened(hasVideo: true, hasAudio: true)
    fill(&clock, from: start)
    return clock
  }

  private func fill(_ clock: inout PlayerClock, from start: Int) {
    // As files do: the sound of half a second follows its pictures.
    for half in [0, 500] {
      for time in stride(from: 0, to: 500, by: 40) { clock.append(frame(.video, start + half + time)) }
      for time in stride(from: 0, to: 500, by: 20) { clock.append(frame(.audio, start + half + time)) }
    }
  }

  private func run(_ clock: inout PlayerClock, from: Int, to: Int) -> [MediaMessage] {
    stride(from: from, to: to, by: 5).flatMap { clock.due(at: Self.start.advanced(milliseconds: Int64($0))) }
  }

  @Test("frames leave when they are due, pictures and sound in order") func paces() {
    var clock = clock()
    #expect(!clock.wantsMore)
    let messages = run(&clock, from: 0, to: 400)
    #expect(messages.filter { $0.kind == .video }.map(\.timestamp) == Array(stride(from: 0, to: 400, by: 40)))
    #expect(messages.filter { $0.kind == .audio }.map(\.timestamp) == Array(stride(from: 0, to: 400, by: 20)))
    #expect(zip(messages, messages.dropFirst()).allSatisfy { $0.timestamp <= $1.timestamp })
    #expect(clock.position(at: Self.start.advanced(milliseconds: 300)) == 300)
    #expect(clock.wake == Self.start.advanced(milliseconds: 400))
  }

  @Test("nothing leaves before both kinds were read") func waits() {
    var clock = PlayerClock(isPaused: false)
    #expect(clock.wantsMore, "the report that the source is open")
    clock.opened(hasVideo: true, hasAudio: true)
    clock.append(frame(.video, 0))
    let early = clock.due(at: Self.start)
    #expect(early.isEmpty)
    clock.append(frame(.audio, 0))
    let both = clock.due(at: Self.start)
    #expect(both.count == 2)
  }

  @Test("a pause is a gap of its length, and the position stands still") func pauses() {
    var clock = clock()
    _ = run(&clock, from: 0, to: 200)
    clock.pause(at: Self.start.advanced(milliseconds: 200))
    #expect(run(&clock, from: 200, to: 5200).isEmpty)
    #expect(clock.position(at: Self.start.advanced(milliseconds: 5000)) == 200)
    clock.resume()
    let messages = run(&clock, from: 5200, to: 5300)
    #expect(messages.filter { $0.kind == .video }.map(\.timestamp) == [5200, 5240, 5280])
    #expect(clock.position(at: Self.start.advanced(milliseconds: 5300)) == 300)
  }

  @Test("a seek drops what was read before, and plays from the position that the source reports") func seeks() {
    var clock = clock()
    _ = run(&clock, from: 0, to: 100)
    clock.seek(1, to: 62)
    clock.append(frame(.video, 120))
    let late = clock.due(at: Self.start.advanced(milliseconds: 100))
    #expect(late.isEmpty)
    let (wrong, right) = (clock.moved(7, to: 3), clock.moved(1, to: 60))
    #expect(!wrong && right)
    fill(&clock, from: 60_000)
    let messages = run(&clock, from: 300, to: 400)
    #expect(messages.filter { $0.kind == .video }.map(\.timestamp) == [300, 340, 380])
    #expect(clock.position(at: Self.start.advanced(milliseconds: 400)) == 60_100)
  }

  @Test("a seek while the player is paused shows one picture") func shows() {
    var clock = clock(isPaused: true)
    #expect(run(&clock, from: 0, to: 100).map(\.kind) == [.video])
    clock.seek(1, to: 10)
    let isWanted = clock.moved(1, to: 10)
    #expect(isWanted)
    fill(&clock, from: 10_000)
    #expect(run(&clock, from: 100, to: 400).map(\.kind) == [.video])
    #expect(clock.position(at: Self.start.advanced(milliseconds: 400)) == 10_000)
  }

  @Test("a loop continues without a gap, and the position returns to the beginning") func loops() {
    var clock = clock()
    clock.ended()
    clock.loop(1)
    let isWanted = clock.moved(1, to: 0)
    #expect(isWanted)
    fill(&clock, from: 0)
    let messages = run(&clock, from: 0, to: 900)
    let early = clock.hasLooped(at: Self.start.advanced(milliseconds: 900))
    #expect(!early)
    let rest = run(&clock, from: 900, to: 1500)
    let (first, second) = (
      clock.hasLooped(at: Self.start.advanced(milliseconds: 1500)), clock.hasLooped(at: Self.start.advanced(milliseconds: 1500))
    )
    #expect(first && !second)
    let pictures = (messages + rest).filter { $0.kind == .video }.map { Int($0.timestamp) }
    #expect(pictures.count == 39)
    #expect(zip(pictures, pictures.dropFirst()).allSatisfy { (20...40).contains($1 - $0) })
    #expect(!clock.isOver)
    #expect((440...500).contains(clock.position(at: Self.start.advanced(milliseconds: 1480))))
  }

  @Test("a source that was too slow is continued later instead of faster") func stalls() {
    var clock = PlayerClock(isPaused: false)
    clock.opened(hasVideo: true, hasAudio: false)
    clock.append(frame(.video, 0))
    #expect(run(&clock, from: 0, to: 10).count == 1)
    #expect(clock.wantsMore)
    for time in stride(from: 40, to: 400, by: 40) { clock.append(frame(.video, time)) }
    let messages = run(&clock, from: 2000, to: 2100)
    #expect(messages.map(\.timestamp) == [2000, 2040, 2080])
  }

  @Test("pictures of a file that are read late do not fall behind the sound; those of a live source do") func together() {
    for isLive in [false, true] {
      var clock = PlayerClock(isPaused: false)
      clock.opened(hasVideo: true, hasAudio: true, isLive: isLive)
      for time in stride(from: 0, to: 200, by: 40) { clock.append(frame(.video, time)) }
      for time in stride(from: 0, to: 600, by: 20) { clock.append(frame(.audio, time)) }
      #expect(run(&clock, from: 0, to: 600).filter { $0.kind == .audio }.map(\.timestamp).max() == (isLive ? 580 : 200))
      for time in stride(from: 200, to: 600, by: 40) { clock.append(frame(.video, time)) }
      for time in stride(from: 600, to: 1000, by: 20) { clock.append(frame(.audio, time)) }
      let late = run(&clock, from: 600, to: 700)
      let (pictures, sounds) = (late.filter { $0.kind == .video }, late.filter { $0.kind == .audio })
      #expect(pictures.first?.timestamp == 600)
      #expect(isLive || sounds.first.map { (600...620).contains($0.timestamp) } == true, "\(sounds.map(\.timestamp))")
    }
  }

  @Test("a source that sends too much at once is not read further") func bounds() {
    var clock = PlayerClock(isPaused: true)
    clock.opened(hasVideo: true, hasAudio: true)
    for _ in 0..<PlayerClock.limits.frames { clock.append(frame(.video, 0)) }
    #expect(!clock.wantsMore)
  }
}
