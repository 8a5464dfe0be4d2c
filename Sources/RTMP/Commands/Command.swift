import RoomRTP

/// A command message (RTMP 1.0 §7.1.1, §7.2): a name, a transaction, an object and arguments.
public struct Command: Hashable, Sendable {
  /// The command, such as connect or publish; or an answer: _result, _error, onStatus.
  public var name: String
  /// The transaction id, which the answer repeats; 0 if no answer is wanted.
  public var transaction: Double
  /// The command object; null for most commands.
  public var object: AMFValue
  /// The values after the command object.
  public var arguments: [AMFValue]

  /// Creates a command.
  public init(_ name: String, transaction: Double = 0, object: AMFValue = .null, arguments: [AMFValue] = []) {
    self.name = name
    self.transaction = transaction
    self.object = object
    self.arguments = arguments
  }

  /// Returns nil if the message is not a command. A missing transaction or object becomes 0 or null, because librtmp's peers
  /// omit them.
  /// - Throws: ``AMFError`` if the message is an unreadable command.
  public init?(_ message: RTMPMessage, limits: AMFLimits = AMFLimits()) throws(AMFError) {
    guard message.type == .command || message.type == .commandAMF3 else { return nil }
    let values = try message.values(limits: limits)
    guard case .string(let name)? = values.first else { throw .unknownMarker(message.payload.first ?? 0) }
    self.name = name
    transaction = values.count > 1 ? values[1].number ?? 0 : 0
    object = values.count > 2 ? values[2] : .null
    arguments = Array(values.dropFirst(3))
  }

  /// Returns the command in AMF0 form, which every peer reads.
  public func message(on stream: MessageStreamID = .connection) -> RTMPMessage {
    var payload: [UInt8] = []
    payload.appendAMF0(.string(name), .number(transaction), object)
    for argument in arguments { payload.appendAMF0(argument) }
    return RTMPMessage(type: .command, stream: stream, payload: payload)
  }
}

extension RTMPMessage {
  /// Returns the AMF values of a command or data message. The AMF3 forms begin with a byte for the AMF version. In practice it
  /// is always 0 for AMF0, which may itself switch (§7.1.1).
  func values(limits: AMFLimits = AMFLimits()) throws(AMFError) -> [AMFValue] {
    var result = Result<[AMFValue], AMFError>.success([])
    payload.withUnsafeBytes { bytes in
      let isPrefixed = (type == .commandAMF3 || type == .dataAMF3) && bytes.first == 0
      do throws(AMFError) {
        result = .success(try AMF0Reader.values(of: isPrefixed ? bytes.part(from: 1) : bytes, limits: limits))
      } catch { result = .failure(error) }
    }
    return try result.get()
  }
}
