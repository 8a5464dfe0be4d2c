import Foundation
import RoomPeers
import RoomTestSupport
import Testing

@testable import roomserver

@Suite("deploy/kubernetes")
struct KubernetesTests {
  private static let folder = "deploy/kubernetes"
  private static let validator = ".venv/bin/kubernetes-validate"
  private static let kustomize = Program.path("kustomize") ?? Program.path("kubectl")

  /// The files of Kubernetes objects that a kustomization lists, with those of its bases.
  private static func resources(_ name: String) throws -> [String] {
    let kustomization = try #require(try Manifest.documents(at: "\(folder)/\(name)/kustomization.yaml").first)
    return try kustomization.list("resources").compactMap(\.text).flatMap { resource in
      resource.hasSuffix(".yaml") ? ["\(folder)/\(name)/\(resource)"] : try resources(String(resource.dropFirst(3)))
    }
  }

  private static func objects(_ name: String = "production") throws -> [Manifest] {
    try resources(name).flatMap(Manifest.documents(at:))
  }

  private static func object(_ kind: String, _ name: String) throws -> Manifest {
    try #require(try objects().first { $0.kind == kind && $0.name == name })
  }

  private static func validate(_ files: [String]) async throws {
    for version in ["1.27", "1.37"] {
      let program = try Program(
        URL(filePath: validator), ["--strict", "--no-warn", "--quiet", "--kubernetes-version", version] + files)
      let status = try await program.finish()
      #expect(status == 0, "\(program.text)")
    }
  }

  @Test("each file of objects is listed once, and valid", .enabled(if: FileManager.default.isExecutableFile(atPath: validator)))
  func schemas() async throws {
    let files = try Set(Self.resources("trial") + Self.resources("production")).sorted()
    let others: Set = ["kustomization.yaml", "adapter-values.yaml"]
    let all = try FileManager.default.subpathsOfDirectory(atPath: Self.folder)
      .filter { $0.hasSuffix(".yaml") && !others.contains(URL(filePath: $0).lastPathComponent) }.map { "\(Self.folder)/\($0)" }
    #expect(files == all.sorted())
    try await Self.validate(files)
  }

  @Test("the schemas find a wrong property", .enabled(if: FileManager.default.isExecutableFile(atPath: validator)))
  func schemasAreUsed() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "nodes-\(UUID().uuidString).yaml")
    defer { try? FileManager.default.removeItem(at: file) }
    let text = try String(contentsOfFile: "\(Self.folder)/base/nodes.yaml", encoding: .utf8)
    try text.replacing("hostNetwork: true", with: "hostNetworks: true").write(to: file, atomically: false, encoding: .utf8)
    let program = try Program(URL(filePath: Self.validator), ["--strict", "--kubernetes-version", "1.30", file.path])
    #expect(try await program.finish() != 0)
  }

  @Test("kustomize renders it", .enabled(if: kustomize != nil), arguments: ["trial", "production"])
  func renders(_ name: String) async throws {
    let copy = FileManager.default.temporaryDirectory.appending(path: "kubernetes-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: copy) }
    try FileManager.default.copyItem(at: URL(filePath: Self.folder), to: copy)
    try FileManager.default.copyItem(
      at: copy.appending(path: "example.env"), to: copy.appending(path: "\(name)/secrets.env"))
    let path = try #require(Self.kustomize)
    let command = path.lastPathComponent == "kubectl" ? "kustomize" : "build"
    let program = try Program(path, [command, copy.appending(path: name).path])
    let status = try await program.finish()
    #expect(status == 0, "\(program.text)")
    let rendered = try Manifest.documents(of: program.text)
    let nodes = try #require(rendered.first { $0.kind == "StatefulSet" && $0.name == "roomserver" })
    let pod = "spec.template.spec.containers.0"
    #expect(nodes["\(pod).image"] == "registry.example.org/roomserver:1")
    #expect(nodes["\(pod).envFrom.1.secretRef.name"]?.hasPrefix("roomserver-") == true)
    #expect((nodes["spec.replicas"] == nil) == (name == "production"))
    #expect(rendered.allSatisfy { $0.kind == "Namespace" || $0["metadata.namespace"] == "roomserver" })
    guard FileManager.default.isExecutableFile(atPath: Self.validator) else { return }
    let file = copy.appending(path: "rendered.yaml")
    try program.text.write(to: file, atomically: false, encoding: .utf8)
    try await Self.validate([file.path])
  }

  @Test("probes, ports, settings and times of the nodes agree with the server")
  func nodes() throws {
    let nodes = try Self.object("StatefulSet", "roomserver")
    let pod = try #require(nodes.object("spec.template.spec"))
    let container = try #require(pod.object("containers.0"))
    let settings = try Self.object("ConfigMap", "roomserver").texts("data")
    #expect(pod["hostNetwork"] == "1" && pod["dnsPolicy"] == "ClusterFirstWithHostNet")

    // Settings. Those of the cluster are not all in this build.
    let known = Set(Setting.all.map(\.variable)).union(
      ["CLUSTER", "NODE_ADDRESS", "NODE_ID", "REGION"].map { "ROOMSERVER_\($0)" })
    let used = settings.keys + container.list("env").compactMap { $0["name"] } + (try Self.example().keys)
    #expect(Set(used).subtracting(known) == ["REDIS_PASSWORD", "HOST_ADDRESS"])

    // Ports.
    let ports = Dictionary(
      container.list("ports").map { ($0["name"] ?? "", $0["containerPort"].flatMap { Int($0) } ?? 0) }, uniquingKeysWith: max)
    #expect(ports["http"].map { "\($0)" } == settings["ROOMSERVER_PORT"])
    let address = container.list("env").first { $0["name"] == "ROOMSERVER_NODE_ADDRESS" }?["value"]
    #expect(address == "http://$(HOST_ADDRESS):\(ports["http"] ?? 0)")
    #expect(ports["rtmp"].map { "\($0)" } == settings["ROOMSERVER_RTMP_PORT"])
    let first = try #require(settings["ROOMSERVER_MEDIA_PORT"].flatMap { Int($0) })
    let workers = try #require(settings["ROOMSERVER_WORKERS"].flatMap { Int($0) })
    for worker in 0..<workers {
      #expect(ports["media-\(worker)"] == first + worker && ports["media-tcp-\(worker)"] == first + worker)
    }
    #expect(ports["node-link"].map { "\($0)" } == settings["ROOMSERVER_NODE_LINK_PORT"])
    #expect(ports.count == 3 + 2 * workers)

    // Probes.
    let api = try String(contentsOfFile: "api/openapi.yaml", encoding: .utf8)
    for probe in ["startupProbe", "livenessProbe", "readinessProbe"] {
      let path = try #require(container["\(probe).httpGet.path"])
      #expect(api.contains("\n  \(path):\n"), "\(path)")
      #expect(container["\(probe).httpGet.port"] == "http")
    }
    #expect(container["readinessProbe.httpGet.path"] == "/readyz")

    // The drain ends before the pod is killed.
    let drain = try #require(settings["ROOMSERVER_DRAIN"].flatMap { Int($0) })
    let grace = try #require(pod["terminationGracePeriodSeconds"].flatMap { Int($0) })
    #expect(grace >= drain + 60)
  }

  @Test("everything that selects the nodes does so by their labels")
  func selectors() throws {
    let nodes = try Self.object("StatefulSet", "roomserver")
    let labels = nodes.texts("spec.template.metadata.labels")
    #expect(!labels.isEmpty && nodes.texts("spec.selector.matchLabels") == labels)
    let budget = try Self.object("PodDisruptionBudget", "roomserver")
    #expect(budget.texts("spec.selector.matchLabels") == labels && budget["spec.maxUnavailable"] == "1")
    for service in ["roomserver", "roomserver-nodes"] {
      #expect(try Self.object("Service", service).texts("spec.selector") == labels)
    }
    let service = try #require(nodes["spec.serviceName"])
    #expect(try Self.object("Service", service)["spec.clusterIP"] == "None")
  }

  @Test("the autoscaler, the adapter and the monitor name an existing metric, port and Service")
  func metric() async throws {
    let scaler = try Self.object("HorizontalPodAutoscaler", "roomserver")
    #expect(scaler["spec.scaleTargetRef.kind"] == "StatefulSet" && scaler["spec.scaleTargetRef.name"] == "roomserver")
    let metric = try #require(scaler["spec.metrics.0.pods.metric.name"])
    let adapter = try #require(try Manifest.documents(at: "\(Self.folder)/production/adapter-values.yaml").first)
    #expect(adapter["rules.custom.0.seriesQuery"]?.hasPrefix(metric + "{") == true)
    try await TestServer.with { server in
      let text = await server.server.metricsText()
      #expect(text.contains("# TYPE \(metric) gauge\n"))
      for resource in ["media", "mixes", "memory", "processors"] {
        let value = text.firstMatch(of: try Regex<(Substring, Substring)>("\(metric)\\{resource=\"\(resource)\"\\} ([0-9.]+)"))
        let share = try #require(value.flatMap { Double($0.1) }, "\(resource)")
        #expect((0...1).contains(share))
      }
    }

    let monitor = try Self.object("ServiceMonitor", "roomserver")
    #expect(monitor["apiVersion"] == "monitoring.coreos.com/v1")
    #expect(monitor.object("spec")?.keys == ["endpoints", "selector"])
    let wanted = monitor.texts("spec.selector.matchLabels")
    let selected = try Self.objects().filter { object in
      let labels = object.texts("metadata.labels")
      let isChosen = monitor.list("spec.selector.matchExpressions").allSatisfy { rule in
        rule["operator"] == "In" && rule.list("values").contains { $0.text == labels[rule["key"] ?? ""] }
      }
      return object.kind == "Service" && isChosen && wanted.allSatisfy { labels[$0.key] == $0.value }
    }
    #expect(selected.map(\.name) == ["roomserver-nodes"])
    let port = try #require(monitor["spec.endpoints.0.port"])
    #expect(selected[0].list("spec.ports").contains { $0["name"] == port })
    #expect(monitor["spec.endpoints.0.path"] == "/metrics")
  }

  @Test("preStop drains the server, and waits for its end")
  func drain() async throws {
    let command = try Self.object("StatefulSet", "roomserver").list(
      "spec.template.spec.containers.0.lifecycle.preStop.exec.command"
    )
    .compactMap(\.text)
    let port = try TCPPort.free()
    let environment = [
      "ROOMSERVER_KEY": "app", "ROOMSERVER_SECRET": String(repeating: "s", count: 40), "ROOMSERVER_PORT": "\(port)",
      "ROOMSERVER_DRAIN": "20",
    ]
    let server = try Command.start(
      ["serve", "--media-port", "0", "--rtmp-port", "0", "--data", "none", "--workers", "1"], environment: environment)
    try await eventually("it serves") { server.errors.contains("serving") }
    let hook = Process()
    hook.executableURL = URL(filePath: "/usr/bin/env")
    hook.arguments = command
    let path = Program.built("roomserver").deletingLastPathComponent().path
    hook.environment = environment.merging(["PATH": "\(path):/usr/bin:/bin"]) { $1 }
    try hook.run()
    #expect(try await server.status() == 0)
    try await eventually("the hook ends") { !hook.isRunning }
    #expect(hook.terminationStatus == 0)
    #expect(server.errors.contains("draining"))
  }

  /// The variables of the example of secrets.
  private static func example() throws -> [String: String] {
    let text = try String(contentsOfFile: "\(folder)/example.env", encoding: .utf8)
    return Dictionary(
      text.matches(of: #/(?m)^(\w+)=(.*)$/#).map { (String($0.1), String($0.2)) }, uniquingKeysWith: { $1 })
  }
}
