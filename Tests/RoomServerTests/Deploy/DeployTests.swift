import Foundation
import RoomPeers
import Testing

@Suite("The files of deploy/")
struct DeployTests {
  @Test("the dashboard and the alerts use existing metrics")
  func metrics() async throws {
    let data = FileManager.default.temporaryDirectory.appending(path: "data-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: data) }
    let files = try CertificateFiles()
    try await TestServer.with {
      $0.tls = files.settings
      $0.data = data
      $0.webhooks.urls = ["http://127.0.0.1:9/"]
    } _: { server in
      let text = await server.server.metricsText()
      // A server without a cluster has no metrics of one; these are named in its source.
      let cluster = try ["Cluster/ClusterMetrics", "Links/NodeLinks", "Edge/EdgeCounters"].map {
        try String(contentsOfFile: "Sources/ClusterServer/\($0).swift", encoding: .utf8)
      }.joined()
      let known = Set(text.matches(of: #/(?m)^# TYPE (\w+) /#).map { String($0.1) })
        .union(cluster.matches(of: #/"(roomserver_\w+)"/#).map { String($0.1) })
      for file in ["grafana/dashboards/roomserver.json", "prometheus/alerts.yml"] {
        let asked = try String(contentsOfFile: "deploy/\(file)", encoding: .utf8)
          .matches(of: #/\b((roomserver|process)_\w+)/#).map { String($0.1) }
        #expect(asked.count > 5)
        #expect(Set(asked).subtracting(known) == [], "\(file)")
      }
      #expect(text.contains(#"roomserver_broadcasts{state="autoReconnecting"}"#))
    }
    _ = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: "deploy/grafana/dashboards/roomserver.json")))
  }

  @Test("example.env has every variable that compose uses, and no other")
  func variables() throws {
    let asked = try String(contentsOfFile: "deploy/compose/compose.yaml", encoding: .utf8)
      .matches(of: #/\$\{(\w+):\?\}/#).map { String($0.1) }
    let named = try String(contentsOfFile: "deploy/compose/example.env", encoding: .utf8)
      .matches(of: #/(?m)^(\w+)=/#).map { String($0.1) }
    #expect(asked.count > 5)
    #expect(Set(asked) == Set(named))
  }

  private static let analyzer = "/usr/bin/systemd-analyze"

  @Test("systemd accepts the unit", .enabled(if: FileManager.default.isExecutableFile(atPath: analyzer)))
  func unit() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "unit-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // systemd-analyze checks that the program exists, and it is not installed here.
    let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "roomserver").path
    let unit = try String(contentsOfFile: "deploy/systemd/roomserver.service", encoding: .utf8)
    #expect(unit.contains("ExecStart=/usr/local/bin/roomserver serve --config /etc/roomserver/roomserver.yaml"))
    let file = folder.appending(path: "roomserver.service")
    try unit.replacing("/usr/local/bin/roomserver", with: program).write(to: file, atomically: false, encoding: .utf8)
    let verify = Process()
    verify.executableURL = URL(filePath: Self.analyzer)
    verify.arguments = ["verify", "--man=no", file.path]
    let told = Pipe()
    verify.standardError = told
    try verify.run()
    let words = String(decoding: try told.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    verify.waitUntilExit()
    #expect(verify.terminationStatus == 0 && !words.contains("roomserver.service"), "\(words)")
  }
}
