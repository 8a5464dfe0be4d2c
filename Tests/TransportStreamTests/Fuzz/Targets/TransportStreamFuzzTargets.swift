import RoomRTMP
import RoomRTP

@testable import RoomTransportStream

/// The fuzz targets by name. The tests run the stored inputs through the same code.
let transportStreamFuzzTargets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = [
  "transport-stream": fuzzDemuxer, "transport-sound": fuzzSound, "transport-tables": fuzzTables, "hevc": fuzzHEVC,
]

/// A stream in pieces whose lengths depend on its bytes. Times do not go back. What is read is written, and read again.
@Sendable private func fuzzDemuxer(_ bytes: UnsafeRawBufferPointer) {
  var demuxer = TransportStreamDemuxer()
  var messages = StreamMessages()
  var muxer = MessageMuxer(hasVideo: true, hasAudio: true)
  var again = TransportStreamDemuxer()
  var rest = bytes
  var written: [UInt8] = []
  var (picture, sound): (MediaTime?, MediaTime?)
  while let first = rest.first {
    let length = min(rest.count, first & 1 == 0 ? rest.count : Int(first) + 1)
    demuxer.receive(UnsafeRawBufferPointer(rebasing: rest.prefix(length)))
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(length))
    while let frame = demuxer.nextFrame() {
      if case .picture(_, _, let time, _, _) = frame {
        precondition(picture.map { time > $0 } ?? true)
        picture = time
      }
      if case .sound(_, _, let time) = frame {
        precondition(sound.map { time > $0 } ?? true)
        sound = time
      }
      for message in messages.messages(of: frame) { written += muxer.packets(of: message) }
    }
  }
  written += muxer.flush()
  precondition(written.count % 188 == 0)
  written.withUnsafeBytes { again.receive($0) }
  while again.nextFrame() != nil {}
  precondition(again.counters.gaps == 0)
}

/// A PES stream of sound, behind a byte that chooses how it is framed. All frames together are no longer than the stream.
@Sendable private func fuzzSound(_ bytes: UnsafeRawBufferPointer) {
  guard let first = bytes.first else { return }
  let framings: [SoundFraming] = [.adts, .loas, .opus(.stereo), .mpegAudio, .ac3]
  var track = SoundTrack(pid: 1, framing: framings[Int(first) % framings.count])
  var timeline = ProgramTimeline()
  var length = 0
  let rest = bytes.part(from: 1)
  var position = 0
  while position < rest.count {
    let count = min(rest.count - position, 1 + Int(first) * 16)
    let isStart = position == 0 || rest.part(from: position).starts(with: [0, 0, 1])
    track.take(rest.part(position, count), startsUnit: isStart, &timeline) { frame in
      if case .sound(let sound, let format, _) = frame {
        length += sound.count
        precondition(!sound.isEmpty && !format.payload(of: sound).isEmpty)
      }
    }
    position += count
  }
  precondition(length <= bytes.count)
}

/// Tables without the check of their sum, which the fuzzer does not find.
@Sendable private func fuzzTables(_ bytes: UnsafeRawBufferPointer) {
  var sections = SectionAssembler()
  var association = ProgramAssociation()
  for section in sections.take(bytes, startsUnit: true) + sections.take(bytes, startsUnit: false) {
    var section = section
    guard section.count >= 12 else { continue }
    section.removeLast(4)
    let sum = ProgramTables.checksum(section)
    for shift in [24, 16, 8, 0] { section.append(UInt8(truncatingIfNeeded: sum >> UInt32(shift))) }
    if let part = ProgramTables.association(section) { _ = association.take(part) }
    if let map = ProgramTables.map(section) { _ = map.streams.map { StreamCodec($0) } }
  }
  precondition(association.programs.count <= 1024)
}

/// An access unit of HEVC, as a key frame and as another one.
@Sendable private func fuzzHEVC(_ bytes: UnsafeRawBufferPointer) {
  var pictures = HEVCPictures()
  let unit = Array(bytes)
  _ = HEVCUnit.pictureType(unit)
  for isKeyFrame in [true, false] {
    guard let payloads = pictures.payloads(of: unit, isKeyFrame: isKeyFrame, compositionTime: 40) else { continue }
    for payload in [payloads.sequenceHeader, payloads.picture].compactMap({ $0 }) {
      precondition(payload.withUnsafeBytes { VideoTag(parsing: $0)?.track.codec } == .fourCC(.hevc))
    }
  }
}
