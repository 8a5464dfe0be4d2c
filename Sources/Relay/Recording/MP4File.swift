import RoomCodecs
import RoomLiveOrigin
import RoomRTP

/// A fragmented MP4 file that is being written. Fragments start at key frames if these are frequent enough, and last at most 2
/// s. Media that is not yet in a fragment is lost if the process ends.
struct MP4File {
  struct Picture {
    /// The decoding time on the recording's timeline.
    var time: MediaTime
    /// The composition time offset in ms.
    var offset: Int64
    var isKeyFrame: Bool
    var data: [UInt8]
  }

  /// The maximum duration of a fragment in ms. After half of it, a key frame starts the next fragment.
  private static let fragmentLength: Int64 = 2000
  /// The size in bytes after which the next fragment starts.
  private static let fragmentBytes = 8 << 20
  /// How long a picture waits for the next one, which determines its duration, in ms.
  private static let longestWait: Int64 = 1000

  let video: FragmentedMP4.Track?
  let audio: FragmentedMP4.Track?
  /// The number of samples that the muxer rejected.
  private(set) var dropped = 0
  private let muxer: FragmentedMP4
  /// The file's start on the recording's timeline.
  private let start: MediaTime
  private var soundClock: SoundClock
  private var waiting: Picture?
  /// The last interval between two pictures in ms.
  private var step: Int64 = 40
  private var fragmentStart: MediaTime?
  private var samples = 0
  private var bytes = 0
  private var hasPicture = false
  /// The presentation time that the index lists for the fragment.
  private var seekTime: Int64?
  private var index = FragmentIndex()
  private var written: Int64

  init(video: FragmentedMP4.Track?, audio: FragmentedMP4.Track?, start: MediaTime) throws(CodecError) {
    self.video = video
    self.audio = audio
    self.start = start
    muxer = try FragmentedMP4([video, audio].compactMap { $0 })
    soundClock = SoundClock(rate: audio?.sampleRate ?? 1)
    written = Int64(muxer.header.count)
  }

  /// The initialization section.
  var header: [UInt8] { muxer.header }

  /// Adds a picture. Returns a fragment if one is complete, otherwise no bytes.
  mutating func add(_ picture: Picture) -> [UInt8] {
    guard picture.time >= start else { return drop() }
    flushWaiting(next: picture.time)
    let fragment = isDue(at: picture.time, isKeyFrame: picture.isKeyFrame) ? cut() : []
    fragmentStart = fragmentStart ?? picture.time
    waiting = picture
    return fragment
  }

  /// Adds an audio frame of `count` samples. Returns a fragment if one is complete, otherwise no bytes.
  mutating func addSound(_ data: ArraySlice<UInt8>, at time: MediaTime, samples count: Int64) -> [UInt8] {
    guard let audio, time >= start else { return drop() }
    var fragment: [UInt8] = []
    if isDue(at: time, isKeyFrame: false) {
      if let waiting, time.milliseconds(since: waiting.time) > Self.longestWait { flushWaiting(next: nil) }
      fragment = cut()
    }
    fragmentStart = fragmentStart ?? waiting?.time ?? time
    let place = soundClock.place(time.relative(to: start), samples: count)
    if video == nil, samples == 0 { seekTime = place }
    add(
      .init(track: video == nil ? 0 : 1, decodingTime: place, duration: count, isKeyFrame: true), data,
      scale: Int64(audio.timescale))
    return fragment
  }

  /// Returns the last fragment and the index.
  mutating func finish() -> [UInt8] {
    flushWaiting(next: nil)
    let fragment = cut()
    return fragment + index.encoded(track: 1)
  }

  private func isDue(at time: MediaTime, isKeyFrame: Bool) -> Bool {
    guard samples > 0, let fragmentStart else { return false }
    let age = time.milliseconds(since: fragmentStart)
    return age >= Self.fragmentLength || isKeyFrame && age >= Self.fragmentLength / 2 || bytes >= Self.fragmentBytes
  }

  private mutating func flushWaiting(next: MediaTime?) {
    guard let picture = waiting else { return }
    waiting = nil
    if let next { step = max(1, next.milliseconds(since: picture.time)) }
    let sample = FragmentedMP4.Sample(
      track: 0, decodingTime: picture.time.relative(to: start).ticks(rate: 90_000), offset: picture.offset * 90,
      duration: step * 90,
      isKeyFrame: picture.isKeyFrame)
    if !hasPicture, picture.isKeyFrame { seekTime = sample.decodingTime + sample.offset }
    hasPicture = true
    add(sample, picture.data[...], scale: 90_000)
  }

  private mutating func add(_ sample: FragmentedMP4.Sample, _ data: ArraySlice<UInt8>, scale: Int64) {
    do throws(CodecError) {
      try muxer.add(sample, data: data)
      samples += 1
      bytes += data.count
    } catch { dropped += 1 }
  }

  private mutating func cut() -> [UInt8] {
    defer {
      samples = 0
      bytes = 0
      hasPicture = false
      seekTime = nil
      fragmentStart = waiting?.time
    }
    guard samples > 0, let fragment = try? muxer.takeFragment(), !fragment.isEmpty else { return [] }
    if let seekTime { index.add(time: seekTime, offset: written) }
    written += Int64(fragment.count)
    return fragment
  }

  private mutating func drop() -> [UInt8] {
    dropped += 1
    return []
  }
}
