import CProtocol
import FaceCore

/// `Space` ↔ `CoordinateSpace`.
enum SpaceCoding {
  static func encode(_ space: CoordinateSpace, _ arena: Arena) -> UnsafeMutablePointer<Faceengine__V1__Space>
  {
    let message = arena.message(Faceengine__V1__Space.self)
    switch space {
    case .pixels: message.pointee.kind = FACEENGINE__V1__SPACE__KIND__PIXELS
    case .normalised: message.pointee.kind = FACEENGINE__V1__SPACE__KIND__NORMALISED
    case .normalisedBottomLeft: message.pointee.kind = FACEENGINE__V1__SPACE__KIND__NORMALISED_BOTTOM_LEFT
    case .view(let view):
      message.pointee.kind = FACEENGINE__V1__SPACE__KIND__VIEW
      message.pointee.view_width = view.width
      message.pointee.view_height = view.height
      message.pointee.fit = .init(UInt32(view.fit.rawValue))
      message.pointee.rotation = UInt32(view.rotation.rawValue)
      message.pointee.mirrored = view.isMirrored ? 1 : 0
    }
    return message
  }

  /// Throws `invalidArgument`, naming the field. The view's size is not checked.
  static func decode(_ message: Faceengine__V1__Space?) throws(Status) -> CoordinateSpace {
    guard let message else { return .pixels }
    switch message.kind {
    case FACEENGINE__V1__SPACE__KIND__PIXELS: return .pixels
    case FACEENGINE__V1__SPACE__KIND__NORMALISED: return .normalised
    case FACEENGINE__V1__SPACE__KIND__NORMALISED_BOTTOM_LEFT: return .normalisedBottomLeft
    case FACEENGINE__V1__SPACE__KIND__VIEW: return .view(try view(message))
    default: throw wrong("kind", Int32(bitPattern: message.kind.rawValue), "a Space.Kind")
    }
  }

  private static func view(_ message: Faceengine__V1__Space) throws(Status) -> ViewTransform {
    guard let fit = UInt8(exactly: message.fit.rawValue).flatMap(ViewTransform.Fit.init(rawValue:)) else {
      throw wrong("fit", Int32(bitPattern: message.fit.rawValue), "a Space.Fit")
    }
    guard let rotation = UInt16(exactly: message.rotation).flatMap(QuarterTurn.init(rawValue:)) else {
      throw wrong("rotation", Int32(bitPattern: message.rotation), "0, 90, 180 or 270")
    }
    return ViewTransform(
      width: message.view_width, height: message.view_height, fit: fit, rotation: rotation,
      isMirrored: message.mirrored != 0)
  }

  private static func wrong(_ field: StaticString, _ value: Int32, _ expected: StaticString) -> Status {
    Status(.invalidArgument, "space.\(field) is \(value); send \(expected)", .field("space.\(field)"))
  }
}

/// `Circle` ↔ FaceCore's.
enum CircleCoding {
  static func encode(_ circle: Circle, _ arena: Arena) -> UnsafeMutablePointer<Faceengine__V1__Circle> {
    let message = arena.message(Faceengine__V1__Circle.self)
    message.pointee.x = circle.center.x
    message.pointee.y = circle.center.y
    message.pointee.radius = circle.radius
    return message
  }

  /// Decodes a circle without checking its numbers.
  static func decode(_ message: Faceengine__V1__Circle) -> Circle {
    Circle(center: Point(x: message.x, y: message.y), radius: message.radius)
  }
}
