import CallerOptions
package import FaceCore
import GatewayCoding
package import NIOCore
import ResultJSON

/// The request that opens a session.
package struct SessionRequest: Sendable {
  let options: DetectionOptions
  /// How the pixels of frames are seen.
  let image: ImageArguments
  let tracking: TrackingOptions
  /// How visits are counted; `nil` if they are not.
  let visits: VisitOptions?
  let check: CheckOptions?
  /// The circle in shares of the picture's width, height and shorter side; `nil` for one in the centre.
  let circle: Circle?
  let shown: ShownConstellation?

  /// Reads {"kind": "track" or "check", "options": {…}}. Throws `invalidArgument`, naming the error.
  package init(decoding body: ByteBuffer) throws(Status) {
    guard let members = JSONInput.object(in: body), let kind = members["kind"]?.string,
      ["track", "check"].contains(kind), let given = Self.options(members["options"])
    else {
      throw Status(
        .invalidArgument,
        "the body is not a session; send {\"kind\": \"track\"} or {\"kind\": \"check\", \"options\": {\"actions\": [\"blink\"]}}"
      )
    }
    var flags: [(name: String, value: String)] = []
    var circle: Circle?
    for (name, value) in given.sorted(by: { $0.key < $1.key }) {
      guard name != "box" else {
        throw Status(.invalidArgument, "boxes are for /v1/detect; a session finds its faces itself")
      }
      if name == "circle" {
        circle = try Self.circle(value)
      } else {
        flags += try Self.flags(name, value)
      }
    }
    if kind == "check" {
      let query = try Flags.parse(CheckQuery.self, flags)
      check = try query.check.options(view: nil, mask: nil)
      options = try query.detecting.options()
      image = query.detecting.image
      shown = query.detecting.shown
      tracking = try query.following.options(isCheck: true)
      visits = nil
    } else {
      guard circle == nil else {
        throw Status(
          .invalidArgument,
          "the option circle is for a guided check; leave it out, or send \"kind\": \"check\"")
      }
      let query = try Flags.parse(TrackQuery.self, flags)
      check = nil
      visits = query.counting.visits ? try query.counting.options() : nil
      var searched = try query.detecting.options()
      if visits != nil { searched.outputs.insert(.pose) }
      options = searched
      image = query.detecting.image
      shown = query.detecting.shown
      tracking = try query.following.options()
    }
    self.circle = circle
  }

  /// Options with several values.
  private static let lists: Set<String> = ["actions", "min-iso"]
  /// Options whose text may look like a number.
  private static let texts: Set<String> = ["use", "constellation", "region"]

  private static func flags(_ name: String, _ value: JSONInput) throws(Status) -> [(
    name: String, value: String
  )] {
    if case .array(let values) = value {
      guard Self.lists.contains(name) else { throw wrong(name) }
      let texts = values.compactMap(\.text)
      guard texts.count == values.count else { throw wrong(name) }
      return name == "actions"
        ? (texts.isEmpty ? [] : [(name, texts.joined(separator: ","))]) : texts.map { (name, $0) }
    }
    let isText = Self.texts.contains(name)
    guard let text = value.text, name != "use" || value.string != nil, isText || !isQuoted(value) else {
      throw wrong(name)
    }
    return [(name, text)]
  }

  /// Whether a text is a number or a truth value, which JSON has as they are.
  private static func isQuoted(_ value: JSONInput) -> Bool {
    value.string.map { Double($0) != nil || ["true", "false"].contains($0) } ?? false
  }

  private static func circle(_ value: JSONInput) throws(Status) -> Circle {
    guard case .object(let members) = value, let x = members["x"]?.number, let y = members["y"]?.number,
      let radius = members["radius"]?.number, (0...1).contains(x), (0...1).contains(y),
      (0.01...2).contains(radius)
    else {
      throw Status(
        .invalidArgument,
        "the option circle must have x, y and radius, 0.01 to 2, as fractions of width, height and shorter side"
      )
    }
    return Circle(center: Point(x: Float(x), y: Float(y)), radius: Float(radius))
  }

  private static func wrong(_ name: String) -> Status {
    Status(
      .invalidArgument, "the option \(JSON.string(name)) has a value of the wrong type; see /openapi.json")
  }

  /// The options; `nil` for a value of another type.
  private static func options(_ value: JSONInput?) -> [String: JSONInput]? {
    switch value {
    case nil, .null?: [:]
    case let value?: value.object
    }
  }
}
