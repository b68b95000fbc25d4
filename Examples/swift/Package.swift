// swift-tools-version: 6.2
import PackageDescription

// In a package of your own: .package(url: "https://…/FaceEngine.git", from: "0.2.0")
let door: [Target.Dependency] = [
  .product(name: "FaceEngine", package: "FaceEngine"),
  .product(name: "FaceEngineDraw", package: "FaceEngine"),
]

let package = Package(
  name: "Examples",
  dependencies: [.package(name: "FaceEngine", path: "../..")],
  targets: ["glasses", "metadata", "smiles", "guided-check", "avatar"].map {
    .executableTarget(name: $0, dependencies: door)
  },
  swiftLanguageModes: [.v6]
)
