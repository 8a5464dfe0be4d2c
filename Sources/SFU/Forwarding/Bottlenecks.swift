import RoomRTP

// Paths to one IP address, such as those of people behind one router, share a bottleneck: what it carries is divided among them.

extension Forwarder {
  /// Divides the bottlenecks that paths share. Called once in `layerInterval`.
  func shareBottlenecks() {
    var paths: [SIMD2<UInt64>: [Int]] = [:]
    for index in 0..<transports.end where transports.isLive(index) {
      guard let path = transports[index].pointee.path else { continue }
      guard path.pointee.hasLimit, let host = transports[index].pointee.host else {
        path.pointee.follow(share: nil)
        continue
      }
      paths[host, default: []].append(index)
    }
    bottlenecks = bottlenecks.filter { paths[$0.key, default: []].count > 1 }
    for (host, indices) in paths { share(host, among: indices) }
  }

  private func share(_ host: SIMD2<UInt64>, among indices: [Int]) {
    let members = indices.count > 1 ? indices.compactMap(member(_:)) : []
    let shares = members.isEmpty ? nil : bottlenecks[host, default: SharedBottleneck()].update(members)
    for (position, index) in indices.enumerated() {
      guard let path = transports[index].pointee.path else { continue }
      // Flows of one sender do not compete with each other.
      path.pointee.setCompetes(indices.count == 1)
      path.pointee.follow(share: shares?[position])
    }
  }

  private func member(_ index: Int) -> SharedBottleneck.Member? {
    guard let path = transports[index].pointee.path else { return nil }
    let audio = wanted(of: index, isVideo: false).map { tracks[subscriptions[$0].pointee.track].pointee.rate.wireRate }
    return path.pointee.member(audio: audio, video: max(0, path.pointee.wanted - audio.reduce(0, +)))
  }
}
