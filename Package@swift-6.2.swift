// swift-tools-version: 6.2
import PackageDescription

// The Swift door alone. Swift 6.2 cannot build the engine, and later versions read Package.swift, which has the same
// door.
let package = Package(
  name: "FaceEngine",
  products: [
    .library(name: "FaceEngine", targets: ["FaceEngine"]),
    .library(name: "FaceEngineDraw", targets: ["FaceEngineDraw"]),
  ],
  traits: ["Foundation"],
  targets: [
    .target(name: "CFaceEngine", path: "Sources/Library/CFaceEngine"),
    .systemLibrary(
      name: "LibFaceEngine", path: "Bindings/Swift/LibFaceEngine", pkgConfig: "faceengine",
      providers: [.apt(["libfaceengine-dev"])]),
    .target(
      name: "FaceEngine", dependencies: ["CFaceEngine", "LibFaceEngine"], path: "Bindings/Swift/FaceEngine",
      swiftSettings: [.enableUpcomingFeature("InternalImportsByDefault")],
      linkerSettings: [.linkedLibrary("faceengine")]),
    .target(
      name: "FaceEngineDraw", dependencies: ["FaceEngine", "CFaceEngine"],
      path: "Bindings/Swift/FaceEngineDraw",
      swiftSettings: [.enableUpcomingFeature("InternalImportsByDefault")],
      linkerSettings: [.linkedLibrary("faceengine-draw")]),
  ],
  swiftLanguageModes: [.v6]
)
