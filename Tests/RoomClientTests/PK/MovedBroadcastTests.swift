import RoomProtocol
import Testing

@testable import RoomClient

@Suite("A broadcast that moves with its anchor")
struct MovedBroadcastTests {
  private let pk = PKInfo(
    pkId: "p1", mode: .move, room: "room-b", userId: "bob", host: "ada", inviter: true, startedAt: 1)

  @Test(
    "each successive job on the URL has a larger number",
    arguments: [
      ("rtmp://cdn.example/live/key", "rtmp://cdn.example/live/key?serialnum=1", "rtmp://cdn.example/live/key?serialnum=2"),
      ("rtmp://a/live/k?serialnum=7", "rtmp://a/live/k?serialnum=8", "rtmp://a/live/k?serialnum=9"),
      (
        "rtmp://a/live/k?sign=x/y&serialnum=9&t=1", "rtmp://a/live/k?sign=x/y&serialnum=10&t=1",
        "rtmp://a/live/k?sign=x/y&serialnum=11&t=1"
      ),
      ("rtmp://a/live/k?sign=x/y", "rtmp://a/live/k?sign=x/y&serialnum=1", "rtmp://a/live/k?sign=x/y&serialnum=2"),
      ("rtmp://a/live?vhost=v/k", "rtmp://a/live?vhost=v/k?serialnum=1", "rtmp://a/live?vhost=v/k?serialnum=2"),
      (
        "rtmp://a/live/k?myserialnum=4", "rtmp://a/live/k?myserialnum=4&serialnum=1",
        "rtmp://a/live/k?myserialnum=4&serialnum=2"
      ),
      ("srt://a:9", "srt://a:9?serialnum=1", "srt://a:9?serialnum=2"),
      ("srt://a:9/?streamid=live/k", "srt://a:9/?streamid=live/k&serialnum=1", "srt://a:9/?streamid=live/k&serialnum=2"),
      ("file:show.mp4", "file:show.mp4?serialnum=1", "file:show.mp4?serialnum=2"),
    ])
  func counts(url: String, away: String, back: String) throws {
    let job = ForwardParams(jobId: "live", publishUrl: url, record: "show.flv")
    let moved = try PKMove().broadcast(job, in: pk, id: "pk-1")
    #expect(moved.home == job)
    #expect(moved.away.publishUrl == away)
    #expect(moved.back == ForwardParams(jobId: "live", publishUrl: back, record: "show.flv"))
  }

  @Test("the split screen has the own side on the left, on an upright canvas") func splitsScreen() throws {
    let moved = try PKMove().broadcast(ForwardParams(jobId: "live", publishUrl: "rtmp://a/live/k"), in: pk, id: "pk-1")
    #expect(moved.away.jobId == "pk-1")
    #expect((moved.away.width, moved.away.height) == (720, 1280))
    #expect(
      moved.away.layouts == [
        TrackLayout(userId: "ada", x: 0, y: 320, width: 360, height: 640),
        TrackLayout(userId: "bob", x: 360, y: 320, width: 360, height: 640),
      ])
    #expect(moved.away.validationError == nil)
    #expect(moved.layouts(muting: "bob", true).map(\.gain) == [nil, 0])
    #expect(moved.layouts(muting: "bob", false) == moved.away.layouts)
  }

  @Test("an audio-only job stays audio-only") func staysSound() throws {
    let job = ForwardParams(jobId: "live", publishUrl: "rtmp://a/live/k", kinds: [.audio])
    let moved = try PKMove().broadcast(job, in: pk, id: "pk-1")
    #expect(moved.away.width == nil)
    #expect(moved.away.layouts == [TrackLayout(userId: "ada"), TrackLayout(userId: "bob")])
    #expect(moved.away.validationError == nil)
  }

  @Test("the caller may change the layout; the move sets the URL and its number") func arranges() throws {
    let plan = PKMove(merge: { job, pk in
      MergeParams(
        jobId: "my-\(job.jobId)", publishUrl: "ignored", width: 640, height: 360, layouts: [TrackLayout(userId: pk.userId)])
    })
    let moved = try plan.broadcast(ForwardParams(jobId: "live", publishUrl: "rtmp://a/live/k"), in: pk, id: "pk-1")
    #expect(moved.away.jobId == "my-live")
    #expect(moved.away.width == 640)
    #expect(moved.away.publishUrl == "rtmp://a/live/k?serialnum=1")
  }

  @Test("tracks that the job names are found again under their new ids") func findsTracks() throws {
    let (audio, video) = (LocalAudioTrack(), LocalVideoTrack(codec: .vp8, width: 320, height: 180, fps: 15))
    let job = ForwardParams(jobId: "live", publishUrl: "rtmp://a/live/k", audioTrackId: "a1", videoTrackId: "v1")
    let moved = try PKMove().broadcast(job, in: pk, id: "pk-1")
    let stay = PKStay(
      home: JoinRequest(url: "ws://a", token: "t", options: RoomOptions()), seat: 0, peer: "bob",
      published: [(audio, "a1"), (video, "v1")], broadcasts: [moved], takeoverTimeout: .seconds(1))
    let back = moved.back(renaming: stay.ids([(video, "v2"), (audio, "a2")]))
    #expect((back.audioTrackId, back.videoTrackId) == ("a2", "v2"))
    #expect(back.publishUrl == "rtmp://a/live/k?serialnum=2")
    // A track that was unpublished meanwhile is still named; the server then reports that it does not exist.
    #expect(moved.back(renaming: stay.ids([])).audioTrackId == "a1")
  }

  @Test(
    "a job that can't move is rejected",
    arguments: [
      nil, "rtmp://a/live/k?serialnum=x", "rtmp://a/live/k?serialnum=-1", "rtmp://a/live/k?serialnum=9223372036854775807",
    ])
  func refuses(url: String?) {
    #expect(throws: RoomClientError.self) {
      _ = try PKMove().broadcast(ForwardParams(jobId: "live", publishUrl: url), in: pk, id: "pk-1")
    }
  }
}
