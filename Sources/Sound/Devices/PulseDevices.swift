import Foundation
import RoomCPulse

/// The devices of a sound server.
public struct PulseDevices: Sendable, Hashable {
  /// A device.
  public struct Device: Sendable, Hashable {
    /// The name for ``PulseMicrophone`` and ``PulsePlayback``.
    public var name: String
    /// The text for people.
    public var description: String
    /// Whether it captures what a sink plays, in place of a microphone.
    public var isMonitor = false
  }

  /// What can be captured: microphones and monitors.
  public private(set) var sources: [Device] = []
  /// What can be played on.
  public private(set) var sinks: [Device] = []

  /// The most devices of each kind that are listed.
  public static let most = 256

  /// Asks a sound server for its devices. Blocks until the answer, on a local server a few ms.
  /// - Parameter server: the address of the sound server; nil for the user's.
  /// - Throws: ``PulseError`` if no server runs.
  public init(server: String? = nil) throws(PulseError) { try self.init(PulseServer(server)) }

  init(_ server: PulseServer) throws(PulseError) {
    let (loop, context) = (server.loop, server.context)
    defer { withExtendedLifetime(server) {} }
    var listing = Listing()
    try withUnsafeMutablePointer(to: &listing) { (listing) throws(PulseError) in
      let sinks = pa_context_get_sink_info_list(
        context,
        { _, info, _, listing in
          guard let info = info?.pointee, let listing = listing?.assumingMemoryBound(to: Listing.self) else { return }
          listing.pointee.add(info.name, info.description, isMonitor: false, to: \.sinks)
        }, listing)
      try Self.finish(sinks, loop, context)
      let sources = pa_context_get_source_info_list(
        context,
        { _, info, _, listing in
          guard let info = info?.pointee, let listing = listing?.assumingMemoryBound(to: Listing.self) else { return }
          let isMonitor = info.monitor_of_sink != UInt32.max
          listing.pointee.add(info.name, info.description, isMonitor: isMonitor, to: \.sources)
        }, listing)
      try Self.finish(sources, loop, context)
    }
    (sources, sinks) = (listing.sources, listing.sinks)
  }

  /// Returns the devices now, and again whenever one appeared or vanished. The stream ends with the sound server.
  /// - Parameter server: the address of the sound server; nil for the user's.
  /// - Throws: ``PulseError`` if no server runs.
  public static func changes(server name: String? = nil) throws(PulseError) -> AsyncStream<PulseDevices> {
    let (devices, continuation) = AsyncStream.makeStream(of: PulseDevices.self, bufferingPolicy: .bufferingNewest(1))
    let watch = try PulseWatch(name)
    continuation.onTermination = { _ in watch.stop() }
    let thread = Thread {
      var last: PulseDevices?
      while let current = try? watch.devices() {
        if current != last { continuation.yield(current) }
        last = current
        guard watch.waitForChange() else { break }
      }
      continuation.finish()
    }
    thread.name = "sound devices"
    thread.start()
    return devices
  }

  private struct Listing {
    var sources: [Device] = []
    var sinks: [Device] = []

    mutating func add(
      _ name: UnsafePointer<CChar>?, _ text: UnsafePointer<CChar>?, isMonitor: Bool, to list: WritableKeyPath<Self, [Device]>
    ) {
      guard let name, self[keyPath: list].count < PulseDevices.most else { return }
      let description = text.map { String(cString: $0) } ?? ""
      self[keyPath: list].append(Device(name: String(cString: name), description: description, isMonitor: isMonitor))
    }
  }

  private static func finish(_ operation: OpaquePointer?, _ loop: OpaquePointer, _ context: OpaquePointer) throws(PulseError) {
    guard let operation else { throw PulseError(code: pa_context_errno(context)) }
    defer { pa_operation_unref(operation) }
    while pa_operation_get_state(operation) == PA_OPERATION_RUNNING {
      guard pa_mainloop_iterate(loop, 1, nil) >= 0 else { throw PulseError(code: pa_context_errno(context)) }
    }
  }
}
