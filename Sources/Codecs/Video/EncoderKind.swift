/// What encodes pictures.
public enum EncoderKind: Sendable, Hashable {
  /// The processor.
  case software
  /// A device, by its path.
  case hardware(device: String)
  /// The processor, because no device is usable or the device failed; with the error's text.
  case fallback(reason: String)
}
