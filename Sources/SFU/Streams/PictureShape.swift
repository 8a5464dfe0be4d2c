/// Whether a video's pictures are landscape.
enum PictureShape: UInt8 {
  case unknown, portrait, landscape

  /// A square is portrait.
  init(width: Int, height: Int) { self = width > height ? .landscape : .portrait }
}
