import Foundation

/// What is wrong with JSON that `JSONDecoder` refused, and with which field: "params.tracks[0].mid is not text".
/// A sentence without its full stop, fit to be sent to whoever wrote the JSON.
/// - Parameter data: the JSON.
public func jsonComplaint(_ error: any Error, reading data: Data) -> String {
  guard let error = error as? DecodingError else { return "the JSON can't be read" }
  switch error {
  case .keyNotFound(let key, let context): return "\(path(context.codingPath + [key])) is missing"
  case .valueNotFound(_, let context): return "\(path(context.codingPath)) is null"
  case .typeMismatch(let type, let context): return "\(path(context.codingPath)) is not \(name(of: type))"
  case .dataCorrupted(let context) where !context.codingPath.isEmpty:
    return "\(path(context.codingPath)) has a value that is not allowed"
  case .dataCorrupted:
    // Foundation names no path for a number that does not fit; all else without a path is no JSON.
    let isJSON = (try? JSONDecoder().decode(Empty.self, from: data)) != nil
    return isJSON ? "a number is out of range, or not whole" : "it is not JSON in UTF-8"
  @unknown default: return "the JSON can't be read"
  }
}

/// "params.tracks[0].kind"
private func path(_ keys: [any CodingKey]) -> String {
  var text = ""
  for key in keys {
    if let index = key.intValue { text += "[\(index)]" } else { text += (text.isEmpty ? "" : ".") + key.stringValue }
  }
  return text.isEmpty ? "the whole" : text
}

private func name(of type: any Any.Type) -> String {
  switch type {
  case is String.Type: "text"
  case is Bool.Type: "true or false"
  case is any FixedWidthInteger.Type: "a whole number"
  case is [Any].Type: "a list"
  default: "an object"
  }
}
