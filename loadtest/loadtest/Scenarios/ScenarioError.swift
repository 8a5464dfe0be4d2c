/// A scenario that can't be played, in a sentence for whoever wrote it.
struct ScenarioError: Error, CustomStringConvertible, Equatable {
  let description: String

  init(_ description: String) { self.description = description }

  /// A name that nobody knows, with the one that was probably meant.
  init(unknown kind: String, _ name: String, known: [String]) {
    let hint =
      Self.nearest(to: name, among: known).map { "; is \"\($0)\" meant?" } ?? ": \(known.sorted().joined(separator: ", "))"
    self.init("there is no \(kind) \"\(name.prefix(64))\"\(hint)")
  }

  /// The known name that is least far from a misspelt one; nil where none is near.
  static func nearest(to name: String, among known: [String]) -> String? {
    let name = Array(name.lowercased().prefix(64))
    let ranked = known.map { (name: $0, steps: steps(from: name, to: Array($0.lowercased()))) }
    guard let best = ranked.min(by: { $0.steps < $1.steps }), best.steps <= max(1, name.count / 3 + 1) else { return nil }
    return best.name
  }

  /// Letters that have to be put in, taken out or changed.
  private static func steps(from one: [Character], to other: [Character]) -> Int {
    var row = Array(0...other.count)
    for (index, letter) in one.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for (place, candidate) in other.enumerated() {
        let change = diagonal + (letter == candidate ? 0 : 1)
        diagonal = row[place + 1]
        row[place + 1] = min(change, row[place] + 1, diagonal + 1)
      }
    }
    return row[other.count]
  }
}
