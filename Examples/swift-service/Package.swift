// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "faces-service",
  dependencies: [
    .package(name: "FaceEngine", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.0.0"),
  ],
  targets: [
    .executableTarget(
      name: "faces-service",
      dependencies: [
        .product(name: "FaceEngine", package: "FaceEngine"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
