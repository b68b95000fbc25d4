public import FaceCore

/// How faces are marked.
public struct FaceStyle: Equatable, Sendable {
  /// In pixels.
  public var boxWidth: Float = 4
  /// Diameter in pixels.
  public var pointSize: Float = 8
  public var boxColour = Colour.green
  public var pointColour = Colour.yellow

  public init() {}
}

extension Canvas {
  /// Draws the box and the points of each face.
  public func draw(_ faces: [Face], style: FaceStyle = FaceStyle()) {
    for face in faces {
      strokeRectangle(face.box, width: style.boxWidth, colour: style.boxColour)
      guard let points = face.points else { continue }
      for point in [points.leftEye, points.rightEye, points.noseTip, points.mouthLeft, points.mouthRight] {
        fillCircle(centre: point, diameter: style.pointSize, colour: style.pointColour)
      }
    }
  }
}
