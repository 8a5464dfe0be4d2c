import RoomRTP
import Testing

@testable import RoomClient

@Suite("The shares of a transport's bitrate")
struct BitrateSharesTests {
  private func divide(_ total: Int, audio: Int = 0, _ videos: BitrateShares.Video...) -> [Mid: Int] {
    BitrateShares.divide(total, audio: audio, among: videos)
  }

  private let small = BitrateShares.Video(mid: "small", ceiling: 100, minimum: 40)
  private let large = BitrateShares.Video(mid: "large", ceiling: 1000, minimum: 400)

  @Test("audio has its share first, and videos divide the rest up to their ceilings")
  func rest() {
    #expect(divide(2000, audio: 60, small, large) == ["small": 100, "large": 1000])
    #expect(divide(860, audio: 60, small, large) == ["small": 100, "large": 700])
    #expect(divide(500, audio: 600, small, large) == ["small": 0, "large": 0])
  }

  @Test("a video whose minimum is not left is off, and the smallest has its minimum first")
  func minimum() {
    #expect(divide(440, small, large) == ["small": 40, "large": 400])
    #expect(divide(439, small, large) == ["small": 100, "large": 0])
    #expect(divide(39, small, large) == ["small": 0, "large": 0])
  }

  @Test("videos without ceiling or minimum divide what there is")
  func unlimited() {
    let videos = ["a", "b"].map { BitrateShares.Video(mid: $0, ceiling: nil, minimum: 0) }
    #expect(BitrateShares.divide(1001, audio: 1, among: videos) == ["a": 500, "b": 500])
    #expect(divide(0, small, videos[0]) == ["small": 0, "a": 0])
  }

  @Test("never more than the total is assigned, for any numbers")
  func bounded() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<1000 {
      let total = Int.random(in: 0...3000, using: &generator)
      let audio = Int.random(in: 0...200, using: &generator)
      let videos = (0..<Int.random(in: 0...5, using: &generator)).map { number in
        BitrateShares.Video(
          mid: "\(number)", ceiling: Bool.random() ? nil : Int.random(in: 0...1500, using: &generator),
          minimum: Int.random(in: 0...600, using: &generator))
      }
      let shares = BitrateShares.divide(total, audio: audio, among: videos)
      #expect(shares.values.reduce(0, +) <= max(0, total - audio))
      for video in videos {
        let share = shares[video.mid] ?? -1
        #expect(share == 0 || share >= min(video.minimum, video.ceiling ?? .max))
        #expect(share <= video.ceiling ?? .max)
      }
    }
  }
}

@Suite("The measured bitrate of audio")
struct AudioRateTests {
  @Test("it is assumed for a second, then measured; a pause in speech does not lower it")
  func measured() {
    var rate = AudioRate()
    #expect(rate.bitrate(of: ["a"]) == AudioRate.assumed)
    // 50 packets a second of 80 bytes, and 50 bytes around each.
    var now: Int64 = 0
    func send(_ bytes: Int, packets: Int, every interval: Int64) {
      for _ in 0..<packets {
        rate.sent(bytes, mid: "a", now: Instant(microseconds: now))
        now += interval
      }
    }
    send(80, packets: 101, every: 20_000)
    #expect((51_000...53_000).contains(rate.bitrate(of: ["a"])))
    now += 60_000_000
    send(80, packets: 2, every: 20_000)
    #expect((51_000...53_000).contains(rate.bitrate(of: ["a"])))
    // Silence with discontinuous transmission: after the memory the rate is that of the rare packets.
    send(5, packets: 20, every: 400_000)
    #expect(rate.bitrate(of: ["a"]) < 5000)
    #expect(rate.bitrate(of: [Mid]()) == 0)
  }
}
