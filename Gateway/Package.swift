// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let parts = Target.Dependency.product(name: "FaceEngineParts", package: "FaceEngine")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
func nio(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-nio") }

func room(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
  .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

let package = Package(
  name: "Gateway",
  dependencies: [
    .package(name: "FaceEngine", path: ".."),
    .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
  ],
  targets: [
    .systemLibrary(name: "CNGHTTP2", path: "Sources/SystemLibraries/CNGHTTP2", pkgConfig: "libnghttp2"),
    .systemLibrary(name: "CJSON", path: "Sources/SystemLibraries/CJSON", pkgConfig: "jansson"),
    .systemLibrary(name: "CZlib", path: "Sources/SystemLibraries/CZlib", pkgConfig: "zlib"),
    .systemLibrary(name: "CMalloc", path: "Sources/SystemLibraries/CMalloc"),
    // Each room may use the ones above it; make check holds their imports against ARCHITECTURE.md.
    room("GatewayCoding", [parts, nio("NIOCore"), argumentParser, "CJSON", "CZlib"]),
    room("GatewayServing", ["GatewayCoding", parts, nio("NIOCore"), nioSSL, argumentParser, "CMalloc"]),
    room("EngineLink", ["GatewayCoding", "GatewayServing", parts, nio("NIOCore"), nio("NIOPosix")]),
    room(
      "GatewayHTTP2",
      ["GatewayServing", parts, nio("NIOCore"), nio("NIOPosix"), nioSSL, "CNGHTTP2"]),
    room(
      "GatewayGRPC",
      [
        "GatewayCoding", "GatewayServing", "EngineLink", "GatewayHTTP2", parts, nio("NIOCore"), nioSSL,
      ]),
    room(
      "GatewayHTTP",
      [
        "GatewayCoding", "GatewayServing", "EngineLink", "GatewayHTTP2", parts, nio("NIOCore"),
        nio("NIOHTTP1"), nio("NIOTLS"), nioSSL,
      ], resources: [.embedInCode("Resources/openapi.json")]),
    room(
      "GatewayInference",
      ["GatewayCoding", "GatewayServing", "EngineLink", "GatewayGRPC", "GatewayHTTP", parts, nio("NIOCore")]),
    room("GatewayMetrics", ["GatewayServing", "EngineLink", "GatewayHTTP", parts, nio("NIOCore")]),
    .executableTarget(
      name: "face-engine-gateway",
      dependencies: [
        "EngineLink", "GatewayServing", "GatewayGRPC", "GatewayHTTP", "GatewayHTTP2", "GatewayInference",
        "GatewayMetrics", parts,
        nio("NIOCore"), nio("NIOPosix"), argumentParser,
      ],
      resources: [.embedInCode("Resources/gateway.set")],
      swiftSettings: strict,
      linkerSettings: [
        // Linked like the command: Swift's own libraries are inside, so that none need be installed.
        .unsafeFlags([
          "-static-stdlib", "-use-ld=lld", "-l_FoundationCollections", "-l_FoundationCShims",
          "-Xlinker", "--gc-sections", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
          "-Xlinker", "-z", "-Xlinker", "now", "-Xlinker", "--no-export-dynamic",
        ])
      ]),
    .executableTarget(
      name: "simulate-gateway",
      dependencies: [
        "EngineLink", "GatewayCoding", "GatewayServing", "GatewayHTTP", parts, nio("NIOCore"),
        nio("NIOEmbedded"), argumentParser,
      ],
      path: "Tests/Simulation", swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
