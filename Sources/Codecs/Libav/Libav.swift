import RoomCFFmpeg

/// Helpers for all FFmpeg libraries.
enum Libav {
  private static let quiet: Void = av_log_set_level(AV_LOG_QUIET)

  /// FFmpeg prints a message for every corrupt byte, but errors are reported to the caller here.
  static func silence() { _ = quiet }

  static func message(_ code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(AV_ERROR_MAX_STRING_SIZE)) { buffer in
      guard let base = buffer.baseAddress, av_strerror(code, base, buffer.count) >= 0 else { return "error \(code)" }
      return String(cString: base)
    }
  }
}
