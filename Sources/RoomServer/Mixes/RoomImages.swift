import Codecs
import Mixing
import RoomProtocol

/// The images that a room's mixes may show, by name.
struct RoomImages: Sendable {
  /// What is behind a mix.
  func background(_ wanted: MergeBackground?) -> Background {
    if let colour = wanted?.colour.flatMap(RGBColour.init) { return .colour(YUVColour(colour)) }
    return .colour(.black)
  }
}
