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
  targets: [
    .target(name: "FaceCore", swiftSettings: strict)
  ],
  swiftLanguageModes: [.v6]
)
