// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "FaceEngine",
  products: [],
  dependencies: [
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2")
  ],
  targets: [
    .target(name: "FaceCore", swiftSettings: strict),

    .target(name: "CPosixShims"),
    .target(name: "Posix", dependencies: ["FaceCore", "CPosixShims"], swiftSettings: strict),

    .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg"),
    .systemLibrary(name: "CPNG", pkgConfig: "libpng"),
    .systemLibrary(name: "CEXIF", pkgConfig: "libexif"),
    .systemLibrary(name: "CYUV"),
    .target(
      name: "Imaging", dependencies: ["FaceCore", "CTurboJPEG", "CPNG", "CEXIF", "CYUV"],
      swiftSettings: strict),
    .systemLibrary(name: "CNCNN", pkgConfig: "ncnn"),
    .target(name: "Inference", dependencies: ["FaceCore", "CNCNN"], swiftSettings: strict),
    .target(
      name: "Detection", dependencies: ["FaceCore", "Imaging", "Inference"], swiftSettings: strict),

    .systemLibrary(name: "CJansson", pkgConfig: "jansson"),
    .systemLibrary(name: "CMessageDigest", pkgConfig: "libmd"),
    .target(
      name: "ModelStore", dependencies: ["FaceCore", "Posix", "CJansson", "CMessageDigest"],
      swiftSettings: strict),
    .target(
      name: "Engine", dependencies: ["FaceCore", "Imaging", "Inference", "Detection", "ModelStore"],
      swiftSettings: strict),

    .target(name: "CProtocol", linkerSettings: [.linkedLibrary("protobuf-c")]),
    .target(name: "Wire", dependencies: ["FaceCore", "CProtocol"], swiftSettings: strict),

    .target(
      name: "Service",
      dependencies: ["FaceCore", "Posix", "Wire", .product(name: "Logging", package: "swift-log")],
      swiftSettings: strict),

    .target(name: "Client", dependencies: ["FaceCore", "Posix", "Wire"], swiftSettings: strict),

    .systemLibrary(name: "CCairo", pkgConfig: "cairo"),
    .target(name: "Rendering", dependencies: ["FaceCore", "Imaging", "CCairo"], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
