/// The boxes of a fragmented MP4 file with one track (ISO/IEC 14496-12). FFmpeg's muxer writes no VP8.
enum TrackMP4 {
  /// A frame. Times are in units of the track's timescale.
  struct Sample: Sendable, Hashable {
    var time: Int64
    var duration: UInt32
    var isKeyFrame: Bool
    var data: [UInt8]
  }

  /// Returns the initialization section.
  static func header(_ format: TrackFormat) -> [UInt8] {
    let isVideo = format.width > 0
    let entries =
      full("stsd", u32(1) + entry(format)) + full("stts", u32(0)) + full("stsc", u32(0)) + full("stsz", u32(0) + u32(0))
      + full("stco", u32(0))
    let media = full(isVideo ? "vmhd" : "smhd", flags: isVideo ? 1 : 0, zeros(isVideo ? 8 : 4))
    let data = box("dinf", full("dref", u32(1) + full("url ", flags: 1, [])))
    let handler = full("hdlr", u32(0) + Array((isVideo ? "vide" : "soun").utf8) + zeros(12) + Array("track".utf8) + [0])
    // Undetermined language.
    let mdhd = full("mdhd", u32(0) + u32(0) + u32(format.timescale) + u32(0) + u16(0x55C4) + u16(0))
    let mdia = box("mdia", mdhd + handler + box("minf", media + data + box("stbl", entries)))
    let size = u32(UInt32(clamping: format.width) << 16) + u32(UInt32(clamping: format.height) << 16)
    // Enabled, in the movie and in its preview.
    let tkhd = full(
      "tkhd", flags: 7,
      u32(0) + u32(0) + u32(1) + u32(0) + u32(0) + zeros(8) + u32(0) + u16(isVideo ? 0 : 0x100) + u16(0) + matrix + size)
    let mvhd = full(
      "mvhd", u32(0) + u32(0) + u32(1000) + u32(0) + u32(0x10000) + u16(0x100) + zeros(10) + matrix + zeros(24) + u32(2))
    let mvex = box("mvex", full("trex", u32(1) + u32(1) + u32(0) + u32(0) + u32(0)))
    return box("ftyp", Array("iso6".utf8) + u32(0) + Array("iso6iso5mp41".utf8))
      + box("moov", mvhd + box("trak", tkhd + mdia) + mvex)
  }

  /// Returns the samples as one fragment. Their times increase.
  static func fragment(_ number: UInt32, _ samples: [Sample]) -> [UInt8] {
    guard let first = samples.first else { return [] }
    var run: [UInt8] = []
    run.reserveCapacity(samples.count * 12)
    for sample in samples {
      // Depends on no other frame; or depends on others and is no sync sample (§8.8.3.1).
      run +=
        u32(sample.duration) + u32(UInt32(clamping: sample.data.count)) + u32(sample.isKeyFrame ? 0x0200_0000 : 0x0101_0000)
    }
    func moof(_ offset: UInt32) -> [UInt8] {
      // Data offset, and durations, sizes and flags of each sample.
      let trun = full("trun", flags: 0x701, u32(UInt32(clamping: samples.count)) + u32(offset) + run)
      let tfdt = full("tfdt", version: 1, u64(UInt64(clamping: first.time)))
      // Offsets are relative to this box.
      let traf = box("traf", full("tfhd", flags: 0x020000, u32(1)) + tfdt + trun)
      return box("moof", full("mfhd", u32(number)) + traf)
    }
    let length = samples.reduce(0) { $0 + $1.data.count }
    var fragment = moof(UInt32(clamping: moof(0).count + 8))
    fragment.reserveCapacity(fragment.count + 8 + length)
    fragment += u32(UInt32(clamping: 8 + length)) + Array("mdat".utf8)
    for sample in samples { fragment += sample.data }
    return fragment
  }

  /// The sample entry with the decoder's configuration.
  private static func entry(_ format: TrackFormat) -> [UInt8] {
    let (name, configuration) =
      switch format.codec {
      case .h264: ("avc1", "avcC")
      case .vp8: ("vp08", "vpcC")
      case .vp9: ("vp09", "vpcC")
      case .opus: ("Opus", "dOps")
      }
    let reference = zeros(6) + u16(1)
    let config = box(configuration, format.configuration)
    guard format.width > 0 else {
      return box(name, reference + zeros(8) + u16(2) + u16(16) + zeros(4) + u32(format.timescale << 16) + config)
    }
    let size = u16(UInt16(clamping: format.width)) + u16(UInt16(clamping: format.height))
    // 72 dpi, one frame in each sample, 24 bits.
    return box(
      name,
      reference + zeros(16) + size + u32(0x0048_0000) + u32(0x0048_0000) + zeros(4) + u16(1) + zeros(32) + u16(24) + u16(0xFFFF)
        + config)
  }

  private static let matrix: [UInt8] =
    u32(0x10000) + zeros(12) + u32(0x10000) + zeros(12) + u32(0x4000_0000)

  private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
    u32(UInt32(clamping: 8 + content.count)) + Array(name.utf8) + content
  }

  private static func full(_ name: String, version: UInt8 = 0, flags: UInt32 = 0, _ content: [UInt8]) -> [UInt8] {
    box(name, u32(UInt32(version) << 24 | flags) + content)
  }

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
  private static func u16(_ value: UInt16) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
  private static func u32(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
  private static func u64(_ value: UInt64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}
