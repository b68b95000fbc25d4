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
    .target(name: "FaceCore", swiftSettings: strict),
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
  ],
  swiftLanguageModes: [.v6]
)
