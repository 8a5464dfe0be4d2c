import Foundation

/// Returns a description of why `JSONDecoder` rejected JSON, with the field's path: "params.tracks[0].mid is not a string".
///
/// The sentence has no full stop, and can be sent to the author of the JSON.
/// - Parameters:
///   - error: the error that `JSONDecoder` threw.
///   - data: the JSON.
public func describeDecodingError(_ error: any Error, reading data: Data) -> String {
  guard let error = error as? DecodingError else { return "the JSON can't be read" }
  switch error {
  case .keyNotFound(let key, let context): return "\(path(context.codingPath + [key])) is missing"
  case .valueNotFound(_, let context): return "\(path(context.codingPath)) is null"
  case .typeMismatch(let type, let context): return "\(path(context.codingPath)) is not \(name(of: type))"
  case .dataCorrupted(let context) where !context.codingPath.isEmpty:
    return "\(path(context.codingPath)) has a value that is not allowed"
  case .dataCorrupted:
    if let validationError = JSONStrings.validationError(about: data) { return validationError }
    // Foundation gives no path for a number that does not fit. Any other error without a path means invalid JSON.
    guard let numbers = try? JSONDecoder().decode(NonIntegerNumbers.self, from: data) else { return "it is not JSON in UTF-8" }
    return numbers.validationError
  @unknown default: return "the JSON can't be read"
  }
}

/// "params.tracks[0].kind"
private func path(_ keys: [any CodingKey]) -> String {
  var text = ""
  for key in keys {
    if let index = key.intValue { text += "[\(index)]" } else { text += (text.isEmpty ? "" : ".") + key.stringValue }
  }
  return text.isEmpty ? "the document" : text
}

private func name(of type: any Any.Type) -> String {
  switch type {
  case is String.Type: "a string"
  case is Bool.Type: "true or false"
  case is any FixedWidthInteger.Type: "an integer"
  case is [Any].Type: "an array"
  default: "an object"
  }
}

/// The numbers of a document that do not fit `Int`.
private struct NonIntegerNumbers: Decodable {
  /// Paths of numbers that do not fit `Double`.
  private var endless: [String] = []
  /// Paths of numbers that do not fit `Int`.
  private var fractions: [String] = []

  var validationError: String {
    if let first = endless.first { return "\(first): the number is out of range" }
    // One of them is in a field that needs an integer; Foundation does not say which.
    guard !fractions.isEmpty, fractions.count <= 3 else { return "a number is out of range, or not an integer" }
    return "\(fractions.joined(separator: " or ")): the number is out of range, or not an integer"
  }

  init(from decoder: any Decoder) throws {
    // No type of the protocol is nested deeper.
    guard decoder.codingPath.count < 8 else { return }
    if let object = try? decoder.container(keyedBy: AnyKey.self) {
      for key in object.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
        add(try object.decode(NonIntegerNumbers.self, forKey: key))
      }
    } else if var list = try? decoder.unkeyedContainer() {
      while !list.isAtEnd { add(try list.decode(NonIntegerNumbers.self)) }
    } else {
      let value = try decoder.singleValueContainer()
      guard !value.decodeNil(), (try? value.decode(Bool.self)) == nil, (try? value.decode(String.self)) == nil,
        (try? value.decode(Int.self)) == nil
      else { return }
      if (try? value.decode(Double.self)) == nil {
        endless = [path(decoder.codingPath)]
      } else {
        fractions = [path(decoder.codingPath)]
      }
    }
  }

  private mutating func add(_ inner: NonIntegerNumbers) {
    endless += inner.endless
    fractions += inner.fractions
  }

  private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
