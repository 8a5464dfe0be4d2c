/// A link of a track, or of one layer, to another worker that has subscribers of it.
struct WorkerLink {
  let injection: TrackInjection
  /// The other worker's number.
  let worker: Int
  /// The key frame requests of the other worker that were passed on.
  var requests = 0
}
