// swift-tools-version: 6.2
import PackageDescription

// test.sh builds this package: the door's tests, linked to the libraries of a build.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
let door: [Target.Dependency] = [
  .product(name: "FaceEngine", package: "FaceEngine"),
  .product(name: "FaceEngineDraw", package: "FaceEngine"),
]

let package = Package(
  name: "FaceEngineSwiftTests",
  dependencies: [.package(name: "FaceEngine", path: "../../..", traits: ["Foundation"])],
  targets: [
    .testTarget(name: "FaceEngineTests", dependencies: door, path: "FaceEngineTests", swiftSettings: strict),
    .executableTarget(name: "Overhead", dependencies: door, path: "Overhead", swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
