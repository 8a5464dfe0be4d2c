extension SessionDescription {
  /// Parses a description whose lines end in CRLF or LF.
  ///
  /// Validates only what WebRTC needs: the form of the lines, `v=0`, `o=`, the m-lines, and the limits ``maximumBytes``,
  /// ``maximumMedia`` and ``MediaDescription/maximumFormats``.
  /// - Throws: `SDPError` with the line and a sentence.
  public init(parsing text: String) throws(SDPError) {
    guard text.utf8.count <= Self.maximumBytes else {
      throw SDPError("\(text.utf8.count) bytes exceed the limit of \(Self.maximumBytes)")
    }
    var description = SessionDescription(sessionID: 0, version: 0)
    var sawVersion = false
    var sawOrigin = false
    var number = 0
    for raw in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      let bytes = raw.last == UInt8(ascii: "\r") ? raw.dropLast() : raw
      if bytes.isEmpty { continue }
      // Another parser could read one line with a stray CR or NUL as two.
      guard !bytes.contains(where: { $0 == UInt8(ascii: "\r") || $0 == 0 }) else {
        throw SDPError(line: number, "the line contains a CR or NUL byte")
      }
      guard let type = bytes.first, bytes.dropFirst().first == UInt8(ascii: "=") else {
        throw SDPError(line: number, "the line does not start with a letter and an equals sign")
      }
      guard sawVersion || type == UInt8(ascii: "v") else { throw SDPError(line: number, "the first line is not v=0") }
      let value = String(Substring(bytes.dropFirst(2)))
      switch type {
      case UInt8(ascii: "v"):
        guard value == "0", !sawVersion else { throw SDPError(line: number, "there must be exactly one v= line, v=0") }
        sawVersion = true
      case UInt8(ascii: "o"):
        guard !sawOrigin else { throw SDPError(line: number, "duplicate o= line") }
        (description.sessionID, description.version) = try Self.origin(value, line: number)
        sawOrigin = true
      case UInt8(ascii: "m"):
        guard description.media.count < Self.maximumMedia else {
          throw SDPError(line: number, "there are more than \(Self.maximumMedia) m-lines")
        }
        description.media.append(try MediaDescription(line: value, number: number))
      case UInt8(ascii: "a"):
        let attribute = SDPAttribute(line: value)
        if description.media.isEmpty {
          description.attributes.append(attribute)
        } else {
          description.media[description.media.count - 1].attributes.append(attribute)
        }
      default: break
      }
    }
    guard sawVersion else { throw SDPError("the description is empty") }
    guard sawOrigin else { throw SDPError("there is no o= line") }
    self = description
  }

  private static func origin(_ value: String, line: Int) throws(SDPError) -> (UInt64, UInt64) {
    let words = value.split(separator: " ")
    guard words.count == 6, let id = UInt64(words[1]), let version = UInt64(words[2]) else {
      throw SDPError(line: line, "o= needs a user, two numbers, a network, an address type and an address")
    }
    return (id, version)
  }
}

extension SDPAttribute {
  /// Parses the part after `a=`.
  init(line: String) {
    guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
      self.init(line)
      return
    }
    self.init(String(line[..<colon]), String(line[line.utf8.index(after: colon)...]))
  }
}

extension MediaDescription {
  /// Parses the part after `m=`: kind, port, transport, formats.
  init(line: String, number: Int) throws(SDPError) {
    let words = line.split(separator: " ")
    guard words.count >= 4 else {
      throw SDPError(line: number, "m= needs a kind, a port, a transport and at least one format")
    }
    // "9/2" would request several ports, which RTP over BUNDLE does not use.
    guard let port = UInt16(words[1]) else { throw SDPError(line: number, "the port of m= is not a number from 0 to 65535") }
    guard words.count - 3 <= Self.maximumFormats else {
      throw SDPError(line: number, "m= has more than \(Self.maximumFormats) formats")
    }
    self.init(
      kind: String(words[0]), port: port, transport: String(words[2]), formats: words[3...].map(String.init), line: number)
  }
}
