/// The reason why a scenario can't be run, as a sentence for its author.
struct ScenarioError: Error, CustomStringConvertible, Equatable {
  let description: String

  init(_ description: String) { self.description = description }

  /// An unknown name, with the known name that was probably intended.
  init(unknown kind: String, _ name: String, known: [String]) {
    let hint =
      Self.nearest(to: name, among: known).map { "; did you mean \"\($0)\"?" } ?? ": \(known.sorted().joined(separator: ", "))"
    self.init("there is no \(kind) \"\(name.prefix(64))\"\(hint)")
  }

  /// Returns the known name closest to a misspelt one, or nil if none is close.
  static func nearest(to name: String, among known: [String]) -> String? {
    let name = Array(name.lowercased().prefix(64))
    let ranked = known.map { (name: $0, steps: steps(from: name, to: Array($0.lowercased()))) }
    guard let best = ranked.min(by: { $0.steps < $1.steps }), best.steps <= max(1, name.count / 3 + 1) else { return nil }
    return best.name
  }

  /// Returns the edit distance: the number of letters to insert, delete or replace.
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
