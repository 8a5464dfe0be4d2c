import Foundation
import RoomChromium
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomWebPages

extension RealMedia {
  @Suite("Sharing from the console in Chromium")
  struct ShareTests {
    /// Decodes the picture of a QR code with zbar.
    private static func decode(_ rows: [[Bool]]) async throws -> String {
      let scale = 4
      let margin = 4
      let width = (rows.count + 2 * margin) * scale
      var pixels = [UInt8](repeating: 255, count: width * width)
      for (y, row) in rows.enumerated() {
        for (x, isDark) in row.enumerated() where isDark {
          for line in 0..<scale {
            let start = ((y + margin) * scale + line) * width + (x + margin) * scale
            for pixel in start..<start + scale { pixels[pixel] = 0 }
          }
        }
      }
      let file = FileManager.default.temporaryDirectory.appending(path: "qr-\(UUID().uuidString).pgm")
      defer { try? FileManager.default.removeItem(at: file) }
      try (Data("P5 \(width) \(width) 255\n".utf8) + Data(pixels)).write(to: file)
      let text = try await LiveProbe.output(of: ["zbarimg", "--quiet", "--raw", "--nodbus", file.path])
      return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    @Test("QR codes of all lengths are read by zbar")
    func codes() async throws {
      for length in [1, 14, 15, 60, 120, 213, 214, 330, 500, 660, 666] {
        let text = String(String(repeating: "http://127.0.0.1:8080/watch/demo?token=eyJhbGciOi.", count: 14).prefix(length))
        #expect(try await Self.decode(try #require(QRCode(text)).rows) == text)
      }
      #expect(QRCode(String(repeating: "a", count: 667)) == nil)
    }

    @Test("the link of a private room has a token, and plays; made public, it needs none")
    func share() async throws {
      try await withServer { server in
        #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"demo"}"#).status == 201)
        let host = try await Participant.join(server, as: "host")
        try await host.publish(video: .h264, tone: 440)
        let operatorPage = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared())
        try await operatorPage.go("rooms/demo")
        try await operatorPage.click("[data-action=share]")
        try await operatorPage.sees("dialog[open] .qr")
        let link: String = try await operatorPage.page.evaluate("document.querySelector('[data-address=watch]').value")
        #expect(link.hasPrefix(server.http("/watch/demo?token=")))
        let code: String = try await operatorPage.page.evaluate("document.querySelector('[data-address=embed]').value")
        #expect(code.contains("<iframe src=\"\(link)&amp;embed\""))
        try await operatorPage.page.wait(until: "document.querySelector('dialog[open] .qr').naturalWidth > 0")
        let viewer = try await WatchUser.open(link)
        try await viewer.plays(by: "whep")
        try await viewer.page.close()

        try await operatorPage.click("dialog[open] [data-watch=public]")
        try await operatorPage.page.wait(
          until: "document.querySelector('[data-address=watch]')?.value === '\(server.http("/watch/demo"))'")
        let other = try await WatchUser.open(server.http("/watch/demo"))
        try await other.plays(by: "whep")
        try await other.page.close()
        try await operatorPage.reportsNoErrors()
        try await operatorPage.page.close()
        await host.leave()
      }
    }
  }
}
