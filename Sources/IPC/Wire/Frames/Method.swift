public import FaceCore

public enum Method: Sendable, CaseIterable {
  // generated: swift-methods
  case detect
  case detectBatch
  case watch
  case check
  case healthCheck
  case healthWatch
  case hello
  case info
  case stats
  case listModels
  case reloadModel
  case takeOver
  case describe

  public var service: StaticString {
    switch self {
    case .detect: "faceengine.v1.Detector"
    case .detectBatch: "faceengine.v1.Detector"
    case .watch: "faceengine.v1.Detector"
    case .check: "faceengine.v1.Detector"
    case .healthCheck: "faceengine.v1.Health"
    case .healthWatch: "faceengine.v1.Health"
    case .hello: "faceengine.v1.Session"
    case .info: "faceengine.v1.Admin"
    case .stats: "faceengine.v1.Admin"
    case .listModels: "faceengine.v1.Admin"
    case .reloadModel: "faceengine.v1.Admin"
    case .takeOver: "faceengine.v1.Admin"
    case .describe: "faceengine.v1.Admin"
    }
  }

  public var name: StaticString {
    switch self {
    case .detect: "Detect"
    case .detectBatch: "DetectBatch"
    case .watch: "Watch"
    case .check: "Check"
    case .healthCheck: "Check"
    case .healthWatch: "Watch"
    case .hello: "Hello"
    case .info: "Info"
    case .stats: "Stats"
    case .listModels: "ListModels"
    case .reloadModel: "ReloadModel"
    case .takeOver: "TakeOver"
    case .describe: "Describe"
    }
  }
  // end of generated

  /// Whether its caller sends a stream of frames.
  public var takesFrames: Bool { self == .watch || self == .check }

  /// Whether a request may have fields that only a later version knows. A Hello and a question for health change
  /// nothing, and each side asks before it knows the other's version.
  var ignoresUnknownFields: Bool { self == .hello || self == .healthCheck || self == .healthWatch }

  /// The full name, as in "faceengine.v1.Detector/Detect".
  public var fullName: String { "\(service)/\(name)" }

  /// Throws `unimplemented`, listing the alternatives, if there is no such method.
  public init(service: String, name: String) throws(Status) {
    for method in Self.allCases where method.service == service && method.name == name {
      self = method
      return
    }
    let names = Self.allCases.filter { $0.service == service }.map { "\($0.name)" }
    guard names.isEmpty else {
      throw Status(
        .unimplemented, "\(service) has no method \(name.quoted); it has \(names.joined(separator: ", "))")
    }
    throw Status(
      .unimplemented,
      "there is no service \(service.quoted); this engine has \(Self.services.joined(separator: ", "))")
  }

  /// The full names of the services, each once.
  public static var services: [String] {
    var names: [String] = []
    for method in allCases where !names.contains("\(method.service)") { names.append("\(method.service)") }
    return names
  }
}

private func == (a: StaticString, b: String) -> Bool {
  a.withUTF8Buffer { $0.elementsEqual(b.utf8) }
}
