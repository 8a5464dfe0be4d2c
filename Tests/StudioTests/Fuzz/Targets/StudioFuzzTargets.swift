import RoomStudio

/// The fuzz targets by name. The tests run the stored inputs through the same code.
let studioFuzzTargets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = ["cube": fuzzCube]

@Sendable private func fuzzCube(_ bytes: UnsafeRawBufferPointer) {
  guard let table = try? LookupTable(cube: bytes) else { return }
  precondition(LookupTable.sides.contains(table.side))
}
