import RoomClient

/// A track that the app receives.
final class RemoteHandle: Handle {
  let track: RemoteTrack

  init(_ track: RemoteTrack) { self.track = track }

  func close() {}

  static func named(_ handle: OpaquePointer?) throws(Refusal) -> RemoteHandle {
    try HandleTable.shared.find(handle, RemoteHandle.self, "remote")
  }
}
