import RoomSFU

/// A layer of a picture, as viewers name it.
package struct VideoLayer: Codable, Sendable, Hashable {
  /// The name of the layer at its publisher: its RID.
  package var encodingId: String
  /// In pixels.
  package var width: Int
  package var height: Int

  init(_ layer: TrackLayer) {
    encodingId = layer.rid.rawValue
    width = layer.size.width
    height = layer.size.height
  }

  /// The limit that selects it. The longer side limits both, so that it also selects the layer of an upright picture.
  var reception: Reception {
    let side = max(width, height)
    return Reception(maxWidth: side, maxHeight: side)
  }
}

/// The layers of a viewer's picture: the answer to `GET` of a session's layer.
package struct ViewerLayers: Encodable, Sendable {
  /// The chosen layer; nil for the best that the network carries.
  package var encodingId: String?
  /// Smallest first; empty if the picture has one size.
  package var layers: [VideoLayer]
}
