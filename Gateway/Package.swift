// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "Gateway",
  dependencies: [
    .package(name: "FaceEngine", path: ".."),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", exact: "2.28.1", traits: []),
    .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras.git", exact: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
    .package(url: "https://github.com/apple/swift-http-types.git", exact: "1.8.0", traits: []),
    .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", exact: "2.13.0"),
  ],
  targets: [
    .systemLibrary(name: "CNGHTTP2", path: "Sources/SystemLibraries/CNGHTTP2", pkgConfig: "libnghttp2"),
    .executableTarget(
      name: "face-engine-gateway",
      dependencies: [
        "CNGHTTP2",
        .product(name: "FaceEngineParts", package: "FaceEngine"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOFoundationEssentialsCompat", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      resources: [.embedInCode("Resources/gateway.set"), .embedInCode("Resources/openapi.json")],
      swiftSettings: strict,
      linkerSettings: [
        // Linked like the command: Swift's own libraries are inside, so that none need be installed.
        .unsafeFlags([
          "-static-stdlib", "-use-ld=lld", "-l_FoundationCollections", "-l_FoundationCShims",
          "-Xlinker", "--gc-sections", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
          "-Xlinker", "-z", "-Xlinker", "now", "-Xlinker", "--no-export-dynamic",
        ])
      ]),
  ],
  swiftLanguageModes: [.v6]
)
