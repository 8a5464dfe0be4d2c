// swift-tools-version: 6.1
import PackageDescription

// An app that embeds RoomClient, as run.sh builds it: beside packages in versions that the server does not take, and with targets
// named like modules of an earlier layout. `roomserver` is a link to the root of the repository.
let package = Package(
  name: "embedding",
  dependencies: [
    .package(path: "roomserver", traits: []),
    .package(url: "https://github.com/jpsim/Yams", exact: "5.0.1"),
  ],
  targets: [
    .target(name: "Codecs"),
    .target(name: "Relay"),
    .target(name: "WebRTC"),
    .executableTarget(
      name: "App",
      dependencies: [
        "Codecs", "Relay", "WebRTC", .product(name: "Yams", package: "Yams"),
        .product(name: "RoomClient", package: "roomserver"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
