import Foundation

/// Checks the strings of JSON. Foundation decodes a string lazily and does not say why it is invalid.
enum JSONStrings {
  /// Returns a sentence without a full stop, or nil if all strings are valid.
  static func validationError(about data: Data) -> String? {
    // UTF-16 and UTF-32 contain zero bytes, by which Foundation detects them.
    guard !data.contains(0), String(validating: data, as: UTF8.self) != nil else { return "it is not JSON in UTF-8" }
    var rest = data[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\""), let validationError = validationError(aboutText: &rest) { return validationError }
    }
    return nil
  }

  private static let halfPair = "a string has one half of a surrogate pair"

  /// Consumes the string up to its closing quotation mark.
  private static func validationError(aboutText rest: inout Data) -> String? {
    var isHalf = false
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      if byte < 0x20 {
        return
          "a string has a control character, which must be escaped as \\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
      }
      guard byte == UInt8(ascii: "\\") else {
        if isHalf { return halfPair }
        continue
      }
      guard let unit = escape(&rest) else { return "a string has an invalid escape sequence after a backslash" }
      let isLow = (0xDC00...0xDFFF).contains(unit)
      if isLow != isHalf { return halfPair }
      isHalf = (0xD800...0xDBFF).contains(unit)
    }
    return isHalf ? halfPair : nil
  }

  /// Returns the UTF-16 code unit of an escape sequence, or nil if the sequence is invalid.
  private static func escape(_ rest: inout Data) -> UInt16? {
    guard let letter = rest.popFirst() else { return nil }
    if "\"\\/bfnrt".utf8.contains(letter) { return UInt16(letter) }
    guard letter == UInt8(ascii: "u"), rest.count >= 4 else { return nil }
    let digits = rest.prefix(4)
    rest = rest.dropFirst(4)
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
    return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}

extension JSONDecoder {
  /// Decodes JSON in UTF-8 only (RFC 8259 §8.1); `decode` also accepts UTF-16 and UTF-32.
  /// - Throws: `DecodingError`.
  public func decodeUTF8<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try Self.checkUTF8(data)
    return try decode(type, from: data)
  }

  /// Decodes JSON in UTF-8 only (RFC 8259 §8.1), with a decoding configuration.
  /// - Throws: `DecodingError`.
  public func decodeUTF8<Value: DecodableWithConfiguration>(
    _ type: Value.Type, from data: Data, configuration: Value.DecodingConfiguration
  ) throws -> Value {
    try Self.checkUTF8(data)
    return try decode(type, from: data, configuration: configuration)
  }

  private static func checkUTF8(_ data: Data) throws {
    guard !data.contains(0) else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "a zero byte is invalid in JSON in UTF-8"))
    }
  }
}
