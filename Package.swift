// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
/// For what goes into the C library: nothing there uses regular expressions or tasks, and without their modules, which
/// every file imports otherwise, it is 2 MB smaller.
let lean: [SwiftSetting] =
  strict + [
    .unsafeFlags([
      "-Xfrontend", "-disable-implicit-string-processing-module-import",
      "-Xfrontend", "-disable-implicit-concurrency-module-import",
    ])
  ]
/// For C sources: what Debian's packages are hardened with, and the same bytes from any folder. No CET: Swift's own code lacks its marks.
let hardened: [CSetting] = [
  .define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release)),
  .unsafeFlags(["-fstack-protector-strong", "-ffile-prefix-map=\(Context.packageDirectory)/="]),
]
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

/// A library of the system, seen through a module map.
func systemLibrary(_ name: String, pkgConfig: String? = nil) -> Target {
  .systemLibrary(name: name, path: "Sources/SystemLibraries/\(name)", pkgConfig: pkgConfig)
}

/// A library for C: what it shows is in its folder's exports.map.
func cLibrary(_ name: String, of abi: Target.Dependency, soname: String) -> Target {
  .target(
    name: name, dependencies: [abi], exclude: ["exports.map"], swiftSettings: lean,
    linkerSettings: [
      .unsafeFlags([
        "-static-stdlib", "-use-ld=lld", "-Xlinker", "--icf=all", "-Xlinker", "--gc-sections",
        // Addresses to relocate as a bitmap, which the loader of glibc 2.36 knows: half a megabyte less.
        "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
        // Every function is bound when the library is loaded, after which nobody can write to the table.
        "-Xlinker", "-z", "-Xlinker", "now",
        "-Xlinker", "-soname=\(soname)", "-Xlinker",
        "--version-script=\(Context.packageDirectory)/Sources/\(name)/exports.map",
      ])
    ])
}

let package = Package(
  name: "FaceEngine",
  products: [
    .executable(name: "face-engine", targets: ["face-engine"]),
    .library(name: "faceengine", type: .dynamic, targets: ["FaceEngineLibrary"]),
    .library(name: "faceengine-draw", type: .dynamic, targets: ["FaceDrawLibrary"]),
    // For the gateway, a package of its own.
    .library(name: "FaceEngineParts", targets: ["FaceCore", "Posix", "Wire", "Presentation"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
  ],
  targets: [
    // What everything stands on.
    .target(name: "FaceCore", swiftSettings: lean),
    .target(name: "CPosixShims", cSettings: hardened),
    .target(name: "CSandbox", cSettings: hardened),
    .target(name: "Posix", dependencies: ["FaceCore", "CPosixShims", "CSandbox"], swiftSettings: lean),

    // From an image to its faces.
    .target(
      name: "CPictureDecoders", cSettings: hardened,
      linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("png16")]),
    systemLibrary("CWebP", pkgConfig: "libwebp"),
    systemLibrary("CEXIF", pkgConfig: "libexif"),
    systemLibrary("CYUV"),
    .target(name: "CPixelKernels", cSettings: hardened),
    .target(name: "COptionalCodecs", cSettings: hardened),
    .target(
      name: "Imaging",
      dependencies: [
        "FaceCore", "CPictureDecoders", "CWebP", "CEXIF", "CYUV", "CPixelKernels", "COptionalCodecs",
      ],
      swiftSettings: lean),
    systemLibrary("CNCNN", pkgConfig: "ncnn"),
    .target(name: "CFusedKernels", cSettings: hardened),
    .target(
      name: "Inference", dependencies: ["FaceCore", "CNCNN", "CFusedKernels"], swiftSettings: lean),
    .target(name: "Detection", dependencies: ["FaceCore", "Imaging", "Inference"], swiftSettings: lean),
    .target(name: "Analysis", dependencies: ["FaceCore", "Imaging", "Inference"], swiftSettings: lean),
    .target(name: "Tracking", dependencies: ["FaceCore"], swiftSettings: lean),
    .target(name: "GuidedCheck", dependencies: ["FaceCore"], swiftSettings: lean),
    systemLibrary("CJansson", pkgConfig: "jansson"),
    systemLibrary("CMessageDigest", pkgConfig: "libmd"),
    .target(
      name: "ModelStore", dependencies: ["FaceCore", "Posix", "CJansson", "CMessageDigest"],
      swiftSettings: lean),
    .target(
      name: "Engine",
      dependencies: [
        "FaceCore", "Posix", "Imaging", "Inference", "Detection", "Analysis", "Tracking", "GuidedCheck",
        "ModelStore",
      ],
      swiftSettings: lean),

    // From cameras, streams and folders to frames.
    .target(name: "Capture", dependencies: ["FaceCore", "Posix"], swiftSettings: strict),

    // The engine for other processes.
    .target(name: "CProtocol", cSettings: hardened, linkerSettings: [.linkedLibrary("protobuf-c")]),
    .target(name: "Wire", dependencies: ["FaceCore", "CProtocol"], swiftSettings: lean),
    .target(name: "Service", dependencies: ["FaceCore", "Posix", "Wire", logging], swiftSettings: strict),
    .target(name: "Client", dependencies: ["FaceCore", "Posix", "Imaging", "Wire"], swiftSettings: lean),

    // What the command line and the gateway share.
    .target(
      name: "Presentation",
      dependencies: ["FaceCore", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      swiftSettings: strict),

    // Pictures for people.
    // Links nothing by itself: the drawing library and tests link to libcairo, the command loads it when it draws.
    systemLibrary("CCairo"),
    .target(name: "CPangoOnDemand", cSettings: hardened),
    .target(
      name: "Rendering", dependencies: ["FaceCore", "Imaging", "CCairo", "CPangoOnDemand"],
      swiftSettings: lean),
    .target(name: "CCairoOnDemand", cSettings: hardened),

    // The C libraries and the command: Swift's own libraries go inside, so that none need be installed.
    .target(name: "CFaceEngine"),
    .target(name: "CallerABI", dependencies: ["FaceCore", "Posix", "CFaceEngine"], swiftSettings: lean),
    .target(
      name: "FaceEngineABI",
      dependencies: ["FaceCore", "Posix", "Engine", "Client", "CallerABI", "CFaceEngine"],
      swiftSettings: lean),
    cLibrary("FaceEngineLibrary", of: "FaceEngineABI", soname: "libfaceengine.so.1"),
    .target(
      name: "FaceDrawABI",
      dependencies: ["FaceCore", "Posix", "Imaging", "Rendering", "CallerABI", "CFaceEngine"],
      swiftSettings: lean, linkerSettings: [.linkedLibrary("cairo")]),
    cLibrary("FaceDrawLibrary", of: "FaceDrawABI", soname: "libfaceengine-draw.so.1"),
    .executableTarget(
      name: "face-engine",
      dependencies: [
        "FaceCore", "Posix", "Imaging", "ModelStore", "Engine", "Wire", "Service", "Client", "Capture",
        "Presentation", "Rendering", "CCairoOnDemand", logging,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict,
      linkerSettings: [
        .unsafeFlags([
          "-static-stdlib", "-use-ld=lld", "-l_FoundationCollections", "-l_FoundationCShims",
          // As of the libraries, and no names to look up in it: it starts a tenth sooner.
          "-Xlinker", "--gc-sections", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
          "-Xlinker", "-z", "-Xlinker", "now", "-Xlinker", "--no-export-dynamic",
        ])
      ]),

    // Tests.
    .target(
      name: "TestSupport", dependencies: ["FaceCore", "Imaging", "ModelStore"], path: "Tests/TestSupport",
      swiftSettings: strict),
    .testTarget(
      name: "FaceCoreTests", dependencies: ["FaceCore", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "ImagingTests", dependencies: ["FaceCore", "CPictureDecoders", "Imaging", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "InferenceTests",
      dependencies: ["FaceCore", "Imaging", "Inference", "ModelStore", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "DetectionTests",
      dependencies: ["FaceCore", "Imaging", "Inference", "Detection", "ModelStore", "TestSupport"],
      swiftSettings: strict),
    .testTarget(name: "TrackingTests", dependencies: ["FaceCore", "Tracking"], swiftSettings: strict),
    .testTarget(
      name: "GuidedCheckTests", dependencies: ["FaceCore", "GuidedCheck"], swiftSettings: strict),
    .testTarget(
      name: "AnalysisTests",
      dependencies: ["FaceCore", "Imaging", "Inference", "Analysis", "ModelStore", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "ModelStoreTests", dependencies: ["FaceCore", "ModelStore", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "EngineTests",
      dependencies: ["FaceCore", "Imaging", "GuidedCheck", "ModelStore", "Engine", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "CaptureTests", dependencies: ["FaceCore", "Posix", "Capture", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "RenderingTests", dependencies: ["FaceCore", "Imaging", "Rendering", "TestSupport"],
      swiftSettings: strict, linkerSettings: [.linkedLibrary("cairo")]),
    .testTarget(
      name: "PosixTests", dependencies: ["Posix", "CSandbox", "FaceCore", "TestSupport"],
      swiftSettings: strict),
    .target(
      name: "Fuzz",
      dependencies: [
        "Wire", "Inference", "Imaging", "Detection", "ModelStore", "Capture", "Posix", "FaceCore",
        "CProtocol",
      ],
      path: "Tests/Fuzz",
      exclude: ["corpus", "driver", "seed.py"], swiftSettings: strict),
    .testTarget(
      name: "WireTests", dependencies: ["Wire", "FaceCore", "CProtocol", "Fuzz"], swiftSettings: strict),
    .target(
      name: "ServiceTestSupport",
      dependencies: ["Service", "Client", "FaceCore", "Posix", "Wire", "TestSupport", logging],
      path: "Tests/ServiceTestSupport", swiftSettings: strict),
    .executableTarget(
      name: "network-benchmark", dependencies: ["FaceCore", "Posix", "Inference", "ModelStore", "Engine"],
      path: "Tests/Benchmarks/network", swiftSettings: strict),
    .testTarget(
      name: "IntegrationTests",
      dependencies: ["TestSupport", "ServiceTestSupport", "FaceCore", "Imaging", "Wire"],
      swiftSettings: strict),
    .testTarget(
      name: "ServiceTests",
      dependencies: ["Client", "Service", "ServiceTestSupport", "FaceCore", "Posix", "Wire", logging],
      swiftSettings: strict),
    .testTarget(
      name: "ClientTests",
      dependencies: [
        "Client", "Service", "ServiceTestSupport", "TestSupport", "FaceCore", "Posix", "Imaging", "Wire",
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
