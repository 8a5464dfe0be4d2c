import RoomLinkModel
import Foundation

/// Who is where: the sizes of rooms and the sizes of regions.
struct Population {
  /// The shares of nodes and rooms in each region; their sum is 1.
  static let regions = [0.25, 0.2, 0.15, 0.12, 0.1, 0.08, 0.06, 0.04]

  /// The viewers of each room, by Zipf's law with exponent 1: the second largest room has half of the viewers of the largest.
  let audiences: [Int]

  init(rooms: Int, viewers: Int, using generator: inout SeededGenerator) {
    let sum = (1...max(1, rooms)).reduce(0) { $0 + 1 / Double($1) }
    var audiences = (1...max(1, rooms)).map { rank in
      // A part of a viewer is one viewer in that part of the rooms.
      Int((Double(viewers) / sum / Double(rank) + generator.fraction()).rounded(.down))
    }
    audiences.shuffle(using: &generator)
    self.audiences = audiences
  }

  /// Draws a region in proportion to the shares.
  static func region(using generator: inout SeededGenerator) -> Int {
    var rest = generator.fraction()
    for (index, share) in regions.enumerated() {
      rest -= share
      if rest < 0 { return index }
    }
    return regions.count - 1
  }

  /// Draws the seconds until an event that happens once in `mean` seconds on average.
  static func wait(mean: Double, using generator: inout SeededGenerator) -> Double {
    -mean * log(1 - generator.fraction())
  }
}
