import Foundation
import Glibc
import RoomCClient
import RoomProtocol

/// The most elements of an array argument.
let arrayLimit = 1024

/// Copies a text argument.
func text(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(Refusal) -> String {
  guard let pointer else { throw .argument(name, "is NULL") }
  guard let text = String(validatingCString: pointer) else { throw .argument(name, "is not UTF-8") }
  return text
}

/// Copies a text argument that may be NULL.
func optionalText(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(Refusal) -> String? {
  pointer == nil ? nil : try text(pointer, name)
}

/// Copies an array of texts.
func texts(
  _ pointer: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ name: String
) throws(Refusal) -> [String] {
  try elements(pointer, count, name).map { element throws(Refusal) in try text(element, name) }
}

/// Returns the elements of an array argument, which may be NULL if it is empty.
/// - Parameter most: the most elements. The count is checked before the memory is read.
func elements<Element>(
  _ pointer: UnsafePointer<Element>?, _ count: Int, _ name: String, most: Int = arrayLimit
) throws(Refusal) -> [Element] {
  guard (0...most).contains(count) else { throw .argument(name, "has more than \(most) elements") }
  guard count > 0 else { return [] }
  guard let pointer else { throw .argument(name, "is NULL") }
  return Array(UnsafeBufferPointer(start: pointer, count: count))
}

/// Decodes a JSON argument.
func json<Value: Decodable>(_ pointer: UnsafePointer<CChar>?, _ name: String, as type: Value.Type) throws -> Value {
  try JSONDecoder().decodeUTF8(type, from: Data(try text(pointer, name).utf8))
}

/// Returns an integer argument.
func integer(_ value: Int32, _ name: String, in range: ClosedRange<Int>) throws(Refusal) -> Int {
  guard range.contains(Int(value)) else {
    throw .argument(name, "is \(value), not \(range.lowerBound) to \(range.upperBound)")
  }
  return Int(value)
}

/// Returns a number argument.
func number(_ value: Double, _ name: String, in range: ClosedRange<Double>) throws(Refusal) -> Double {
  guard range.contains(value) else { throw .argument(name, "is \(value), not \(range.lowerBound) to \(range.upperBound)") }
  return value
}

/// Copies the bytes of an argument.
func bytes(_ pointer: UnsafePointer<UInt8>?, _ count: Int, _ name: String, most: Int) throws(Refusal) -> [UInt8] {
  guard let pointer else { throw .argument(name, "is NULL") }
  guard (1...most).contains(count) else { throw .argument("size", "is \(count), not 1 to \(most)") }
  return Array(UnsafeBufferPointer(start: pointer, count: count))
}

/// Writes a text for the app, which frees it with `rc_string_free`.
func give(_ text: String?, to result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ name: String) throws(Refusal) {
  guard let result else { throw .argument(name, "is NULL") }
  result.pointee = text.flatMap { strdup($0) }
}

/// Encodes a value in the form of api/signalling.md.
func encoded(_ value: any Encodable) throws -> String {
  String(decoding: try JSON.encoder().encode(value), as: UTF8.self)
}
