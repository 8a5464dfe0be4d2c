/// The form of a value in protobuf: how a reader that does not know the field skips it. Groups (3 and 4) are obsolete, and are
/// not read.
package enum WireType: UInt8, Sendable {
  case varint = 0
  case fixed64 = 1
  /// A length and as many bytes: text, bytes, messages, packed lists.
  case run = 2
  case fixed32 = 5
}
