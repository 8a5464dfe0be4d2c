// swift-tools-version: 6.1
import PackageDescription

/// A C library installed with apt. `pkgConfig` is omitted if its flags make SwiftPM warn.
func system(_ name: String, pkgConfig: String? = nil, apt: String...) -> Target {
  .systemLibrary(name: "Room\(name)", path: "Sources/CLibraries/\(name)", pkgConfig: pkgConfig, providers: [.apt(apt)])
}

func nio(_ product: String) -> Target.Dependency { .product(name: product, package: "swift-nio") }

/// A product that only the programs need. An app that embeds a library disables the trait and does not fetch its package.
func server(_ product: String, package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Server"]))
}

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
    .executable(name: "loadtest", targets: ["RoomLoadtest"]),
    .executable(name: "cluster-simulation", targets: ["RoomClusterSimulation"]),
    .library(name: "RoomClient", targets: ["RoomClient"]),
    .library(name: "RoomMedia", targets: ["RoomMedia", "RoomCodecs"]),
    .library(name: "RoomStreaming", targets: ["RoomStreaming"]),
    .library(name: "RoomStudio", targets: ["RoomStudio", "RoomCodecs"]),
    .library(name: "RoomSound", targets: ["RoomSound", "RoomCodecs"]),
    .library(name: "RoomCapture", targets: ["RoomCapture", "RoomCodecs"]),
  ],
  traits: [
    .default(enabledTraits: ["Server"]),
    .trait(name: "Server", description: "The server, the load test and the examples; the libraries do not need it."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
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
    system("CAOM", pkgConfig: "aom", apt: "libaom-dev"),
    isWithoutX264
      ? system("COpenH264", pkgConfig: "openh264", apt: "libopenh264-dev") : system("CX264", apt: "libx264-dev"),
    system("CFFmpeg", pkgConfig: "libavcodec", apt: "libavcodec-dev", "libavformat-dev", "libswresample-dev"),
    system("CYUV", apt: "libyuv-dev"),
    system("CFreeType", pkgConfig: "freetype2", apt: "libfreetype-dev"),
    system("CMicroHTTPD", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
    system("CGnuTLS", pkgConfig: "gnutls", apt: "libgnutls28-dev"),
    system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
    // Without pkgConfig: SwiftPM warns of its -D_REENTRANT.
    system("CPulse", apt: "libpulse-dev"),
    system("CV4L2", apt: "linux-libc-dev"),
    system("CALSA", apt: "libasound2-dev"),
    system("CXCB", apt: "libxcb1-dev", "libxcb-shm0-dev", "libxcb-randr0-dev", "libxcb-composite0-dev", "libxcb-xfixes0-dev"),
    // The flavour with GnuTLS, because libavformat loads it: both flavours have the same symbols.
    system("CSRT", apt: "libsrt-gnutls-dev"),
    .target(name: "RoomCLinux", path: "Sources/CLinux"),
    .target(name: "RoomCGCM", path: "Sources/CGCM"),
    // The library's headers include each other by "webrtc/...": `forward` leads there without a compiler flag of the system.
    .target(
      name: "RoomCSound", path: "Sources/CSound",
      cxxSettings: [
        .define("WEBRTC_POSIX"), .define("WEBRTC_AUDIO_PROCESSING_ONLY_BUILD"), .headerSearchPath("forward"),
      ],
      linkerSettings: [.linkedLibrary("webrtc_audio_processing"), .linkedLibrary("SoundTouch")]),

    // Layer 1: wire formats.
    .target(name: "RoomRTP", path: "Sources/RTP"),
    .target(name: "RoomDigests", dependencies: ["RoomCOpenSSL", "RoomCGCM"], path: "Sources/Digests"),
    .target(
      name: "RoomTLS", dependencies: ["RoomDigests", "RoomCOpenSSL", nio("NIOCore"), nio("NIOTLS")], path: "Sources/TLS"),
    .target(name: "RoomRTMP", dependencies: ["RoomRTP", "RoomDigests"], path: "Sources/RTMP"),
    .target(
      name: "RoomPush",
      dependencies: ["RoomRTMP", "RoomRTP", "RoomTLS", nio("NIOCore"), nio("NIOPosix"), nio("NIOTLS")], path: "Sources/Push"),
    .target(name: "RoomTransportStream", dependencies: ["RoomRTMP", "RoomRTP"], path: "Sources/TransportStream"),
    .target(
      name: "RoomSRT", dependencies: ["RoomPush", "RoomTransportStream", "RoomRTMP", "RoomRTP", "RoomCSRT"], path: "Sources/SRT"
    ),
    .target(name: "RoomLinux", dependencies: ["RoomRTP", "RoomCLinux"], path: "Sources/Linux"),
    .target(
      name: "RoomRedis",
      dependencies: ["RoomLinux", "RoomRTP", "RoomDigests", logging, "RoomTLS", nio("NIOCore"), nio("NIOPosix")],
      path: "Sources/Redis"),
    .target(name: "RoomProtocol"),
    .target(
      name: "RoomCluster",
      dependencies: ["RoomRedis", "RoomProtocol", "RoomLinux", "RoomRTP", "RoomDigests", logging, nio("NIOCore")],
      path: "Sources/Cluster"),
    .target(name: "RoomState", dependencies: ["RoomProtocol"]),
    .target(name: "RoomToken", dependencies: ["RoomProtocol", "RoomDigests"]),
    .target(name: "RoomLiveKitProtocol", path: "Sources/LiveKitProtocol"),

    // Layer 2: WebRTC peers and codecs.
    .target(name: "RoomWebRTC", dependencies: ["RoomRTP", "RoomDigests", "RoomCSRTP", "RoomCOpenSSL"], path: "Sources/WebRTC"),
    .target(
      name: "RoomCodecs",
      dependencies: [
        "RoomRTP", "RoomCOpus", "RoomCVPX", "RoomCAOM", isWithoutX264 ? "RoomCOpenH264" : "RoomCX264", "RoomCFFmpeg",
        "RoomCYUV", "RoomCFreeType",
      ], path: "Sources/Codecs",
      swiftSettings: isWithoutX264 ? [.define("OPENH264")] : []),

    .target(
      name: "RoomSound", dependencies: ["RoomCodecs", "RoomRTP", "RoomCALSA", "RoomCPulse", "RoomCSound"], path: "Sources/Sound"
    ),

    .target(
      name: "RoomCapture", dependencies: ["RoomCodecs", "RoomLinux", "RoomRTP", "RoomCLinux", "RoomCV4L2", "RoomCXCB"],
      path: "Sources/Capture"),

    .target(
      name: "RoomNodeLink", dependencies: ["RoomRTP", "RoomDigests", "RoomCLinux"], path: "Sources/NodeLink",
      // See SFU below: a link is owned by one thread.
      swiftSettings: [.unsafeFlags(["-enforce-exclusivity=unchecked"])]),

    // Layer 3: the packet path, mixing and live streams.
    .target(
      name: "RoomMixing", dependencies: ["RoomCodecs", "RoomRTP", "RoomProtocol"], path: "Sources/Mixing",
      // See SFU below: every sample access would be checked.
      swiftSettings: [.unsafeFlags(["-enforce-exclusivity=unchecked"])]),
    .target(
      name: "RoomSFU", dependencies: ["RoomWebRTC", "RoomRTP", "RoomCLinux"], path: "Sources/SFU",
      // A property access across modules costs 25 ns with the check and 1.5 ns without; every hot object here is owned by one
      // thread.
      swiftSettings: [.unsafeFlags(["-enforce-exclusivity=unchecked"])]),

    .target(
      name: "RoomLiveOrigin", dependencies: ["RoomCodecs", "RoomRTMP", "RoomRTP", "RoomDigests", nio("NIOCore")],
      path: "Sources/LiveOrigin"),

    .target(name: "RoomStudio", dependencies: ["RoomCodecs", "RoomCYUV"], path: "Sources/Studio"),
    .target(
      name: "RoomMediaReader",
      dependencies: ["RoomCLinux", "RoomCodecs", "RoomTransportStream", "RoomRelay", "RoomWebRTC", "RoomRTMP", "RoomRTP"],
      path: "Sources/MediaReader"),
    // Defines functions of the C library: only for the program, never for a library that others link.
    .target(name: "RoomCReaderGuard", path: "Sources/CReaderGuard"),

    // Layer 4: outputs, the server and the client.
    .target(
      name: "RoomRelay",
      dependencies: [
        "RoomPush", "RoomSRT", "RoomRTMP", "RoomLiveOrigin", "RoomMixing", "RoomCodecs", "RoomRTP", "RoomSFU", "RoomWebRTC",
        "RoomCLinux", nio("NIOCore"), nio("NIOPosix"), "RoomTLS",
      ], path: "Sources/Relay"),
    .target(
      name: "RoomHTTPServer",
      dependencies: [
        "RoomLinux", "RoomWebRTC", "RoomRTP", "RoomProtocol", "RoomDigests", "RoomCMicroHTTPD", "RoomCGnuTLS", "RoomCZlib",
        "RoomCLinux", logging, "RoomTLS",
        nio("NIOCore"),
      ], path: "Sources/HTTPServer"),
    .target(
      name: "RoomOriginServer",
      dependencies: [
        "RoomHTTPServer", "RoomLiveOrigin", "RoomSRT", "RoomTransportStream", "RoomRTMP", "RoomCodecs", "RoomWebRTC",
        "RoomRTP", "RoomProtocol", "RoomToken", "RoomCLinux", logging, "RoomTLS", nio("NIOCore"), nio("NIOPosix"),
      ], path: "Sources/OriginServer"),
    .target(
      name: "RoomWebhooks",
      dependencies: [
        "RoomHTTPServer", "RoomLiveOrigin", "RoomRTP", "RoomProtocol", "RoomDigests", "RoomCLinux", "RoomCluster",
        "RoomRedis", grdb, logging, "RoomTLS", nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"),
      ], path: "Sources/Webhooks"),
    .target(
      name: "RoomEngine",
      dependencies: [
        "RoomLinux", "RoomSFU", "RoomRelay", "RoomPush", "RoomLiveOrigin", "RoomRTMP", "RoomMixing", "RoomCodecs",
        "RoomWebRTC", "RoomRTP", "RoomProtocol", "RoomState", "RoomToken", "RoomDigests", "RoomCluster", "RoomRedis",
        "RoomCLinux", grdb, logging, nio("NIOCore"), nio("NIOPosix"),
      ], path: "Sources/Rooms"),
    .target(
      name: "RoomServer",
      dependencies: [
        "RoomHTTPServer", "RoomOriginServer", "RoomWebhooks", "RoomEngine", "RoomCluster", "RoomRedis", "RoomLinux",
        "RoomSFU", "RoomMediaReader", "RoomRelay", "RoomPush", "RoomLiveOrigin", "RoomRTMP", "RoomCodecs", "RoomWebRTC",
        "RoomRTP", "RoomProtocol", "RoomState", "RoomToken", "RoomDigests", "RoomCLinux", grdb, logging, nio("NIOCore"),
        nio("NIOPosix"), nio("NIOWebSocket"),
      ]),
    .target(
      name: "RoomLiveKitServer",
      dependencies: [
        "RoomServer", "RoomLiveKitProtocol", "RoomEngine", "RoomHTTPServer", "RoomOriginServer", "RoomWebhooks", "RoomRelay",
        "RoomLiveOrigin", "RoomSFU", "RoomWebRTC", "RoomRTP", "RoomLinux", "RoomProtocol", "RoomState", "RoomToken",
        "RoomDigests", logging, nio("NIOCore"),
      ], path: "Sources/LiveKitServer"),
    .target(
      name: "RoomClusterServer",
      dependencies: [
        "RoomServer", "RoomCluster", "RoomRedis", "RoomNodeLink", "RoomEngine", "RoomHTTPServer", "RoomOriginServer",
        "RoomWebhooks", "RoomRelay", "RoomLiveOrigin", "RoomSFU", "RoomWebRTC", "RoomRTP", "RoomLinux", "RoomProtocol",
        "RoomState", "RoomToken", "RoomDigests", "RoomCLinux", logging, nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"),
        "RoomTLS", nio("NIOWebSocket"),
      ], path: "Sources/ClusterServer"),
    .target(
      name: "RoomWebPages",
      dependencies: [
        "RoomServer", "RoomEngine", "RoomHTTPServer", "RoomOriginServer", "RoomLiveOrigin", "RoomRelay", "RoomCodecs",
        "RoomRTP", "RoomLinux", "RoomProtocol", "RoomToken", "RoomDigests", "RoomWebClient", logging, nio("NIOCore"),
      ], path: "Sources/WebPages", plugins: ["EmbedPage"]),
    .target(
      name: "RoomWebClient", path: "Sources/WebClient", exclude: ["types.d.ts"], plugins: ["EmbedPage"]),
    .plugin(name: "EmbedPage", capability: .buildTool(), dependencies: ["embed-page"]),
    .executableTarget(name: "embed-page", path: "Sources/EmbedPage"),
    .target(
      name: "RoomClient",
      dependencies: [
        "RoomWebRTC", "RoomRTP", "RoomProtocol", "RoomCLinux", logging, "RoomTLS",
        nio("NIOCore"), nio("NIOPosix"), nio("NIOWebSocket"), nio("NIOHTTP1"),
      ]),

    // Layer 5: modules with codecs, and executables.
    .target(
      name: "RoomMedia",
      dependencies: [
        "RoomClient", "RoomCodecs", "RoomRTMP", "RoomRTP", "RoomTLS", nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"),
      ]),
    .target(
      name: "RoomStreaming",
      dependencies: [
        "RoomPush", "RoomSRT", "RoomMedia", "RoomClient", "RoomMixing", "RoomCodecs", "RoomWebRTC", "RoomRTMP", "RoomRTP",
        "RoomProtocol", "RoomTLS",
        nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"),
      ], path: "Sources/Streaming"),
    .executableTarget(
      name: "roomserver",
      dependencies: [
        "RoomDigests", "RoomServer", "RoomLiveKitServer", "RoomClusterServer", "RoomWebPages", "RoomEngine", "RoomHTTPServer",
        "RoomLiveOrigin", "RoomRelay", "RoomCluster", "RoomRedis", "RoomProtocol", "RoomToken", "RoomMediaReader",
        "RoomCReaderGuard", "RoomCLinux", argumentParser, logging, yams,
      ]),
    .executableTarget(
      name: "publish-file", dependencies: ["RoomClient", "RoomMedia", "RoomCodecs", argumentParser],
      path: "Sources/Examples/PublishFile"),
    .executableTarget(
      name: "forward-elementary-stream", dependencies: ["RoomClient", argumentParser],
      path: "Sources/Examples/ForwardElementaryStream"),
    .executableTarget(
      name: "studio-pictures", dependencies: ["RoomStudio", "RoomCodecs", argumentParser],
      path: "Sources/Examples/StudioPictures"),
    .executableTarget(
      name: "sound-costs", dependencies: ["RoomSound", "RoomCodecs", "RoomRTP"], path: "Sources/Examples/SoundCosts"),
    .executableTarget(name: "encoder-costs", dependencies: ["RoomCodecs", "RoomRTP"], path: "Sources/Examples/EncoderCosts"),
    .executableTarget(
      name: "capture-devices", dependencies: ["RoomCapture", "RoomCodecs", argumentParser],
      path: "Sources/Examples/CaptureDevices"),
    .executableTarget(
      name: "client-guide",
      dependencies: [
        "RoomClient", "RoomMedia", "RoomStreaming", "RoomStudio", "RoomSound", "RoomCodecs", "RoomProtocol", "RoomRTP",
        argumentParser,
      ],
      path: "Sources/Examples/ClientGuide"),

    // Layer 6: the bots.
    .target(name: "RoomLinkModel", dependencies: ["RoomRTP"], path: "loadtest/LinkModel"),
    .target(name: "RoomCNetwork", path: "loadtest/CNetwork"),
    .target(
      name: "RoomLossyLink", dependencies: ["RoomLinkModel", "RoomCNetwork", "RoomCLinux", "RoomRTP"],
      path: "loadtest/LossyLink"),
    .target(name: "RoomChromium", path: "loadtest/Chromium"),
    .executableTarget(
      name: "packetpath", dependencies: ["RoomSFU", "RoomWebRTC", "RoomRTP", "RoomCLinux", argumentParser],
      path: "loadtest/PacketPath"),
    .executableTarget(
      name: "RoomClusterSimulation", dependencies: ["RoomCluster", "RoomLinkModel", "RoomProtocol", "RoomRTP", argumentParser],
      path: "loadtest/ClusterSimulation"),
    .executableTarget(
      name: "sctp-peer", dependencies: ["RoomWebRTC", "RoomLinkModel", "RoomRTP"], path: "loadtest/SCTPPeers",
      exclude: ["aiortc_peer.py", "usrsctp_peer.c"]),
    .executableTarget(
      name: "linkcosts", dependencies: ["RoomNodeLink", "RoomRTP", "RoomCLinux"], path: "loadtest/LinkCosts"),
    .target(name: "RoomCFloor", dependencies: ["RoomCOpenSSL"], path: "loadtest/CFloor"),
    .executableTarget(
      name: "RoomLoadtest",
      dependencies: [
        "RoomMedia", "RoomClient", "RoomToken", "RoomProtocol", "RoomWebRTC", "RoomRTMP", "RoomRTP", "RoomLinux",
        "RoomCLinux", "RoomCOpenSSL", "RoomCFloor", "RoomCodecs", "RoomLossyLink", "RoomLinkModel", "RoomChromium",
        argumentParser, yams, nio("NIOCore"), nio("NIOPosix"),
      ],
      path: "loadtest/loadtest"),

    // Shared code of the fuzz targets. Tests/Fuzz/run.sh builds them for libFuzzer; the tests run the stored inputs.
    .target(name: "RoomFuzzSupport", path: "Tests/Fuzz/Support"),

    // Waiting and shared values in tests.
    .target(name: "RoomTestSupport", dependencies: ["RoomLinkModel"], path: "Tests/Support"),

    // Third-party programs, and helpers for the peers in tests.
    .target(
      name: "RoomPeers",
      dependencies: [
        "RoomTestSupport", "RoomWebRTC", "RoomRTP", "RoomProtocol", nio("NIOCore"), nio("NIOHTTP1"), nio("NIOPosix"),
        nio("NIOWebSocket"), "RoomTLS",
      ], path: "Tests/Peers"
    ),

    // Literals for media times, used only in tests.
    .target(name: "RoomMediaTimeLiterals", dependencies: ["RoomRTP"], path: "Tests/MediaTimeLiterals"),

    // Test targets mirror the modules; Interop contains tests with a whole server or a third-party peer.
    .testTarget(name: "ArchitectureTests"),
    .testTarget(
      name: "TLSTests",
      dependencies: [
        "RoomTLS", "RoomPeers", "RoomTestSupport", "RoomFuzzSupport", nio("NIOCore"), nio("NIOEmbedded"), nio("NIOPosix"),
        nio("NIOTLS"),
      ]),
    .testTarget(name: "RTPTests", dependencies: ["RoomTestSupport", "RoomRTP", "RoomLinkModel", "RoomFuzzSupport"]),
    .testTarget(name: "RTMPTests", dependencies: ["RoomTestSupport", "RoomRTMP", "RoomRTP", "RoomFuzzSupport", "RoomPeers"]),
    .testTarget(
      name: "TransportStreamTests",
      dependencies: ["RoomTestSupport", "RoomTransportStream", "RoomRTMP", "RoomRTP", "RoomFuzzSupport", "RoomPeers"]),
    .testTarget(name: "SRTTests", dependencies: ["RoomTestSupport", "RoomSRT", "RoomPush", "RoomRTMP", "RoomRTP"]),
    .testTarget(
      name: "LiveOriginTests", dependencies: ["RoomTestSupport", "RoomLiveOrigin", "RoomCodecs", "RoomRTMP", "RoomRTP"]),
    .testTarget(
      name: "RedisTests",
      dependencies: ["RoomTestSupport", "RoomRedis", "RoomRTP", "RoomLinux", "RoomPeers", "RoomFuzzSupport", nio("NIOCore")]),
    .testTarget(
      name: "ClusterTests",
      dependencies: [
        "RoomTestSupport", "RoomCluster", "RoomClusterSimulation", "RoomLinkModel", "RoomRedis", "RoomProtocol", "RoomRTP",
        "RoomPeers",
      ]),
    .testTarget(name: "RoomStateTests", dependencies: ["RoomTestSupport", "RoomState", "RoomProtocol", "RoomFuzzSupport"]),
    .testTarget(name: "RoomProtocolTests", dependencies: ["RoomProtocol", "RoomToken", "RoomFuzzSupport"]),
    .testTarget(
      name: "LiveKitProtocolTests",
      dependencies: ["RoomLiveKitProtocol", "RoomToken", "RoomTestSupport", "RoomFuzzSupport", "RoomPeers"],
      exclude: ["Oracle/oracle.py", "Oracle/tokens.py"]),
    .testTarget(
      name: "WebRTCTests",
      dependencies: [
        "RoomWebRTC", "RoomRTP", "RoomCSRTP", "RoomLinkModel", "RoomLossyLink", "RoomFuzzSupport", "RoomPeers",
        "RoomTestSupport", "RoomChromium", "sctp-peer",
      ],
      resources: [.copy("SDP/Fixtures")]),
    .testTarget(name: "CodecsTests", dependencies: ["RoomTestSupport", "RoomCodecs", "RoomRTP", "RoomMediaTimeLiterals"]),
    .testTarget(
      name: "CaptureTests",
      dependencies: ["RoomCapture", "RoomCodecs", "RoomRTP", "RoomCXCB", "RoomPeers", "RoomTestSupport", "capture-devices"],
      exclude: ["Cameras/Interposed"]),
    .testTarget(name: "SoundTests", dependencies: ["RoomTestSupport", "RoomPeers", "RoomSound", "RoomCodecs", "RoomRTP"]),
    .testTarget(
      name: "MixingTests",
      dependencies: ["RoomTestSupport", "RoomMixing", "RoomCodecs", "RoomRTP", "RoomProtocol", "RoomMediaTimeLiterals"]),
    .testTarget(
      name: "PushTests",
      dependencies: [
        "RoomTestSupport", "RoomPush", "RoomRTMP", "RoomRTP", "RoomPeers", nio("NIOCore"), nio("NIOPosix"), "RoomTLS",
      ]),
    .testTarget(
      name: "StudioTests", dependencies: ["RoomStudio", "RoomCodecs", "RoomRTP", "RoomFuzzSupport", "RoomTestSupport"]),
    .testTarget(
      name: "RelayTests",
      dependencies: [
        "RoomTestSupport",
        "RoomRelay", "RoomRTMP", "RoomMixing", "RoomCodecs", "RoomRTP", "RoomSFU", "RoomWebRTC", "RoomPeers",
        "RoomMediaTimeLiterals", nio("NIOCore"),
        nio("NIOPosix"), "RoomTLS",
      ]),
    .testTarget(
      name: "NodeLinkTests",
      dependencies: ["RoomNodeLink", "RoomRTP", "RoomCLinux", "RoomLinkModel", "RoomFuzzSupport", "RoomTestSupport"]),
    .testTarget(
      name: "SFUTests",
      dependencies: ["RoomTestSupport", "RoomSFU", "RoomWebRTC", "RoomRTP", "RoomCLinux", "RoomLinkModel"]),
    .testTarget(
      name: "RoomsTests",
      dependencies: [
        "RoomTestSupport",
        "RoomEngine", "RoomRelay", "RoomProtocol", "RoomState", "RoomToken", "RoomSFU", "RoomWebRTC", "RoomRTP", "RoomPeers",
        "RoomCluster", "RoomRedis",
        nio("NIOCore"), nio("NIOEmbedded"), nio("NIOWebSocket"),
      ]),
    .testTarget(
      name: "RoomServerTests",
      dependencies: [
        "RoomTestSupport", "RoomServer", "RoomClusterServer", "RoomLiveKitServer", "RoomWebPages", "RoomEngine",
        "RoomHTTPServer", "RoomOriginServer", "RoomWebhooks", "RoomCluster", "RoomRedis", "RoomLinux", "RoomLiveOrigin",
        "RoomRTMP", "RoomSRT", "RoomRelay", "RoomPush", "RoomCodecs", "RoomProtocol", "RoomLiveKitProtocol", "RoomToken",
        "RoomSFU", "RoomWebRTC", "RoomRTP", "RoomCLinux", "RoomDigests", "roomserver", "RoomFuzzSupport", "RoomPeers",
        "RoomMediaReader",
        "RoomMediaTimeLiterals", logging, "RoomTLS", yams, nio("NIOCore"), nio("NIOPosix"), nio("NIOTLS"), nio("NIOHTTP1"),
        nio("NIOEmbedded"),
        nio("NIOWebSocket"),
      ]),
    .testTarget(
      name: "LiveKitServerTests",
      dependencies: [
        "RoomTestSupport", "RoomFuzzSupport", "RoomLiveKitServer", "RoomServer", "RoomEngine", "RoomHTTPServer", "RoomRelay",
        "RoomSFU", "RoomProtocol", "RoomLiveKitProtocol", "RoomToken", "RoomRTP", "RoomWebRTC", "RoomLinux", logging,
        nio("NIOCore"),
      ]),
    .testTarget(
      name: "ClusterServerTests",
      dependencies: [
        "RoomTestSupport", "RoomFuzzSupport", "RoomClusterServer", "RoomServer", "RoomCluster", "RoomEngine",
        "RoomHTTPServer", "RoomLiveOrigin", "RoomProtocol", "RoomRTP", "RoomWebRTC", "RoomLinux", nio("NIOCore"),
        nio("NIOEmbedded"), nio("NIOWebSocket"),
      ]),
    .testTarget(
      name: "RoomClientTests",
      dependencies: [
        "RoomTestSupport", "RoomClient", "RoomServer", "roomserver", "RoomToken", "RoomProtocol", "RoomSFU", "RoomWebRTC",
        "RoomRTP", "RoomCLinux", "RoomCNetwork", "RoomLossyLink", "RoomPeers", "forward-elementary-stream", nio("NIOCore"),
        nio("NIOPosix"), "RoomTLS",
      ]),
    .testTarget(
      name: "RoomMediaTests",
      dependencies: [
        "RoomTestSupport", "RoomMedia", "RoomClient", "RoomCodecs", "RoomRTMP", "RoomRTP", "RoomMediaTimeLiterals",
      ]),
    .testTarget(
      name: "StreamingTests",
      dependencies: [
        "RoomTestSupport", "RoomStreaming", "RoomPush", "RoomMedia", "RoomClient", "RoomCodecs", "RoomRTMP", "RoomRTP",
        "RoomProtocol",
      ]),
    .testTarget(
      name: "LoadtestTests",
      dependencies: [
        "RoomTestSupport", "RoomLoadtest", "RoomServer", "roomserver", "RoomHTTPServer", "RoomClient", "RoomRTMP", "RoomRTP",
        "RoomWebRTC", "RoomPeers", "RoomLossyLink", "RoomLinkModel", argumentParser,
      ]),
    .testTarget(name: "LossyLinkTests", dependencies: ["RoomLossyLink", "RoomLinkModel", "RoomRTP", "RoomCLinux"]),
    .testTarget(
      name: "Interop",
      dependencies: [
        "RoomTestSupport", "RoomServer", "RoomClusterServer", "RoomLiveKitServer", "RoomWebPages", "RoomEngine",
        "RoomHTTPServer", "RoomCluster", "RoomRedis", "RoomRelay", "RoomPush", "RoomLiveOrigin", "RoomRTMP", "RoomClient",
        "RoomMedia", "RoomCodecs", "RoomToken", "RoomProtocol", "RoomWebRTC", "RoomRTP", "RoomLossyLink", "RoomLinkModel",
        "RoomChromium", "RoomCLinux", "RoomLoadtest", "RoomPeers", "RoomMediaReader", "RoomSound", "RoomStreaming",
        "roomserver", "client-guide",
      ],
      exclude: [
        "Browser", "ClientLibrary/C", "Docs/newcomer.sh", "Ingest/codec_table.py", "LiveKit/livekit_admin.py",
        "LiveKit/livekit_agent.py", "LiveKit/livekit_hooks.py", "LiveKit/livekit_peer.py", "LiveKit/single_connection.html",
        "Players/rtsp_camera.py", "REST", "WHIP",
      ]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

#if compiler(>=6.3)
  // libroomclient.so: its header in C, and the functions, which the compiler checks against the header (SE-0495).
  package.products.append(.library(name: "roomclient", type: .dynamic, targets: ["RoomClientLibrary"]))
  package.targets += [
    .target(name: "RoomCClient", path: "Sources/ClientLibrary/C", exclude: ["exports.map"]),
    .target(
      name: "RoomClientLibrary",
      dependencies: [
        "RoomCClient", "RoomStreaming", "RoomStudio", "RoomSound", "RoomMedia", "RoomClient", "RoomCodecs", "RoomProtocol",
        "RoomRTP", "RoomCLinux", "RoomCYUV", logging,
      ],
      path: "Sources/ClientLibrary/Swift",
      linkerSettings: [
        .unsafeFlags([
          "-Xlinker", "-soname=libroomclient.so.0", "-Xlinker",
          "--version-script=\(Context.packageDirectory)/Sources/ClientLibrary/C/exports.map",
        ])
      ]),
  ]
#endif

// Modules that handle packets, pictures and sound are optimized in debug builds too: their tests then use a fifth of the CPU time, and
// media keeps its pace beside a test. Not in an app that depends on a release of this package: SwiftPM permits no such flags there.
if !Context.packageDirectory.contains("/checkouts/") {
  let hot: Set = [
    "RoomRTP", "RoomDigests", "RoomRTMP", "RoomTransportStream", "RoomWebRTC", "RoomCodecs", "RoomSound", "RoomNodeLink",
    "RoomMixing", "RoomSFU", "RoomLiveOrigin", "RoomStudio", "RoomRelay", "RoomCluster", "RoomLinkModel", "RoomLossyLink",
  ]
  for target in package.targets where hot.contains(target.name) {
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-O"], .when(configuration: .debug))]
  }
}

// For Tests/Fuzz/run.sh: builds the modules with libFuzzer's counters and AddressSanitizer, and replaces the test targets by
// one executable that contains the fuzz targets in their files.
if Context.environment["ROOMSERVER_FUZZ"] != nil {
  let fed = [
    "RoomRTP", "RoomRTMP", "RoomTransportStream", "RoomLinux", "RoomRedis", "RoomProtocol", "RoomToken",
    "RoomLiveKitProtocol", "RoomWebRTC", "RoomNodeLink", "RoomSFU", "RoomHTTPServer", "RoomOriginServer", "RoomWebhooks",
    "RoomEngine", "RoomState", "RoomServer", "RoomLiveKitServer", "RoomClusterServer", "RoomStudio", "RoomFuzzSupport",
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
        + [
          "RTP", "RTMP", "TransportStream", "WebRTC", "NodeLink", "RoomProtocol", "LiveKitProtocol", "RoomServer",
          "LiveKitServer", "ClusterServer", "Studio", "Redis", "RoomState",
        ].map {
          "\($0)Tests/Fuzz/Targets"
        },
      swiftSettings: [.unsafeFlags(flags + ["-parse-as-library"])],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]))
}

// For deploy/check-docs.sh: the plugin that compiles the documentation.
if Context.environment["ROOMSERVER_DOCS"] != nil {
  package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
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
    if case .sourceControl(_, let location, _) = dependency.kind {
      !used.contains { location.hasSuffix("/\($0)") }
    } else {
      false
    }
  }
}
