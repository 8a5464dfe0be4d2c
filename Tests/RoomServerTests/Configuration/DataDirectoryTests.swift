import Foundation
import Testing

@testable import RoomServer

@Suite("The data directory")
struct DataDirectoryTests {
  @Test("it is created for the server's user alone, one server uses it at a time, and then the next")
  func oneAtATime() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "data-\(UUID().uuidString)/inner").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    var first: DataDirectory? = try DataDirectory(path)
    #expect(first?.file("rooms.sqlite") == "\(path)/rooms.sqlite")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o700)
    #expect {
      _ = try DataDirectory(path)
    } throws: { "\($0)".contains("another server uses") }
    first = nil
    _ = try DataDirectory(path)
  }
}
