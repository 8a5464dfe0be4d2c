import Glibc
import RoomRTP
import RoomWebRTC

/// A peer of this project, beside those on usrsctp and aiortc in this folder, for `Benchmarks/sctp.sh`:
///
///     sctp-peer LOCAL_PORT REMOTE_PORT sink BYTES
///     sctp-peer LOCAL_PORT REMOTE_PORT source BYTES SIZE
@main struct SCTPPeer {
  private static let channel = DataChannelID(0)

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 5, let local = UInt16(arguments[1]), let remote = UInt16(arguments[2]),
      let total = Int(arguments[4])
    else {
      print("usage: sctp-peer LOCAL_PORT REMOTE_PORT sink|source BYTES [SIZE]")
      exit(64)
    }
    let isSource = arguments[3] == "source"
    let size = arguments.count > 5 ? Int(arguments[5]) ?? 16384 : 16384
    let socket = try AssociationSocket(local: local, remote: remote, role: isSource ? .client : .server)
    _ = try socket.channels.open(DataChannel(label: "source"), negotiated: channel)
    socket.channels.setBufferedAmountLow(512 * 1024, of: channel)
    socket.channels.start(now: AssociationSocket.now)
    let message = DataChannelMessage([UInt8](repeating: 7, count: size))
    var (isOpen, hasEnded, isDone) = (false, false, false)
    var (sent, received) = (0, 0)
    var begun: (time: Instant, cpu: Double)?
    while !hasEnded {
      while isSource, isOpen, sent < total {
        do { try socket.channels.send(message, on: channel, now: AssociationSocket.now) } catch { break }
        sent += size
      }
      socket.step(until: AssociationSocket.now.advanced(milliseconds: 1000)) { event in
        switch event {
        case .opened:
          isOpen = true
          if isSource { begun = (AssociationSocket.now, cpu) }
        case .message(_, let message):
          if isSource {
            isDone = true
          } else {
            begun = begun ?? (AssociationSocket.now, cpu)
            received += message.payload.count
          }
        case .ended: hasEnded = true
        case .bufferedAmountLow, .closed: break
        }
      }
      if isSource ? isDone : received >= total, let start = begun {
        if !isSource { try? socket.channels.send(DataChannelMessage("done"), on: channel, now: AssociationSocket.now) }
        let seconds = Double(AssociationSocket.now - start.time) / 1_000_000
        print("{\"bytes\": \(total), \"seconds\": \(seconds), \"cpu\": \(cpu - start.cpu)}")
        fflush(nil)
        begun = nil
        received = 0
        if isSource { return }
      }
    }
  }

  /// Seconds of CPU that this process has used.
  private static var cpu: Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000_000
  }
}
