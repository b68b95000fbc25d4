import CProtocol
import FaceCore

extension CoordinateSpace: WireValue {
  func encode(into message: inout Faceengine__V1__Space, _ arena: Arena) {
    switch self {
    case .pixels: message.kind = FACEENGINE__V1__SPACE__KIND__PIXELS
    case .normalised: message.kind = FACEENGINE__V1__SPACE__KIND__NORMALISED
    case .normalisedBottomLeft: message.kind = FACEENGINE__V1__SPACE__KIND__NORMALISED_BOTTOM_LEFT
    case .pixelsBottomLeft: message.kind = FACEENGINE__V1__SPACE__KIND__PIXELS_BOTTOM_LEFT
    case .view(let view):
      message.kind = FACEENGINE__V1__SPACE__KIND__VIEW
      message.view_width = view.width
      message.view_height = view.height
      message.fit = .init(UInt32(view.fit.rawValue))
      message.rotation = UInt32(view.rotation.rawValue)
      message.mirrored = view.isMirrored ? 1 : 0
    }
  }

  /// The view's size is not checked.
  init(decoding message: Faceengine__V1__Space) throws(Status) {
    switch message.kind {
    case FACEENGINE__V1__SPACE__KIND__PIXELS: self = .pixels
    case FACEENGINE__V1__SPACE__KIND__NORMALISED: self = .normalised
    case FACEENGINE__V1__SPACE__KIND__NORMALISED_BOTTOM_LEFT: self = .normalisedBottomLeft
    case FACEENGINE__V1__SPACE__KIND__PIXELS_BOTTOM_LEFT: self = .pixelsBottomLeft
    case FACEENGINE__V1__SPACE__KIND__VIEW: self = .view(try CoordinateSpace.view(message))
    default:
      throw Status(
        .invalidArgument, "space.kind is \(Int32(bitPattern: message.kind.rawValue)); send a Space.Kind",
        .field("space.kind"))
    }
  }

  private static func view(_ message: Faceengine__V1__Space) throws(Status) -> ViewTransform {
    ViewTransform(
      width: message.view_width, height: message.view_height,
      fit: try Decoder.known(message.fit.rawValue, "space.fit", send: "a Space.Fit"),
      rotation: try Decoder.known(message.rotation, "space.rotation", send: "0, 90, 180 or 270"),
      isMirrored: message.mirrored != 0)
  }
}

extension Circle: WireValue {
  func encode(into message: inout Faceengine__V1__Circle, _ arena: Arena) {
    message.x = center.x
    message.y = center.y
    message.radius = radius
  }

  init(decoding message: Faceengine__V1__Circle) throws(Status) {
    self.init(
      center: Point(
        x: try Decoder.finite(message.x, "circle.x"), y: try Decoder.finite(message.y, "circle.y")),
      radius: try Decoder.finite(message.radius, "circle.radius"))
  }
}
