public import RoomLinkModel

/// The generator of all seeded tests: the same seed gives the same test.
public typealias SeededGenerator = RoomLinkModel.SeededGenerator

extension RoomLinkModel.SeededGenerator {
  /// Returns true with a probability in 0...1.
  public mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

  public mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }
}
