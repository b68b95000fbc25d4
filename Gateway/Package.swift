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
    .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
  ],
  targets: [
    .systemLibrary(name: "CNGHTTP2", path: "Sources/SystemLibraries/CNGHTTP2", pkgConfig: "libnghttp2"),
    .systemLibrary(name: "CZlib", path: "Sources/SystemLibraries/CZlib", pkgConfig: "zlib"),
    .executableTarget(
      name: "face-engine-gateway",
      dependencies: [
        "CNGHTTP2",
        "CZlib",
        .product(name: "FaceEngineParts", package: "FaceEngine"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "NIOTLS", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
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
