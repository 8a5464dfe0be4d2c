extension SessionDescription {
  /// The description as text, lines ending in CRLF.
  public var text: String {
    var text = "v=0\r\no=- \(sessionID) \(version) IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n"
    for attribute in attributes { text += attribute.text }
    for section in media {
      text += "m=\(section.kind) \(section.port) \(section.transport) \(section.formats.joined(separator: " "))\r\n"
      // The address is in the candidates; this is the placeholder of RFC 8829.
      text += "c=IN IP4 0.0.0.0\r\n"
      for attribute in section.attributes { text += attribute.text }
    }
    return text
  }
}

extension SDPAttribute {
  var text: String { value.map { "a=\(name):\($0)\r\n" } ?? "a=\(name)\r\n" }
}
