/// The input cut into pieces, each led by a byte with its length: for what takes a sequence of packets.
public func pieces(_ bytes: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer] {
  var pieces: [UnsafeRawBufferPointer] = []
  var rest = bytes[...]
  while let length = rest.popFirst() {
    pieces.append(UnsafeRawBufferPointer(rebasing: rest.prefix(Int(length))))
    rest = rest.dropFirst(Int(length))
  }
  return pieces
}
