import RoomRTMP
import RoomTestSupport

extension SeededGenerator {
  /// Returns the bytes after several steps, each of which changes, removes or inserts some.
  mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...Int.random(in: 0...3, using: &self) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &self)
      switch next() % 6 {
      case 0: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...8, using: &self)))
      case 1: bytes.insert(contentsOf: self.bytes(Int.random(in: 1...8, using: &self)), at: place)
      case 2: bytes[place] = 0xff
      default: bytes[place] = UInt8.random(in: 0...255, using: &self)
      }
    }
    return bytes
  }
}

extension ChunkReader {
  /// Returns all messages of `bytes`, fed in pieces of at most `step` bytes.
  mutating func messages(_ bytes: [UInt8], step: Int = .max) throws(ChunkError) -> [RTMPMessage] {
    var messages: [RTMPMessage] = []
    var start = 0
    while start < bytes.count {
      let end = start + min(step, bytes.count - start)
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: end - start, alignment: 1)
      defer { memory.deallocate() }
      memory.copyBytes(from: bytes[start..<end])
      var view = UnsafeRawBufferPointer(memory)
      while let message = try read(&view) { messages.append(message) }
      start = end
    }
    return messages
  }
}

extension FLVDemuxer {
  /// Returns all messages of `bytes`, fed in pieces of at most `step` bytes.
  mutating func messages(_ bytes: [UInt8], step: Int = .max) throws(FLVError) -> [MediaMessage] {
    var messages: [MediaMessage] = []
    var start = 0
    while start < bytes.count {
      let end = start + min(step, bytes.count - start)
      let piece = Array(bytes[start..<end])
      var result = Result<Void, FLVError>.success(())
      piece.withUnsafeBytes { memory in
        var view = memory
        do throws(FLVError) { while let message = try read(&view) { messages.append(message) } } catch {
          result = .failure(error)
        }
      }
      try result.get()
      start = end
    }
    return messages
  }
}

/// Returns the chunks of messages on the video channel, for a peer that already knows the chunk size.
func chunks(_ messages: [RTMPMessage], chunkSize: Int = 128) -> [UInt8] {
  var writer = ChunkWriter()
  var bytes: [UInt8] = []
  writer.setChunkSize(chunkSize, into: &bytes)
  bytes.removeAll()
  for message in messages { writer.write(message, on: .video, into: &bytes) }
  return bytes
}

/// Returns a video message that looks like H.264.
func videoMessage(_ timestamp: UInt32, isKeyFrame: Bool = false, bytes: Int = 20) -> MediaMessage {
  MediaMessage(
    .video, timestamp: timestamp,
    payload: VideoTag.avcHeader(.codedFrames, isKeyFrame: isKeyFrame)
      + [UInt8](repeating: UInt8(timestamp & 0xff), count: bytes))
}

/// Returns an audio message that looks like AAC.
func audioMessage(_ timestamp: UInt32, bytes: Int = 10) -> MediaMessage {
  MediaMessage(
    .audio, timestamp: timestamp,
    payload: AudioTag.aacHeader(.codedFrames) + [UInt8](repeating: UInt8(timestamp & 0xff), count: bytes))
}
