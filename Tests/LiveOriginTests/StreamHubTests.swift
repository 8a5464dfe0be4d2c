import RoomRTMP
import RoomRTP
import Testing

@testable import RoomLiveOrigin

/// A publisher of 25 pictures and 50 audio packets per second with a key frame every second, in virtual time.
private struct Publisher {
  let hub: StreamHub
  /// The current time in ms.
  var time: Int64 = 0
  var shift: Int64 = 0
  var videoBytes = 2000
  var hasVideo = true
  var keyInterval: Int64 = 1000

  init(_ hub: StreamHub) {
    self.hub = hub
    hub.beginPublish()
  }

  /// Returns a publisher that has sent its headers to its own hub.
  static func started() -> Publisher {
    let publisher = Publisher(StreamHub())
    publisher.headers()
    return publisher
  }

  var now: Instant { Instant(microseconds: time * 1000) }

  func headers(sps: UInt8 = 0x1e) {
    var metadata = StreamMetadata()
    metadata.width = 320
    hub.publish(metadata.message(), now: now)
    let configuration = AVCConfiguration(
      sequenceParameters: [[0x67, 0x42, 0xc0, sps]], pictureParameters: [[0x68, 0xce, 0x3c, 0x80]])
    if hasVideo, let configuration {
      hub.publish(MediaMessage(.video, timestamp: 0, payload: configuration.sequenceHeader), now: now)
    }
    let sound = AudioSpecificConfig(sampleRate: 48_000, channels: 2)
    hub.publish(MediaMessage(.audio, timestamp: 0, payload: sound.sequenceHeader), now: now)
  }

  /// Publishes for this many ms, and calls `each` every 20 ms.
  mutating func run(milliseconds: Int64, each: (Int64) -> Void = { _ in }) {
    let end = time + milliseconds
    while time < end {
      let timestamp = UInt32(truncatingIfNeeded: time + shift)
      if hasVideo, time % 40 == 0 {
        let isKey = time % keyInterval == 0
        let payload = VideoTag.avcHeader(.codedFrames, isKeyFrame: isKey) + [UInt8](repeating: 1, count: videoBytes)
        hub.publish(MediaMessage(.video, timestamp: timestamp, payload: payload), now: now)
      }
      let sound = AudioTag.aacHeader(.codedFrames) + [UInt8](repeating: 2, count: 100)
      hub.publish(MediaMessage(.audio, timestamp: timestamp, payload: sound), now: now)
      each(time)
      time += 20
    }
  }
}

/// Returns all messages that a viewer can read now, up to a number of bytes.
private func drain(_ viewer: StreamViewer, bytes: Int = .max) -> [LiveMedia] {
  var all: [LiveMedia] = []
  var taken = 0
  while taken < bytes, case .media(let media) = viewer.next() {
    all.append(media)
    taken += media.media.payload.count
  }
  return all
}

extension [LiveMedia] {
  fileprivate func times(_ kind: MediaMessage.Kind) -> [Int64] {
    filter { media in
      guard media.media.kind == kind else { return false }
      if case .header = MediaRole(media.media) { return false }
      return true
    }.map(\.time.milliseconds)
  }

  fileprivate var headers: [MediaMessage.Kind] {
    compactMap { media in if case .header = MediaRole(media.media) { media.media.kind } else { nil } }
  }
}

@Suite struct StreamHubTests {
  @Test("a new viewer starts with metadata, configurations and the last key frame, and then gets everything")
  func newcomer() throws {
    var publisher = Publisher.started()
    let hub = publisher.hub
    publisher.run(milliseconds: 2600)
    let viewer = try #require(hub.join())
    let start = drain(viewer)
    #expect(start.prefix(3).map(\.media.kind) == [.data, .video, .audio])
    #expect(start.headers == [.data, .video, .audio])
    // ffmpeg treats metadata at any other time as a subtitle.
    #expect(start.prefix(3).map(\.media.timestamp) == [0, 2000, 2000])
    #expect(start[3].isKeyFrame && start[3].time.milliseconds == 2000)
    #expect(start.times(.video) == Array(stride(from: 2000, to: 2600, by: 40)))
    #expect(start.times(.audio) == Array(stride(from: 2000, to: 2600, by: 20)))
    publisher.run(milliseconds: 400)
    let rest = drain(viewer)
    #expect(rest.times(.video) == Array(stride(from: 2600, to: 3000, by: 40)) && rest.headers.isEmpty)
  }

  @Test("the length of an encoder's input is not that of the stream")
  func length() throws {
    var publisher = Publisher.started()
    var payload: [UInt8] = []
    payload.appendAMF0("onMetaData", .ecmaArray(["duration": 120.0, "width": 640.0, "filesize": 1000.0]))
    publisher.hub.publish(MediaMessage(.data, timestamp: 0, payload: payload), now: publisher.now)
    publisher.run(milliseconds: 100)
    let viewer = try #require(publisher.hub.join())
    let first = try #require(drain(viewer).first)
    let values = try first.media.payload.withUnsafeBytes { try AMF0Reader.values(of: $0) }
    #expect(values == ["onMetaData", .ecmaArray(["width": 640.0])])
  }

  @Test("a viewer that wants the past starts with the oldest key frame kept")
  func past() throws {
    var publisher = Publisher.started()
    publisher.run(milliseconds: 3600)
    let viewer = try #require(publisher.hub.join(.init(wantsPast: true)))
    let got = drain(viewer)
    #expect(got.headers == [.data, .video, .audio] && got[3].isKeyFrame)
    #expect(got.times(.video) == Array(stride(from: 0, to: 3600, by: 40)) && viewer.counters.droppedFrames == 0)
  }

  @Test(
    "the past covers at least eight seconds at any time, and is no longer than necessary",
    arguments: [1000, 2000, 5000])
  func pastLength(keyInterval: Int64) throws {
    var publisher = Publisher.started()
    publisher.keyInterval = keyInterval
    publisher.run(milliseconds: 15_000)
    let hub = publisher.hub
    for _ in 0..<100 {
      publisher.run(milliseconds: 60)
      let viewer = try #require(hub.join(.init(wantsPast: true)))
      let first = try #require(drain(viewer).first { $0.isKeyFrame })
      let age = publisher.time - 40 - first.time.milliseconds
      #expect(age >= 8000 - 40 && age < 8000 + keyInterval + 40, "\(age)")
    }
  }

  @Test("messages for many viewers are serialized once")
  func shared() throws {
    var publisher = Publisher.started()
    let hub = publisher.hub
    publisher.run(milliseconds: 100)
    let first = drain(try #require(hub.join()))
    let second = drain(try #require(hub.join()))
    #expect(first.count == second.count && first.count > 5)
    for (one, other) in zip(first, second) { #expect(one === other) }
    #expect(first[3].tag == FLVStream.tag(first[3].media))
    #expect(first[3].chunks(ofSize: 4096).bytes == PreparedMedia(first[3].media, chunkSize: 4096).bytes)
  }

  @Test("viewers at the same position share batches, and get the same as one that reads message by message")
  func together() throws {
    var publisher = Publisher.started()
    publisher.run(milliseconds: 500)
    let viewers = try (0..<3).map { _ in try #require(publisher.hub.join()) }
    // A new viewer lacks the headers.
    #expect(viewers[0].batch() == nil)
    for viewer in viewers { _ = drain(viewer) }
    #expect(viewers[0].batch() == nil, "there is no new message")
    publisher.run(milliseconds: 40)
    let batch = try #require(viewers[0].batch())
    #expect(viewers[0].take(batch) && viewers[1].take(batch))
    #expect(!viewers[0].take(batch), "a batch is not taken twice")
    let single = drain(viewers[2])
    #expect(batch.media.map(\.media) == single.map(\.media) && batch.media.count == 3)
    #expect(!viewers[2].take(batch), "a viewer that has the batch does not take it again")
    #expect(viewers[0].counters == viewers[2].counters)
    publisher.run(milliseconds: 20)
    #expect(drain(viewers[0]).map(\.time) == drain(viewers[2]).map(\.time))
  }

  @Test("a viewer that lacks a header, wants only audio, waits for a key frame or is behind takes no batch")
  func apart() throws {
    var publisher = Publisher.started()
    publisher.run(milliseconds: 500)
    let viewer = try #require(publisher.hub.join())
    let listener = try #require(publisher.hub.join(.init(wantsVideo: false)))
    let late = try #require(publisher.hub.join())
    for one in [viewer, listener, late] { _ = drain(one) }
    publisher.run(milliseconds: 20)
    let batch = try #require(viewer.batch())
    #expect(listener.batch() == nil && !listener.take(batch))
    publisher.headers(sps: 0x1f)
    publisher.run(milliseconds: 20)
    #expect(viewer.batch() == nil, "the new configuration comes first")
    publisher.run(milliseconds: 3000)
    #expect(late.batch() == nil, "the viewer is behind")
    _ = drain(late)
    late.skipToNewest()
    publisher.run(milliseconds: 40)
    #expect(late.batch() == nil, "the viewer waits for a key frame")
  }

  @Test("before the first key frame no viewer gets video, and no viewer gets half a group")
  func beforeKeyFrame() throws {
    var publisher = Publisher.started()
    let hub = publisher.hub
    publisher.time = 600
    let viewer = try #require(hub.join())
    publisher.run(milliseconds: 300)
    let start = drain(viewer)
    #expect(start.times(.video).isEmpty && start.times(.audio).count == 15)
    publisher.run(milliseconds: 300)
    #expect(drain(viewer).times(.video).first == 1000)
    #expect(hub.statistics.dropped == 10)
  }

  @Test("a viewer at half the stream's rate gets all the audio and whole groups of pictures, and uses no memory")
  func slow() throws {
    var publisher = Publisher.started()
    let hub = publisher.hub
    publisher.run(milliseconds: 1000)
    let viewer = try #require(hub.join())
    var got: [LiveMedia] = []
    // 55,100 bytes per second are published.
    var budget = 0
    var kept = 0
    publisher.run(milliseconds: 60_000) { _ in
      budget += 560
      while budget > 0, case .media(let media) = viewer.next() {
        got.append(media)
        budget -= media.media.payload.count
      }
      kept = max(kept, hub.statistics.keptBytes)
    }
    got += drain(viewer)
    let sound = got.times(.audio)
    #expect(sound.count > 2990 && zip(sound, sound.dropFirst()).allSatisfy { $1 - $0 == 20 }, "\(sound.count)")
    #expect(viewer.counters.overruns == 0 && viewer.counters.thinnings > 5)
    let pictures = got.filter { $0.media.kind == .video }.dropFirst()
    // After a gap there is always a key frame.
    for (before, after) in zip(pictures, pictures.dropFirst()) where after.time.milliseconds(since: before.time) != 40 {
      #expect(after.isKeyFrame)
    }
    #expect(pictures.count > 400 && pictures.count < 1100, "\(pictures.count)")
    #expect(kept < 600_000, "\(kept)")
    #expect(zip(got, got.dropFirst()).allSatisfy { $0.time <= $1.time })
  }

  @Test("a viewer's video never lags by more than the limit")
  func lag() throws {
    var publisher = Publisher.started()
    let hub = publisher.hub
    publisher.run(milliseconds: 1000)
    let viewer = try #require(hub.join())
    _ = drain(viewer)
    var largest: Int64 = 0
    var step = 0
    publisher.run(milliseconds: 30_000) { now in
      // 62 of 75 messages per second.
      step += 1
      guard step % 4 == 0 else { return }
      for _ in 0..<5 {
        if case .media(let media) = viewer.next(), media.media.kind == .video {
          largest = max(largest, now - media.time.milliseconds)
        }
      }
    }
    #expect(largest <= 2000 && viewer.counters.thinnings > 0 && viewer.counters.overruns == 0)
  }

  @Test("a dead viewer costs nothing, and restarts at a key frame when it resumes")
  func dead() throws {
    var publisher = Publisher.started()
    let hub = publisher.hub
    publisher.run(milliseconds: 1000)
    let viewer = try #require(hub.join())
    _ = drain(viewer)
    publisher.run(milliseconds: 100_000)
    #expect(hub.statistics.keptBytes < 600_000 && hub.statistics.keptMessages < 800)
    let again = drain(viewer)
    #expect(viewer.counters.overruns == 1)
    #expect(again.first?.isKeyFrame == true && again.headers.isEmpty)
    #expect(again.first?.time.milliseconds == 100_000)
  }

  @Test("a change of configuration reaches every viewer before the next frame")
  func changes() throws {
    var publisher = Publisher.started()
    let hub = publisher.hub
    publisher.run(milliseconds: 1000)
    let fast = try #require(hub.join())
    let slow = try #require(hub.join())
    _ = drain(fast)
    publisher.headers(sps: 0x1f)
    publisher.run(milliseconds: 1000)
    let late = try #require(hub.join())
    for got in [drain(fast), drain(slow)] {
      let change = try #require(got.lastIndex { if case .header = MediaRole($0.media) { true } else { false } })
      #expect(got[change].media.kind == .video && got[change].media.payload.contains(0x1f))
      #expect(got[change].time.milliseconds == 1000 && got[change + 1].isKeyFrame && got[change + 1].time.milliseconds == 1000)
    }
    #expect(drain(late).headers == [.data, .video, .audio])
    // Repeating the same headers is not a change.
    publisher.headers(sps: 0x1f)
    publisher.run(milliseconds: 100)
    #expect(drain(fast).headers.isEmpty)
  }

  @Test("when a publisher returns, its viewers remain and their timestamps continue")
  func comesBack() throws {
    var publisher = Publisher.started()
    let hub = publisher.hub
    publisher.run(milliseconds: 1500)
    let viewer = try #require(hub.join())
    let before = drain(viewer)
    hub.endPublish()
    let waiting = try #require(hub.join())
    #expect(drain(waiting).isEmpty)
    // Three seconds later, with a clock that restarts at 0.
    var next = Publisher(hub)
    next.time = 5000
    next.shift = -5000
    next.headers()
    next.run(milliseconds: 1000)
    let after = drain(viewer)
    let last = try #require(before.last?.time.milliseconds)
    #expect(after.headers.isEmpty, "the configuration is the same")
    #expect(after.first?.isKeyFrame == true && after.first?.time.milliseconds == last + 3520)
    #expect(after.times(.video).count == 25 && drain(waiting).times(.video).count == 25)
    #expect(hub.statistics.jumps == 0)
  }

  @Test(
    "a jump of the publisher's clock does not affect the viewers", arguments: [-100_000, 3_000_000, 0x8000_0000] as [Int64])
  func jump(shift: Int64) throws {
    let hub = StreamHub()
    var publisher = Publisher(hub)
    publisher.shift = 200_000
    publisher.headers()
    publisher.run(milliseconds: 1000)
    let viewer = try #require(hub.join())
    _ = drain(viewer)
    publisher.shift += shift
    publisher.run(milliseconds: 1000)
    let times = drain(viewer).map(\.time.milliseconds)
    #expect(times.first == 201_000 && times.last == 201_980)
    #expect(hub.statistics.jumps == 1)
  }

  @Test("a timestamp wraparound is not a jump")
  func wrap() throws {
    let hub = StreamHub()
    var publisher = Publisher(hub)
    publisher.shift = Int64(UInt32.max) - 500
    publisher.headers()
    let viewer = try #require(hub.join())
    publisher.run(milliseconds: 1000)
    let got = drain(viewer)
    let times = got.times(.audio)
    #expect(times.count == 50 && zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 20 })
    #expect(got.last?.media.timestamp == 479 && hub.statistics.jumps == 0)
  }

  @Test("in an audio-only stream a new viewer starts with one second of audio")
  func soundOnly() throws {
    let hub = StreamHub()
    var publisher = Publisher(hub)
    publisher.hasVideo = false
    publisher.headers()
    publisher.run(milliseconds: 10_000)
    let start = drain(try #require(hub.join()))
    #expect(start.headers == [.data, .audio])
    #expect(start.times(.audio).first == 9000 && start.times(.audio).count == 50)
    #expect(hub.statistics.keptMessages < 450)
  }

  @Test("a group that is too long or too large is not kept completely; new viewers wait for the next key frame")
  func endlessGroup() throws {
    for limits in [StreamHub.Limits(longestGroup: 3000), .init(bytes: 100_000), .init(messages: 100)] {
      let hub = StreamHub(limits: limits)
      var publisher = Publisher(hub)
      publisher.keyInterval = 20_000
      publisher.headers()
      publisher.run(milliseconds: 19_000)
      #expect(hub.statistics.keptBytes <= 500_000 && hub.statistics.groupLength == nil)
      let viewer = try #require(hub.join())
      let start = drain(viewer)
      #expect(start.times(.video).isEmpty && !start.times(.audio).isEmpty)
      publisher.run(milliseconds: 2000)
      #expect(drain(viewer).times(.video).first == 20_000)
    }
  }

  @Test("viewers select media kinds and can change the selection")
  func keyFrameRequests() throws {
    var publisher = Publisher.started()
    let hub = publisher.hub
    publisher.run(milliseconds: 1500)
    let viewer = try #require(hub.join(.init(wantsVideo: false)))
    let start = drain(viewer)
    #expect(start.headers == [.data, .audio] && start.times(.video).isEmpty)
    viewer.options.wantsVideo = true
    publisher.run(milliseconds: 1000)
    let then = drain(viewer)
    #expect(then.headers == [.video] && then.times(.video).first == 2000)
    publisher.run(milliseconds: 1100)
    viewer.skipToNewest()
    #expect(drain(viewer).isEmpty)
    publisher.run(milliseconds: 1000)
    #expect(drain(viewer).times(.video).first == 4000)
  }

  @Test("viewers above the limit are rejected, and those that leave make room")
  func viewers() throws {
    let hub = StreamHub(limits: .init(viewers: 2))
    var viewers = [try #require(hub.join()), try #require(hub.join())]
    #expect(hub.join() == nil && hub.statistics.viewers == 2)
    viewers.removeLast()
    #expect(hub.statistics.viewers == 1 && hub.join() != nil)
  }

  @Test("a stream reports its end after all messages were read")
  func over() throws {
    var publisher = Publisher.started()
    let hub = publisher.hub
    publisher.run(milliseconds: 100)
    let viewer = try #require(hub.join())
    hub.close()
    #expect(drain(viewer).count > 5)
    guard case .end = viewer.next() else {
      Issue.record("no end")
      return
    }
    #expect(hub.join() == nil)
  }

  @Test("unreadable messages are dropped, and the number of headers is limited")
  func hostile() {
    let hub = StreamHub()
    hub.beginPublish()
    let now = Instant(microseconds: 0)
    for payload in [[], [0x17], [0x17, 9, 0, 0, 0], [0x96, 0x31]] as [[UInt8]] {
      let isTaken = hub.publish(MediaMessage(.video, timestamp: 0, payload: payload), now: now)
      #expect(!isTaken)
    }
    // A sequence header for each of 256 tracks.
    for track in UInt8(0)...255 {
      hub.publish(MediaMessage(.video, timestamp: 0, payload: [0x96, 0x00] + Array("avc1".utf8) + [track, 1]), now: now)
    }
    #expect(hub.statistics.messages == StreamHeaders.limit)
    var random = UInt64(1)
    for index in 0..<20_000 {
      random = random &* 6_364_136_223_846_793_005 &+ 1
      let isKey = random >> 60 == 0
      hub.publish(
        MediaMessage(
          random >> 63 == 0 ? .video : .audio, timestamp: UInt32(truncatingIfNeeded: random >> 20),
          payload: VideoTag.avcHeader(.codedFrames, isKeyFrame: isKey) + [UInt8](repeating: 0, count: Int(random >> 33 & 0xfff))
        ),
        now: Instant(microseconds: Int64(index)))
    }
    #expect(hub.statistics.keptBytes <= 24 << 20 && hub.statistics.keptMessages <= 8192)
  }
}
