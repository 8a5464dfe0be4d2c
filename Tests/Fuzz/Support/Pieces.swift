/// Splits an input into pieces, each preceded by a length byte, for targets that accept a sequence of packets.
public func pieces(_ bytes: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer] {
  var pieces: [UnsafeRawBufferPointer] = []
  var rest = bytes[...]
  while let length = rest.popFirst() {
    pieces.append(UnsafeRawBufferPointer(rebasing: rest.prefix(Int(length))))
    rest = rest.dropFirst(Int(length))
  }
  return pieces
}
