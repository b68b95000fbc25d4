// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
/// Settings for modules of the C library. They use neither regular expressions nor tasks; without the modules
/// for these, which every file imports by default, the library is 2 MB smaller.
let lean: [SwiftSetting] =
  strict + [
    .unsafeFlags([
      "-Xfrontend", "-disable-implicit-string-processing-module-import",
      "-Xfrontend", "-disable-implicit-concurrency-module-import",
    ])
  ]
/// Settings for modules that translate and start work, and do none themselves.
let small: [SwiftSetting] = lean + [.unsafeFlags(["-Osize"])]
/// Settings for tests that wait for programs and sockets, or check few values: optimising them takes longer than it
/// saves.
let plain: [SwiftSetting] = strict + [.unsafeFlags(["-Onone"])]
/// Settings for C sources: the hardening flags of Debian's packages, and the same bytes from any folder. No
/// CET, since Swift's own code lacks its marks.
let hardened: [CSetting] = [
  .define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release)),
  .unsafeFlags(["-fstack-protector-strong", "-ffile-prefix-map=\(Context.packageDirectory)/="]),
]
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

/// A Swift module in a folder of `Sources`, a room.
func module(
  _ name: String, in room: String, _ dependencies: [Target.Dependency] = [], settings: [SwiftSetting] = lean,
  linked: [LinkerSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(room)/\(name)", swiftSettings: settings,
    linkerSettings: linked)
}

/// A C target, and the system libraries that it calls.
/// - Parameter isSmall: whether it is compiled for size: its time is that of the libraries that it calls.
func native(
  _ name: String, in room: String = "Native", _ dependencies: [Target.Dependency] = [], linked: [String] = [],
  isSmall: Bool = false
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(room)/\(name)",
    cSettings: hardened + (isSmall ? [.unsafeFlags(["-Os"])] : []),
    linkerSettings: linked.map { .linkedLibrary($0) })
}

/// A system library, imported through a module map.
func systemLibrary(_ name: String, pkgConfig: String? = nil) -> Target {
  .systemLibrary(name: name, path: "Sources/Native/SystemLibraries/\(name)", pkgConfig: pkgConfig)
}

/// The tests of a module, in the room of that name in `Tests`.
/// - Parameter settings: `strict` if the tests compute as much as what they test.
func tests(
  _ name: String, in room: String, _ dependencies: [Target.Dependency], settings: [SwiftSetting] = plain,
  linked: [LinkerSetting] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, path: "Tests/\(room)/\(name)", swiftSettings: settings,
    linkerSettings: linked)
}

/// A library for C, which exports the symbols in its folder's exports.map.
func cLibrary(_ name: String, of abi: Target.Dependency, soname: String) -> Target {
  .target(
    name: name, dependencies: [abi], path: "Sources/Library/\(name)", exclude: ["exports.map"],
    swiftSettings: lean,
    linkerSettings: [
      .unsafeFlags([
        "-static-stdlib", "-use-ld=lld", "-Xlinker", "--icf=all", "-Xlinker", "--gc-sections",
        // Relocations as a bitmap, which the loader of glibc 2.36 supports: half a megabyte less.
        "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
        // All functions are bound when the library is loaded; after that, the table is read-only.
        "-Xlinker", "-z", "-Xlinker", "now",
        // Never unloaded: threads that called the library run its code when they end.
        "-Xlinker", "-z", "-Xlinker", "nodelete",
        "-Xlinker", "-soname=\(soname)", "-Xlinker",
        "--version-script=\(Context.packageDirectory)/Sources/Library/\(name)/exports.map",
      ])
    ])
}

/// Whether SwiftPM reads this file for a program that depends on this package: in a repository, whose root folder is /,
/// or in a checkout of it.
let folders = Context.packageDirectory.split(separator: "/")
let isDependency = folders.isEmpty || folders.dropLast().last == "checkouts"

/// The Swift door. Its targets have no unsafe flags, with which SwiftPM refuses a dependency by version.
let doorProducts: [Product] = [
  .library(name: "FaceEngine", targets: ["FaceEngine"]),
  .library(name: "FaceEngineDraw", targets: ["FaceEngineDraw"]),
]
let doorTargets: [Target] = [
  .target(name: "CFaceEngine", path: "Sources/Library/CFaceEngine"),
  // The installed library: pkg-config says where it is, or SwiftPM what to install. Our own builds have no installed
  // one.
  .systemLibrary(
    name: "LibFaceEngine", path: "Bindings/Swift/LibFaceEngine", pkgConfig: isDependency ? "faceengine" : nil,
    providers: [.apt(["libfaceengine-dev"])]),
  .target(
    name: "FaceEngine", dependencies: ["CFaceEngine", "LibFaceEngine"], path: "Bindings/Swift/FaceEngine",
    swiftSettings: strict, linkerSettings: [.linkedLibrary("faceengine")]),
  .target(
    name: "FaceEngineDraw", dependencies: ["FaceEngine", "CFaceEngine"],
    path: "Bindings/Swift/FaceEngineDraw",
    swiftSettings: strict, linkerSettings: [.linkedLibrary("faceengine-draw")]),
]

let package = Package(
  name: "FaceEngine",
  products: [
    .executable(name: "face-engine", targets: ["face-engine"]),
    .library(name: "faceengine", type: .dynamic, targets: ["FaceEngineLibrary"]),
    .library(name: "faceengine-draw", type: .dynamic, targets: ["FaceDrawLibrary"]),
    // The parts used by the gateway, which is a package of its own.
    .library(name: "FaceEngineParts", targets: ["FaceCore", "Posix", "Wire", "CallerOptions", "ResultJSON"]),
  ] + doorProducts,
  // Images from URL and Data, in the Swift door.
  traits: ["Foundation"],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
  ],
  targets: [
    // Native: C code, and libraries of the system.
    native("CPosixShims"),
    native("CSandbox"),
    native("CPictureDecoders", linked: ["jpeg", "png16"]),
    native("CPixelKernels"),
    native("CFusedKernels"),
    native("COptionalCodecs", ["CPosixShims"], isSmall: true),
    native("CEnginePlugins", ["CPosixShims"], isSmall: true),
    native("CCairoOnDemand"),
    native("CPangoOnDemand", ["CPosixShims"]),
    systemLibrary("CWebP", pkgConfig: "libwebp"),
    systemLibrary("CEXIF", pkgConfig: "libexif"),
    systemLibrary("CYUV"),
    systemLibrary("CJansson", pkgConfig: "jansson"),
    systemLibrary("CMessageDigest", pkgConfig: "libmd"),
    // Linked by its users only: the drawing library and tests link to libcairo, the command loads it when it
    // draws.
    systemLibrary("CCairo"),

    // Generated from Proto.
    native("CProtocol", in: "Generated", linked: ["protobuf-c"]),

    // Core: the base of everything else.
    module("FaceCore", in: "Core"),
    module("Posix", in: "Core", ["FaceCore", "CPosixShims", "CSandbox"], settings: small),

    // Vision: from a picture to its faces, and to drawings of them.
    module(
      "Imaging", in: "Vision",
      ["FaceCore", "CPictureDecoders", "CWebP", "CEXIF", "CYUV", "CPixelKernels", "COptionalCodecs"]),
    module("Inference", in: "Vision", ["FaceCore", "CEnginePlugins", "CFusedKernels"]),
    module("ONNX", in: "Vision", ["FaceCore"], settings: small),
    module("Detection", in: "Vision", ["FaceCore", "Imaging", "Inference"]),
    module("Analysis", in: "Vision", ["FaceCore", "Imaging", "Inference"]),
    module("Tracking", in: "Vision", ["FaceCore"]),
    module("GuidedCheck", in: "Vision", ["FaceCore"], settings: small),
    module("Rendering", in: "Vision", ["FaceCore", "Imaging", "CCairo", "CPangoOnDemand"]),

    // Engine: loaded models, sessions, and sources of frames.
    module(
      "ModelStore", in: "Engine", ["FaceCore", "Posix", "CJansson", "CMessageDigest"], settings: small),
    module("Decoders", in: "Engine", ["FaceCore", "Posix", "Imaging"], settings: small),
    module(
      "Engine", in: "Engine",
      [
        "FaceCore", "Posix", "Imaging", "Inference", "ONNX", "Detection", "Analysis", "Tracking",
        "GuidedCheck", "ModelStore",
      ]),
    module("Capture", in: "Engine", ["FaceCore", "Posix", "Imaging"], settings: strict),

    // IPC: the engine as a service for other processes.
    module("Wire", in: "IPC", ["FaceCore", "CProtocol"]),
    module("Service", in: "IPC", ["FaceCore", "Posix", "Wire", logging], settings: strict),
    module("Client", in: "IPC", ["FaceCore", "Posix", "Imaging", "Wire"], settings: small),

    // Library: the C libraries. They contain Swift's libraries, so that none need be installed.
    module("CallerABI", in: "Library", ["FaceCore", "Posix", "CFaceEngine"], settings: small),
    module(
      "FaceEngineABI", in: "Library",
      ["FaceCore", "Posix", "Decoders", "Engine", "Client", "CallerABI", "CFaceEngine"],
      settings: small),
    cLibrary("FaceEngineLibrary", of: "FaceEngineABI", soname: "libfaceengine.so.1"),
    module(
      "FaceDrawABI", in: "Library",
      ["FaceCore", "Posix", "Imaging", "Rendering", "CallerABI", "CFaceEngine"],
      linked: [.linkedLibrary("cairo")]),
    cLibrary("FaceDrawLibrary", of: "FaceDrawABI", soname: "libfaceengine-draw.so.1"),

    // Command: face-engine, and the code that it shares with the gateway.
    module(
      "CallerOptions", in: "Command",
      ["FaceCore", .product(name: "ArgumentParser", package: "swift-argument-parser")], settings: strict),
    module("ResultJSON", in: "Command", ["FaceCore"], settings: strict),
    .executableTarget(
      name: "face-engine",
      dependencies: [
        "FaceCore", "Posix", "Imaging", "ModelStore", "Decoders", "Engine", "Wire", "Service", "Client",
        "Capture",
        "CallerOptions", "ResultJSON", "Rendering", "CCairoOnDemand", logging,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Command/face-engine", swiftSettings: strict,
      linkerSettings: [
        .unsafeFlags([
          "-static-stdlib", "-use-ld=lld", "-l_FoundationCollections", "-l_FoundationCShims",
          // Linked like the libraries, and without symbols to look up in it: it starts a tenth sooner.
          "-Xlinker", "--gc-sections", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
          "-Xlinker", "-z", "-Xlinker", "now", "-Xlinker", "--no-export-dynamic",
        ])
      ]),

    // Tests, in the same rooms.
    .target(
      name: "TestSupport", dependencies: ["FaceCore", "Imaging", "Inference", "ModelStore"],
      path: "Tests/TestSupport",
      swiftSettings: strict),
    tests("FaceCoreTests", in: "Core", ["FaceCore", "TestSupport"]),
    tests("PosixTests", in: "Core", ["Posix", "CSandbox", "FaceCore", "TestSupport"]),
    tests(
      "ImagingTests", in: "Vision", ["FaceCore", "CPictureDecoders", "Imaging", "TestSupport"],
      settings: strict),
    tests(
      "InferenceTests", in: "Vision", ["FaceCore", "Imaging", "Inference", "ModelStore", "TestSupport"],
      settings: strict),
    tests("ONNXTests", in: "Vision", ["FaceCore", "Inference", "ONNX", "TestSupport"]),
    tests(
      "DetectionTests", in: "Vision",
      ["FaceCore", "Imaging", "Inference", "ONNX", "Detection", "ModelStore", "TestSupport"], settings: strict
    ),
    tests(
      "AnalysisTests", in: "Vision",
      ["FaceCore", "Imaging", "Inference", "Analysis", "ModelStore", "TestSupport"], settings: strict),
    tests("TrackingTests", in: "Vision", ["FaceCore", "Tracking"], settings: strict),
    tests("GuidedCheckTests", in: "Vision", ["FaceCore", "GuidedCheck", "TestSupport"]),
    tests(
      "RenderingTests", in: "Vision", ["FaceCore", "Imaging", "Rendering", "TestSupport"],
      linked: [.linkedLibrary("cairo")]),
    tests("ModelStoreTests", in: "Engine", ["FaceCore", "ModelStore", "CJansson", "TestSupport"]),
    tests(
      "EngineTests", in: "Engine",
      ["FaceCore", "Imaging", "Detection", "GuidedCheck", "ModelStore", "Engine", "TestSupport"],
      settings: strict),
    tests("DecodersTests", in: "Engine", ["FaceCore", "Posix", "Imaging", "Decoders", "TestSupport"]),
    tests("CaptureTests", in: "Engine", ["FaceCore", "Posix", "Capture", "TestSupport"]),
    .target(
      name: "Fuzz",
      dependencies: [
        "Wire", "Inference", "ONNX", "Imaging", "Detection", "ModelStore", "Capture", "Posix", "FaceCore",
        "CProtocol",
      ],
      path: "Tests/Fuzz",
      exclude: ["corpus", "driver", "seed.py"], swiftSettings: strict),
    tests("WireTests", in: "IPC", ["Wire", "FaceCore", "CProtocol", "Fuzz", "TestSupport"]),
    .target(
      name: "ServiceTestSupport",
      dependencies: ["Service", "Client", "FaceCore", "Posix", "Wire", "TestSupport", logging],
      path: "Tests/IPC/ServiceTestSupport", swiftSettings: strict),
    .target(
      name: "Simulation", dependencies: ["Service", "Client", "FaceCore", "Posix", "Wire", logging],
      path: "Tests/Simulation/Simulation",
      swiftSettings: strict),
    .executableTarget(
      name: "simulate", dependencies: ["Simulation", "FaceCore"], path: "Tests/Simulation/simulate",
      swiftSettings: strict),
    tests(
      "ServiceTests", in: "IPC",
      [
        "Client", "Service", "ServiceTestSupport", "Simulation", "TestSupport", "FaceCore", "Posix", "Wire",
        logging,
      ]),
    tests(
      "ClientTests", in: "IPC",
      [
        "Client", "Service", "ServiceTestSupport", "TestSupport", "FaceCore", "Posix", "Imaging", "Wire",
      ]),
    .testTarget(
      name: "IntegrationTests",
      dependencies: ["TestSupport", "ServiceTestSupport", "FaceCore", "Posix", "Imaging", "Wire"],
      swiftSettings: plain),
    .executableTarget(
      name: "network-benchmark", dependencies: ["FaceCore", "Posix", "Inference", "ModelStore", "Engine"],
      path: "Tests/Benchmarks/network", swiftSettings: strict),
  ] + doorTargets,
  swiftLanguageModes: [.v6]
)

// Of a dependency, SwiftPM resolves what all targets need, and counts the names of all: a program could have no target
// named Engine, and no other release of swift-log. So programs see the door alone.
if isDependency {
  (package.products, package.targets, package.dependencies) = (doorProducts, doorTargets, [])
}
