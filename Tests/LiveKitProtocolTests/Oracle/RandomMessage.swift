import RoomLiveKitProtocol

/// Writes random fields of a message as protobuf, by its table.
struct RandomMessage<Random: RandomNumberGenerator> {
  var random: Random
  /// Messages inside of messages, at most.
  private var depth = 5

  init(_ random: Random) { self.random = random }

  mutating func protobuf<M: Message>(_ type: M.Type) -> [UInt8] {
    var writer = ProtobufWriter()
    for field in M.fields.fields where chance(2) {
      for _ in 0..<(field.cardinality == .list || field.cardinality == .map ? Int.random(in: 0...3, using: &random) : 1) {
        // A table reads lists of numbers in both forms.
        if field.cardinality == .map {
          writer.tag(field.number, .run)
          let key = text()
          let value = self.value(field.kind)
          writer.nested { writer in
            writer.tag(1, .run)
            key.write(to: &writer)
            writer.tag(2, field.kind.wireType)
            writer.append(value)
          }
        } else {
          let value = self.value(field.kind)
          writer.tag(field.number, field.kind.wireType)
          writer.append(value)
        }
      }
    }
    return writer.bytes
  }

  /// A value without its tag.
  private mutating func value(_ kind: FieldKind) -> [UInt8] {
    var writer = ProtobufWriter()
    switch kind {
    case .bool: chance(2).write(to: &writer)
    case .int32: Int32.random(in: chance(2) ? Int32.min ... .max : -9...99, using: &random).write(to: &writer)
    case .int64: Int64.random(in: chance(2) ? Int64.min ... .max : -9...99, using: &random).write(to: &writer)
    case .uint32: UInt32.random(in: chance(2) ? UInt32.min ... .max : 0...99, using: &random).write(to: &writer)
    case .uint64: UInt64.random(in: chance(2) ? UInt64.min ... .max : 0...99, using: &random).write(to: &writer)
    case .float: Float(Int.random(in: -999...999, using: &random)).advanced(by: 0.125).write(to: &writer)
    case .double: Double.random(in: -1...1e6, using: &random).write(to: &writer)
    case .text: text().write(to: &writer)
    case .bytes:
      (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        .write(to: &writer)
    case .enumeration(let type):
      let known = type.names.keys.sorted().randomElement(using: &random) ?? 0
      // Now and then a value of a newer peer.
      (chance(8) ? 77 : known).write(to: &writer)
    case .message(let type):
      depth -= 1
      defer { depth += 1 }
      writer.run(depth > 0 ? protobuf(type) : [])
    }
    return writer.bytes
  }

  private mutating func text() -> String {
    (0..<Int.random(in: 0...12, using: &random)).map { _ in
      ["a", "Z", "\"", "\\", "\n", "\u{1}", "\u{7F}", "é", "房", "🎤", "\u{2028}", "/"].randomElement(using: &random) ?? ""
    }.joined()
  }

  private mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &random) == 0 }
}
