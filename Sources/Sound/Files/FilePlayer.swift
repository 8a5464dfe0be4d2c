public import RoomCodecs

/// Plays the sound of files without gaps, as stereo at 48 kHz. One owner at a time.
///
/// The sound is read at the pace of the reader and reads the file as needed, on the reader's thread. Errors at a file's end are
/// like the end; a file that cannot be opened is left out and counted.
public final class FilePlayer {
  /// What follows the end of a file.
  public enum End: Sendable {
    /// Silence.
    case stop
    /// The same file.
    case loop
    /// The file whose path the closure returns; nil stops.
    case next(@Sendable () -> String?)
  }

  /// The number of files without sound that are left out at once. Then the player stops.
  private static let mostAttempts = 8

  /// The volume of the file, 0…4; 1 leaves it unchanged. Changes are smoothed over one block.
  public var volume: Double = 1
  /// What follows the end of a file.
  public var end: End
  /// Whether the player outputs silence without advancing. The sound fades within one block.
  public var isPaused = false
  /// The path of the current file.
  public private(set) var path: String
  /// Whether the last file ended.
  public private(set) var isAtEnd = false
  /// The number of files that could not be opened.
  public private(set) var failures = 0

  private var file: MediaFile?
  private var samples: [Int16] = []
  private var position = 0
  private var factor: Float = 1

  /// Opens a file with sound.
  /// - Throws: ``CodecError/file(path:reason:)``
  public init(path: String, end: End = .stop) throws(CodecError) {
    let file = try MediaFile(path: path, audioFormat: .stereo48k)
    guard file.audio != nil else { throw .file(path: path, reason: "the file has no audio") }
    self.file = file
    self.path = path
    self.end = end
  }

  /// Fills `block` with the next interleaved stereo samples in the scale of 16-bit samples, and with silence after the end.
  public func read(_ block: inout [Float]) {
    let wanted = volume.isFinite ? Float(min(max(volume, 0), 4)) : 1
    let target = isPaused ? 0 : wanted
    let isSilent = isPaused && factor == 0
    let step = (target - factor) / Float(max(1, block.count))
    for index in block.indices {
      factor += step
      block[index] = isSilent ? 0 : Float(next() ?? 0) * factor
    }
    factor = target
  }

  private func next() -> Int16? {
    if position == samples.count {
      guard !isAtEnd, refill() else { return nil }
    }
    defer { position += 1 }
    return samples[position]
  }

  private func refill() -> Bool {
    for _ in 0..<Self.mostAttempts {
      while let sample = try? file?.next() {
        guard case .audio(let frame) = sample, !frame.samples.isEmpty else { continue }
        samples = frame.samples
        position = 0
        return true
      }
      guard let following else { break }
      path = following
      file = try? MediaFile(path: following, audioFormat: .stereo48k)
      if file?.audio == nil { failures += 1 }
    }
    isAtEnd = true
    file = nil
    return false
  }

  private var following: String? {
    switch end {
    case .stop: nil
    case .loop: path
    case .next(let choose): choose()
    }
  }
}
