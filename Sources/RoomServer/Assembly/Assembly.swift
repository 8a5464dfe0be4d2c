import RoomHTTPServer

/// Starts the parts of a server in the order of their needs, and ends them in the reverse order.
package actor Assembly {
  package nonisolated let ground: ServerGround
  private let types: [any ServerPart.Type]
  /// A part that ends and throws when it has started, in tests.
  private let broken: (any ServerPart.Type)?
  /// In the order of their starts.
  private var started: [any ServerPart] = []
  private var starting: [any ServerPart.Type] = []

  package init(_ ground: ServerGround, _ types: [any ServerPart.Type], broken: (any ServerPart.Type)? = nil) {
    self.ground = ground
    self.types = types
    self.broken = broken
  }

  /// Returns a part, which the first call starts.
  package func part<Part: ServerPart>(_ type: Part.Type = Part.self) async throws(StartError) -> Part {
    for part in started { if let part = part as? Part { return part } }
    precondition(!starting.contains { $0 == type }, "\(type) needs itself")
    starting.append(type)
    defer { starting.removeLast() }
    let part = try await Part.start(in: self)
    if let broken, broken == type {
      await part.quiesce()
      await part.stop()
      throw .data(reason: "\(type) does not start")
    }
    started.append(part)
    return part
  }

  /// Returns a part if the server has it.
  package func optional<Part: ServerPart>(_ type: Part.Type) async throws(StartError) -> Part? {
    try await parts { $0 == type }.first as? Part
  }

  /// Returns the parts of some types that the server has, in the order of the list.
  package func parts(_ isWanted: @Sendable (any ServerPart.Type) -> Bool) async throws(StartError) -> [any ServerPart] {
    var parts: [any ServerPart] = []
    for type in types where isWanted(type) && type.isUsed(by: ground.configuration) { parts.append(try await start(type)) }
    return parts
  }

  private func start<Part: ServerPart>(_ type: Part.Type) async throws(StartError) -> any ServerPart { try await part(type) }

  /// Lets all parts begin what needs the addresses of the server.
  func serve(at addresses: ServerAddresses) async {
    for part in started { await part.serve(at: addresses) }
  }

  /// Ends all parts that have started. Another server may then use the ports and the data directory.
  func stop() async {
    for part in started.reversed() { await part.quiesce() }
    // A part that reads others, such as the metrics, finds those that still run.
    while let part = started.popLast() { await part.stop() }
    // A task that is about to end may keep the ground for a moment.
    ground.data?.unlock()
  }

  // MARK: All parts together

  /// Returns the text of `/metrics`.
  package func metrics() async -> String {
    var text = PrometheusText()
    for part in started { await part.addMetrics(to: &text) }
    return text.text
  }

  /// Adds what all parts know to a reading for alarms.
  package func read(into readings: inout AlarmReadings) async {
    for part in started { await part.read(into: &readings) }
  }
}
