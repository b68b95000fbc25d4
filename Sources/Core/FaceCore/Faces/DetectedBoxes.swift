/// How a detector draws its boxes: where the crop that the mesh's points ask for usually lies.
public struct DetectedBoxes: Equatable, Sendable {
  /// The side of the crop in long sides of the box.
  package let margin: Float
  /// How far the middle of the crop is below that of the box, along the face, in long sides of the box.
  package let lowering: Float

  package init(margin: Float, lowering: Float) {
    (self.margin, self.lowering) = (margin, lowering)
  }
}
