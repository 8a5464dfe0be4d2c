// swift-tools-version: 6.1
import PackageDescription

/// A C library installed with apt. `pkgConfig` is omitted if its flags make SwiftPM warn.
func system(_ name: String, pkgConfig: String? = nil, apt: String...) -> Target {
  .systemLibrary(name: name, path: "Sources/CLibraries/\(name)", pkgConfig: pkgConfig, providers: [.apt(apt)])
}

func nio(_ product: String) -> Target.Dependency { .product(name: product, package: "swift-nio") }

/// A product that only the programs need. An app that embeds a library disables the trait and does not fetch its package.
func server(_ product: String, package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Server"]))
}

let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let grdb = server("GRDB", package: "GRDB.swift")
let yams = server("Yams", package: "Yams")
let argumentParser = server("ArgumentParser", package: "swift-argument-parser")

// With x264, a distributed binary is subject to the GPL; OpenH264 is the alternative.
let isWithoutX264 = Context.environment["ROOMSERVER_OPENH264"] != nil

let package = Package(
  name: "roomserver",
  products: [
    .executable(name: "roomserver", targets: ["roomserver"]),
    .executable(name: "loadtest", targets: ["loadtest"]),
    .library(name: "RoomClient", targets: ["RoomClient"]),
    .library(name: "RoomMedia", targets: ["RoomMedia", "Codecs"]),
  ],
  traits: [
    .default(enabledTraits: ["Server"]),
    .trait(name: "Server", description: "The server, the load test and the examples; the libraries do not need it."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // Layer 0: C libraries.
    system("CSRTP", pkgConfig: "libsrtp2", apt: "libsrtp2-dev"),
    system("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
    system("COpus", pkgConfig: "opus", apt: "libopus-dev"),
    system("CVPX", pkgConfig: "vpx", apt: "libvpx-dev"),
    isWithoutX264
      ? system("COpenH264", pkgConfig: "openh264", apt: "libopenh264-dev") : system("CX264", apt: "libx264-dev"),
    system("CFFmpeg", pkgConfig: "libavcodec", apt: "libavcodec-dev", "libavformat-dev", "libswresample-dev"),
    system("CYUV", apt: "libyuv-dev"),
    system("CFreeType", pkgConfig: "freetype2", apt: "libfreetype-dev"),
    system("CMicroHTTPD", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
    system("CGnuTLS", pkgConfig: "gnutls", apt: "libgnutls28-dev"),
    .target(name: "CLinux"),

    // Layer 1: wire formats.
    .target(name: "RTP"),
    .target(name: "Digests", dependencies: ["COpenSSL"]),
    .target(name: "RTMP", dependencies: ["RTP", "Digests"]),
    .target(name: "Linux", dependencies: ["RTP", "CLinux"]),
    .target(name: "RoomProtocol"),
    .target(name: "RoomState", dependencies: ["RoomProtocol"]),
    .target(name: "RoomToken", dependencies: ["RoomProtocol", "Digests"]),

    // Layer 2: WebRTC peers and codecs.
    .target(name: "WebRTC", dependencies: ["RTP", "Digests", "CSRTP", "COpenSSL"]),
    .target(
      name: "Codecs", dependencies: ["RTP", "COpus", "CVPX", isWithoutX264 ? "COpenH264" : "CX264", "CFFmpeg", "CYUV"],
      swiftSettings: isWithoutX264 ? [.define("OPENH264")] : []),

    // Layer 3: the packet path, mixing and live streams.
    .target(
      name: "Mixing", dependencies: ["Codecs", "RTP", "RoomProtocol", "CFreeType"],
      // See SFU below: every sample access would be checked.
      swiftSettings: [.unsafeFlags(["-enforce-exclusivity=unchecked"])]),
    .target(
      name: "SFU", dependencies: ["WebRTC", "RTP", "CLinux"],
      // A property access across modules costs 25 ns with the check and 1.5 ns without; every hot object here is owned by one
      // thread.
      swiftSettings: [.unsafeFlags(["-enforce-exclusivity=unchecked"])]),

    .target(name: "LiveOrigin", dependencies: ["Codecs", "RTMP", "RTP", "Digests", nio("NIOCore")]),

    // Layer 4: outputs, the server and the client.
    .target(
      name: "Relay",
      dependencies: [
        "RTMP", "LiveOrigin", "Mixing", "Codecs", "RTP", "SFU", "WebRTC", "CLinux", nio("NIOCore"), nio("NIOPosix"),
        nio("NIOTLS"), nioSSL,
      ]),
    .target(
      name: "HTTPServer",
      dependencies: [
        "Linux", "WebRTC", "RTP", "RoomProtocol", "Digests", "CMicroHTTPD", "CGnuTLS", "CLinux", logging, nioSSL,
        nio("NIOCore"),
        nio("NIOConcurrencyHelpers"),
      ]),
    .target(
      name: "OriginServer",
      dependencies: [
        "HTTPServer", "LiveOrigin", "RTMP", "Codecs", "WebRTC", "RTP", "RoomProtocol", "RoomToken", "CLinux", logging, nioSSL,
        nio("NIOCore"), nio("NIOPosix"), nio("NIOConcurrencyHelpers"),
      ]),
    .target(
      name: "Webhooks",
      dependencies: [
        "HTTPServer", "LiveOrigin", "RTP", "RoomProtocol", "Digests", "CLinux", grdb, logging, nioSSL, nio("NIOCore"),
        nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOConcurrencyHelpers"),
      ]),
    .target(
      name: "Rooms",
      dependencies: [
        "Linux", "SFU", "Relay", "LiveOrigin", "RTMP", "Mixing", "Codecs", "WebRTC", "RTP", "RoomProtocol", "RoomState",
        "RoomToken", "Digests", "CLinux", grdb, logging, nio("NIOCore"), nio("NIOPosix"), nio("NIOConcurrencyHelpers"),
      ]),
    .target(
      name: "RoomServer",
      dependencies: [
        "HTTPServer", "OriginServer", "Webhooks", "Rooms", "Linux", "SFU", "Relay", "LiveOrigin", "RTMP", "Codecs", "WebRTC",
        "RTP", "RoomProtocol", "RoomState", "RoomToken", "Digests", "CLinux", logging, nio("NIOCore"), nio("NIOPosix"),
        nio("NIOWebSocket"), nio("NIOConcurrencyHelpers"),
      ],
      plugins: ["EmbedPage"]),
    .plugin(name: "EmbedPage", capability: .buildTool(), dependencies: ["embed-page"]),
    .executableTarget(name: "embed-page", path: "Sources/EmbedPage"),
    .target(
      name: "RoomClient",
      dependencies: [
        "WebRTC", "RTP", "RoomProtocol", "CLinux", logging, nioSSL,
        nio("NIOCore"), nio("NIOPosix"), nio("NIOWebSocket"), nio("NIOHTTP1"),
        nio("NIOConcurrencyHelpers"),
      ]),

    // Layer 5: modules with codecs, and executables.
    .target(name: "RoomMedia", dependencies: ["RoomClient", "Codecs", "RTP"]),
    .executableTarget(
      name: "roomserver",
      dependencies: [
        "RoomServer", "Rooms", "HTTPServer", "OriginServer", "Webhooks", "LiveOrigin", "Relay", "RoomProtocol", "RoomToken",
        "SFU", argumentParser, logging, yams,
      ]),
    .executableTarget(
      name: "publish-file", dependencies: ["RoomClient", "RoomMedia", "Codecs", argumentParser],
      path: "Sources/Examples/PublishFile"),
    .executableTarget(
      name: "forward-elementary-stream", dependencies: ["RoomClient", argumentParser],
      path: "Sources/Examples/ForwardElementaryStream"),
    .executableTarget(
      name: "client-guide", dependencies: ["RoomClient", "RoomMedia", "RoomProtocol", argumentParser],
      path: "Sources/Examples/ClientGuide"),

    // Layer 6: the bots.
    .target(name: "LossyLink", dependencies: ["CLinux", "RTP"], path: "loadtest/LossyLink"),
    .executableTarget(
      name: "packetpath", dependencies: ["SFU", "WebRTC", "RTP", "CLinux", argumentParser], path: "loadtest/PacketPath"),
    .executableTarget(
      name: "loadtest",
      dependencies: [
        "RoomMedia", "RoomClient", "RoomToken", "RoomProtocol", "WebRTC", "RTMP", "RTP", "CLinux", "COpenSSL", "Codecs",
        "LossyLink", argumentParser, yams, nio("NIOCore"),
      ],
      path: "loadtest/loadtest"),

    // Shared code of the fuzz targets. Tests/Fuzz/run.sh builds them for libFuzzer; the tests run the stored inputs.
    .target(name: "FuzzSupport", path: "Tests/Fuzz/Support"),

    // Third-party programs, and helpers for the peers in tests.
    .target(name: "Peers", dependencies: ["WebRTC", "RTP", "RoomProtocol", nioSSL], path: "Tests/Peers"),

    // Literals for media times, used only in tests.
    .target(name: "MediaTimeLiterals", dependencies: ["RTP"], path: "Tests/MediaTimeLiterals"),

    // Test targets mirror the modules; Interop contains tests with a whole server or a third-party peer.
    .testTarget(name: "ArchitectureTests"),
    .testTarget(name: "RTPTests", dependencies: ["RTP", "FuzzSupport"]),
    .testTarget(name: "RTMPTests", dependencies: ["RTMP", "RTP", "FuzzSupport", "Peers"]),
    .testTarget(name: "LiveOriginTests", dependencies: ["LiveOrigin", "Codecs", "RTMP", "RTP"]),
    .testTarget(name: "RoomStateTests", dependencies: ["RoomState", "RoomProtocol"]),
    .testTarget(name: "RoomProtocolTests", dependencies: ["RoomProtocol", "RoomToken", "FuzzSupport"]),
    .testTarget(
      name: "WebRTCTests", dependencies: ["WebRTC", "RTP", "CSRTP", "FuzzSupport"], resources: [.copy("SDP/Fixtures")]),
    .testTarget(name: "CodecsTests", dependencies: ["Codecs", "RTP", "MediaTimeLiterals"]),
    .testTarget(name: "MixingTests", dependencies: ["Mixing", "Codecs", "RTP", "RoomProtocol", "MediaTimeLiterals"]),
    .testTarget(
      name: "RelayTests",
      dependencies: [
        "Relay", "RTMP", "Mixing", "Codecs", "RTP", "SFU", "WebRTC", "Peers", "MediaTimeLiterals", nio("NIOCore"),
        nio("NIOPosix"), nioSSL,
      ]),
    .testTarget(name: "SFUTests", dependencies: ["SFU", "WebRTC", "RTP", "CLinux"]),
    .testTarget(
      name: "RoomsTests",
      dependencies: [
        "Rooms", "Relay", "RoomProtocol", "RoomState", "RoomToken", "SFU", "WebRTC", "RTP", "Peers",
        nio("NIOCore"), nio("NIOEmbedded"), nio("NIOWebSocket"), nio("NIOConcurrencyHelpers"),
      ]),
    .testTarget(
      name: "RoomServerTests",
      dependencies: [
        "RoomServer", "Rooms", "HTTPServer", "OriginServer", "Webhooks", "Linux", "LiveOrigin", "RTMP", "Relay", "Codecs",
        "RoomProtocol", "RoomToken", "SFU", "WebRTC", "RTP", "CLinux", "roomserver", "FuzzSupport", "Peers",
        "MediaTimeLiterals", logging, nioSSL,
        nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOEmbedded"), nio("NIOConcurrencyHelpers"),
      ]),
    .testTarget(
      name: "RoomClientTests",
      dependencies: [
        "RoomClient", "RoomServer", "RoomToken", "RoomProtocol", "SFU", "WebRTC", "RTP", "LossyLink", "Peers",
        "forward-elementary-stream", nio("NIOCore"), nio("NIOPosix"), nio("NIOConcurrencyHelpers"), nioSSL,
      ]),
    .testTarget(name: "RoomMediaTests", dependencies: ["RoomMedia", "RoomClient", "Codecs", "RTP", "MediaTimeLiterals"]),
    .testTarget(
      name: "LoadtestTests",
      dependencies: ["loadtest", "RoomServer", "HTTPServer", "RoomClient", "RTMP", "RTP", "WebRTC", "Peers", argumentParser]),
    .testTarget(name: "LossyLinkTests", dependencies: ["LossyLink", "RTP", "CLinux"]),
    .testTarget(
      name: "Interop",
      dependencies: [
        "RoomServer", "Rooms", "HTTPServer", "Relay", "LiveOrigin", "RTMP", "RoomClient", "RoomMedia", "Codecs", "RoomToken",
        "RoomProtocol", "WebRTC", "RTP", "LossyLink", "CLinux", "loadtest", "Peers", "roomserver", "client-guide",
      ],
      exclude: ["Browser", "Docs/newcomer.sh", "REST", "WHIP"]),
  ],
  swiftLanguageModes: [.v6]
)

// For Tests/Fuzz/run.sh: builds the modules with libFuzzer's counters and AddressSanitizer, and replaces the test targets by
// one executable that contains the fuzz targets in their files.
if Context.environment["ROOMSERVER_FUZZ"] != nil {
  let fed = [
    "RTP", "RTMP", "RoomProtocol", "RoomToken", "WebRTC", "SFU", "HTTPServer", "OriginServer", "Webhooks", "Rooms",
    "RoomServer", "FuzzSupport",
  ]
  let flags = ["-sanitize=fuzzer,address", "-enable-testing"]
  package.targets.removeAll { $0.type == .test }
  package.products = []
  for target in package.targets where fed.contains(target.name) {
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(flags)]
  }
  package.targets.append(
    .executableTarget(
      name: "fuzz", dependencies: fed.map { .init(stringLiteral: $0) } + [nio("NIOEmbedded"), logging], path: "Tests",
      sources: ["Fuzz/FuzzEntry.swift"]
        + ["RTP", "RTMP", "WebRTC", "RoomProtocol", "RoomServer"].map { "\($0)Tests/Fuzz/Targets" },
      swiftSettings: [.unsafeFlags(flags + ["-parse-as-library"])],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]))
}

// For `deploy/test.sh --module`: one test module and what it needs, so that nothing else is compiled and linked.
if let module = Context.environment["ROOMSERVER_MODULE"] {
  var needed: Set<String> = []
  func need(_ name: String) {
    guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else { return }
    for dependency in target.dependencies {
      switch dependency {
      case .byNameItem(let name, _), .targetItem(let name, _): need(name)
      default: break
      }
    }
    for case .plugin(let plugin, _) in target.plugins ?? [] { need(plugin) }
  }
  need(module)
  package.targets.removeAll { !needed.contains($0.name) }
  package.products = []
  let used = package.targets.flatMap(\.dependencies).compactMap { dependency -> String? in
    if case .productItem(_, let package, _, _) = dependency { package } else { nil }
  }
  package.dependencies.removeAll { dependency in
    if case .sourceControl(_, let location, _) = dependency.kind { !used.contains { location.hasSuffix("/\($0)") } } else { false }
  }
}
