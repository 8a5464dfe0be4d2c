/// The server half of a connectivity check (RFC 8445 §7.3, RFC 8489 §9.1.3): validates a Binding request and writes the reply.
///
/// No reply is larger than its request unless the address is already validated, so a forged source address gains nothing.
struct BindingRequest {
  let message: STUNMessage
  let source: TransportAddress
  let isValidated: Bool

  enum Verdict {
    case authentic(password: String)
    case refused(DropReason, reply: [UInt8]?)
  }

  func judge(_ credentials: inout LocalCredentials) -> Verdict {
    guard message.method == STUN.binding else { return .refused(.unsupportedSTUN, reply: nil) }
    guard let range = message.username, message.isSigned else {
      return .refused(.unauthenticatedSTUN, reply: reply(.badRequest, password: nil))
    }
    let username = message.datagram[range]
    guard let password = credentials.password(for: username), message.isSigned(with: password.utf8) else {
      return .refused(.unauthenticatedSTUN, reply: reply(.unauthenticated, password: nil))
    }
    credentials.forgetPrevious(after: username)
    guard message.unknownAttributes.isEmpty else {
      return .refused(.unsupportedSTUN, reply: reply(.unknownAttribute, password: password))
    }
    return .authentic(password: password)
  }

  /// Returns the success response with the source address of the request; nil if it would be larger than the request.
  func success(password: String) -> [UInt8]? {
    var writer = STUNWriter(.success, transaction: message.transaction)
    writer.addMappedAddress(source)
    return finish(&writer, password: password)
  }

  /// Returns an error response, with its reason phrase if that fits.
  func reply(_ code: STUNErrorCode, password: String?) -> [UInt8]? {
    for withReason in [true, false] {
      var writer = STUNWriter(.failure, transaction: message.transaction)
      writer.addError(code, withReason: withReason)
      if code == .unknownAttribute {
        let types = message.unknownAttributes.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        writer.add(STUNAttribute.unknownAttributes, types)
      }
      if let bytes = finish(&writer, password: password) { return bytes }
    }
    return nil
  }

  private func finish(_ writer: inout STUNWriter, password: String?) -> [UInt8]? {
    if let password { writer.sign(with: password.utf8) }
    writer.addFingerprint()
    return isValidated || writer.bytes.count <= message.datagram.count ? writer.bytes : nil
  }
}
