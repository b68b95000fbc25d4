import Foundation

/// A line of JSON that a command printed: of a picture, a frame, an event of a check or of a camera. It has the members
/// that tests look at; docs/face-engine.schema.json has all.
struct Line: Decodable {
  struct Box: Decodable, Equatable {
    let x, y, width, height: Double
  }

  struct Pose: Decodable, Equatable {
    let yaw, pitch, roll: Double
  }

  struct Face: Decodable, Equatable {
    let box: Box
    let confidence: Double
    let points: [String: [Double]]
    let id: Int?
    let pose: Pose?
  }

  struct Failure: Decodable, Equatable {
    let code, message: String
  }

  let schemaVersion, width, height, frame, timestamp, dropped: Int?
  let image: String?
  let faces: [Face]?
  let left: [Int]?
  let error: Failure?
  let outputs: [String]?
  // Of a check or a camera.
  let event, state, tip, code, camera, name, format, reason: String?
  let progress, rate: Double?
  // Of the best picture of a face.
  let score: Double?
  let hasLeft: Bool?
  let picture: String?
  let face: Face?

  init(_ text: String) throws { self = try JSONDecoder().decode(Line.self, from: Data(text.utf8)) }

  /// The faces; none for a failure.
  var found: [Face] { faces ?? [] }
}

extension Command {
  /// The lines of JSON that it printed.
  var json: [Line] {
    get throws { try lines.map { try Line($0) } }
  }
}

extension InteractiveProgram {
  /// The next line, of JSON; `nil` at the end.
  func json() throws -> Line? { try line().map { try Line($0) } }
}
