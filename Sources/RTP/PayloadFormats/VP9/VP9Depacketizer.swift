/// Joins the payloads of one VP9 picture, which are passed in order and without a gap (RFC 9628).
///
/// A picture with several spatial layers becomes a superframe with its index at the end (VP9 bitstream specification, Annex B).
/// A decoder shows the superframe's last frame, the highest layer received.
public struct VP9Depacketizer: Sendable {
  private var data: [UInt8] = []
  /// The offset at which the frame of each layer starts.
  private var starts: [Int] = []
  private var pictureID: UInt16?
  private var layer: UInt8 = 0
  private var inFrame = false

  /// Creates an empty depacketizer.
  public init() {}

  /// Appends the next payload. Returns false if it cannot belong to the picture; the picture is then lost.
  public mutating func append(_ payload: UnsafeRawBufferPointer) -> Bool {
    guard let descriptor = VP9Descriptor(parsing: payload) else { return false }
    if !starts.isEmpty, descriptor.pictureID != pictureID { return false }
    if descriptor.startsFrame {
      guard !inFrame, starts.isEmpty || descriptor.spatialLayer > layer, starts.count < VP9Descriptor.maximumLayers else {
        return false
      }
      pictureID = descriptor.pictureID
      layer = descriptor.spatialLayer
      starts.append(data.count)
    } else {
      guard inFrame, descriptor.spatialLayer == layer else { return false }
    }
    data.append(contentsOf: payload.part(from: descriptor.length))
    inFrame = !descriptor.endsFrame
    return true
  }

  /// Returns the picture and resets the depacketizer; nil if nothing was appended or the frame of a layer has no end.
  public mutating func take() -> (data: [UInt8], isKeyFrame: Bool)? {
    defer { reset() }
    guard !starts.isEmpty, !inFrame else { return nil }
    let isKeyFrame = data.withUnsafeBytes { VP9.isKeyFrame($0) }
    if starts.count > 1 { appendIndex() }
    return (data, isKeyFrame)
  }

  /// Discards the appended payloads.
  public mutating func reset() { self = VP9Depacketizer() }

  private mutating func appendIndex() {
    let ends = starts.dropFirst() + [data.count]
    let sizes = zip(starts, ends).map { UInt32(truncatingIfNeeded: $1 - $0) }
    // Every size takes four bytes; there are at most eight frames.
    let marker = 0b110_00_000 | UInt8(3 << 3) | UInt8(truncatingIfNeeded: starts.count - 1)
    data.append(marker)
    for size in sizes { data.append(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: size >> ($0 * 8)) }) }
    data.append(marker)
  }
}
