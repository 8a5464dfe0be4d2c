/// What is read of AV1 payloads, which are routed untouched (RTP Payload Format for AV1 §4.4).
public enum AV1 {
  /// Whether `payload` begins a coded video sequence: N is set, and Z (a continued OBU) is not.
  public static func startsKeyFrame(_ payload: UnsafeRawBufferPointer) -> Bool {
    guard let base = payload.baseAddress, payload.count >= 2 else { return false }
    return base.load8(0) & 0x88 == 0x08
  }
}
