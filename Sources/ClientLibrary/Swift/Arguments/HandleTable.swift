import RoomCClient
import Synchronization

/// What a handle of the app stands for.
protocol Handle: AnyObject, Sendable {
  /// Called once, when the last reference is released.
  func close()
}

/// The handles of the process: numbers that are never used twice, so that a released one is detected.
final class HandleTable: Sendable {
  private struct Entry {
    var object: any Handle
    var references = 1
  }

  private struct State {
    var entries: [UInt: Entry] = [:]
    // Not 0, which is NULL.
    var next: UInt = 0x1000
  }

  static let shared = HandleTable()
  private let state = Mutex(State())

  var count: Int { state.withLock { $0.entries.count } }

  /// Adds an object with one reference.
  func add(_ object: any Handle) -> UInt {
    state.withLock { state in
      state.next += 1
      state.entries[state.next] = Entry(object: object)
      return state.next
    }
  }

  func find<Object: Handle>(_ handle: OpaquePointer?, _ type: Object.Type, _ name: String) throws(Refusal) -> Object {
    let object = state.withLock { $0.entries[UInt(bitPattern: handle)]?.object }
    guard let found = object as? Object else {
      throw Refusal(RC_INVALID_HANDLE, "\(name) is \(handle == nil ? "NULL" : "released, or of another kind")")
    }
    return found
  }

  func retain(_ handle: UInt) throws(Refusal) {
    let isKnown = state.withLock { state in
      state.entries[handle]?.references += 1
      return state.entries[handle] != nil
    }
    if !isKnown { throw Refusal(RC_INVALID_HANDLE, "the handle is released") }
  }

  func release(_ handle: UInt) throws(Refusal) {
    let (isKnown, ended): (Bool, (any Handle)?) = state.withLock { state in
      guard let entry = state.entries[handle] else { return (false, nil) }
      guard entry.references == 1 else {
        state.entries[handle]?.references -= 1
        return (true, nil)
      }
      state.entries[handle] = nil
      return (true, entry.object)
    }
    guard isKnown else { throw Refusal(RC_INVALID_HANDLE, "the handle is released") }
    // Outside the lock: it waits for a callback, which may use other handles.
    ended?.close()
  }
}

/// Writes a new handle for the app. Creates the object only if it can be given.
@discardableResult func give<Made: Handle>(
  _ result: UnsafeMutablePointer<OpaquePointer?>?, _ name: String, _ make: () throws -> Made
) throws -> (handle: Made, number: UInt) {
  guard let result else { throw Refusal.argument(name, "is NULL") }
  let handle = try make()
  let number = HandleTable.shared.add(handle)
  result.pointee = OpaquePointer(bitPattern: number)
  return (handle, number)
}

/// Passes a handle to a callback of the app. The handle is valid while the callback runs.
func lend(_ handle: some Handle, to callback: (OpaquePointer) -> Void) {
  let number = HandleTable.shared.add(handle)
  if let handle = OpaquePointer(bitPattern: number) { callback(handle) }
  try? HandleTable.shared.release(number)
}

@c @implementation
public func rc_retain(_ handle: UnsafeRawPointer?) -> rc_status {
  attempt { try HandleTable.shared.retain(UInt(bitPattern: handle)) }
}

@c @implementation
public func rc_release(_ handle: UnsafeRawPointer?) -> rc_status {
  attempt { if let handle { try HandleTable.shared.release(UInt(bitPattern: handle)) } }
}

@c @implementation
public func rc_handle_count() -> Int { HandleTable.shared.count }
