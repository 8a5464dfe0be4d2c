/// The programs of a transport stream, as its association table lists them in one or more sections.
struct ProgramAssociation {
  /// Sections that are read: they list a thousand programs.
  private static let mostSections: UInt8 = 4

  private var sections: [UInt8: ProgramTables.Association] = [:]

  /// The programs in the order of the table.
  var programs: [(number: Int, mapPID: Int)] {
    (0..<Self.mostSections).flatMap { sections[$0]?.programs ?? [] }
  }

  /// Whether the table has arrived.
  var isComplete: Bool {
    guard let any = sections.values.first else { return false }
    return (0...min(any.lastSection, Self.mostSections - 1)).allSatisfy { sections[$0] != nil }
  }

  /// Takes a section. One of another version replaces the whole table. Returns whether the table changed.
  mutating func take(_ section: ProgramTables.Association) -> Bool {
    guard section.section < Self.mostSections, sections[section.section] != section else { return false }
    if let other = sections.values.first, (other.version, other.lastSection) != (section.version, section.lastSection) {
      sections = [:]
    }
    sections[section.section] = section
    return true
  }

  /// Returns the program to read: the wanted one; without a wish, the one that is read as long as it exists, else the first.
  func selection(wanted: Int?, current: Int?) -> (number: Int, mapPID: Int)? {
    let programs = programs
    if let wanted { return programs.first { $0.number == wanted } }
    return programs.first { $0.number == current } ?? programs.first
  }
}
