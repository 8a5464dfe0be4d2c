import RTP

/// A command message (RTMP 1.0 §7.1.1, §7.2): a name, a transaction, an object and arguments.
public struct Command: Hashable, Sendable {
  /// What is to be done: connect, publish; or an answer: _result, _error, onStatus.
  public var name: String
  /// What an answer repeats; 0 where none is wanted.
  public var transaction: Double
  /// The command object; null with most commands.
  public var object: AMFValue
  /// What follows it.
  public var arguments: [AMFValue]

  /// A command of these parts.
  public init(_ name: String, transaction: Double = 0, object: AMFValue = .null, arguments: [AMFValue] = []) {
    self.name = name
    self.transaction = transaction
    self.object = object
    self.arguments = arguments
  }

  /// Nil where the message is no command; throws where it is one and can't be read. A missing transaction or object is taken
  /// for 0 and null, as librtmp's peers leave them out.
  public init?(_ message: RTMPMessage, limits: AMFLimits = AMFLimits()) throws(AMFError) {
    guard message.type == .command || message.type == .commandAMF3 else { return nil }
    let values = try message.values(limits: limits)
    guard case .string(let name)? = values.first else { throw .unknownMarker(message.payload.first ?? 0) }
    self.name = name
    transaction = values.count > 1 ? values[1].number ?? 0 : 0
    object = values.count > 2 ? values[2] : .null
    arguments = Array(values.dropFirst(3))
  }

  /// The command in AMF0 form, which every peer reads.
  public func message(on stream: MessageStreamID = .connection) -> RTMPMessage {
    var payload: [UInt8] = []
    payload.appendAMF0(.string(name), .number(transaction), object)
    for argument in arguments { payload.appendAMF0(argument) }
    return RTMPMessage(type: .command, stream: stream, payload: payload)
  }
}

extension RTMPMessage {
  /// The AMF values of a command or data message. The AMF3 forms begin with a byte that says which AMF follows; in practice it
  /// is always 0, for AMF0, which itself may switch (§7.1.1).
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
