/// A link of a track, or of one layer, to another worker or room that has subscribers of it.
struct WorkerLink {
  let injection: TrackInjection
  /// The key frame requests of the reader that were passed on.
  var requests = 0
}
