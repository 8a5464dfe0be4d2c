import RoomLiveOrigin
import RoomRTMP
import RoomRTP
import Testing

@Suite struct StreamDirectoryTests {
  private let now = Instant(microseconds: 0)

  @Test("one stream has one publisher at a time")
  func onePublisher() throws {
    let directory = StreamDirectory()
    let path = try #require(StreamPath(app: "live", stream: "studio"))
    let first = try directory.publish(path, now: now)
    #expect(throws: PublishRefusal.inUse) { try directory.publish(path, now: now) }
    directory.end(first, now: now)
    let second = try directory.publish(path, now: now)
    #expect(second.hub === first.hub)
    // The first publication has already ended.
    directory.end(first, now: now)
    #expect(throws: PublishRefusal.inUse) { try directory.publish(path, now: now) }
    #expect(directory.streams.map(\.path) == [path])
  }

  @Test("a stream waits for its publisher and then ends")
  func linger() throws {
    let directory = StreamDirectory(linger: 5_000_000)
    let path = try #require(StreamPath(app: "live", stream: "studio"))
    let publication = try directory.publish(path, now: now)
    #expect(directory.deadline == nil)
    directory.end(publication, now: now.advanced(milliseconds: 1000))
    #expect(directory.deadline == now.advanced(milliseconds: 6000))
    let viewer = try #require(directory.stream(at: path)?.join())
    directory.advance(to: now.advanced(milliseconds: 5999))
    #expect(directory.stream(at: path) != nil)
    directory.advance(to: now.advanced(milliseconds: 6000))
    #expect(directory.stream(at: path) == nil && directory.deadline == nil)
    guard case .end = viewer.next() else {
      Issue.record("no end")
      return
    }
  }

  @Test("streams above the limit are rejected")
  func limit() throws {
    let directory = StreamDirectory(streams: 2)
    for name in ["a", "b"] { _ = try directory.publish(try #require(StreamPath(app: "live", stream: name)), now: now) }
    let path = try #require(StreamPath(app: "live", stream: "c"))
    #expect(throws: PublishRefusal.tooManyStreams) { try directory.publish(path, now: now) }
  }

  @Test("paths contain only valid names", arguments: ["", ".", "..", ".hidden", "a/b", "a?b", "a b", "ä", "a%2f", "a\n"])
  func paths(name: String) {
    #expect(StreamPath(app: "live", stream: name) == nil && StreamPath(app: name, stream: "x") == nil)
    #expect(StreamPath(app: "live", stream: String(repeating: "a", count: 129)) == nil)
    #expect(StreamPath(app: "live", stream: "room-1_a.b~c")?.description == "/live/room-1_a.b~c")
  }
}
