import RoomCClient

/// Reads a structure of the app, which may be an older and shorter one. What it lacks is zero.
func structure<Value>(_ pointer: UnsafePointer<Value>, _ initial: Value, _ name: String) throws(Refusal) -> Value {
  // Every structure begins with its size.
  let source = UnsafeRawPointer(pointer)
  let size = source.load(as: Int.self)
  guard (MemoryLayout<Int>.size...4096).contains(size) else {
    throw .argument(name, "has the size \(size); initialize it with its RC_..._INIT macro")
  }
  var value = initial
  withUnsafeMutableBytes(of: &value) { bytes in
    bytes.copyMemory(from: UnsafeRawBufferPointer(start: source, count: min(size, bytes.count)))
  }
  return value
}
