public import FaceCore

/// The faces of a stream's last two searches, from which those of the last one are extrapolated.
///
/// A face continues at half the speed at which it moved between the two, and no longer than the time between
/// them: heads stop and turn round, so that full speed is on average further off than no movement, and half
/// of it is nearer than both.
public struct FacePrediction: Sendable {
  private var last: DetectionResult?
  private var numbers: [UInt64] = []
  /// The time of the last search, and nanoseconds since the one before it.
  private var time: Int64 = 0
  private var step: Int64 = 0
  /// The boxes of the search before, by the numbers of their tracklets.
  private var before: [UInt64: Box] = [:]

  /// The part of its speed at which a face continues.
  private static let damping: Float = 0.5

  public init() {}

  /// The size of the last search's picture; `nil` if there is none to extrapolate from.
  public var imageSize: PixelSize? { last?.imageSize }

  /// Records the faces of a search.
  /// - Parameter numbers: the numbers of the faces' tracklets, in their order.
  public mutating func record(_ result: DetectionResult, _ numbers: [UInt64], at time: Int64) {
    before = [:]
    if let last, last.imageSize == result.imageSize {
      for (number, face) in zip(self.numbers, last.faces) { before[number] = face.box }
    }
    step = max(time.subtractingReportingOverflow(self.time).partialValue, 0)
    (last, self.numbers, self.time) = (result, numbers, time)
  }

  /// Forgets all faces, as after a frame that failed.
  public mutating func forget() {
    self = FacePrediction()
  }

  /// Returns the faces at `time`, each `isPredicted` and without measurements; `nil` before the first search.
  public func faces(at time: Int64) -> DetectionResult? {
    guard var result = last else { return nil }
    let passed = max(time.subtractingReportingOverflow(self.time).partialValue, 0)
    let share = step > 0 ? FacePrediction.damping * min(Float(passed) / Float(step), 1) : 0
    for (index, face) in result.faces.enumerated() {
      result.faces[index] = predicted(face, before[numbers[index]], share)
    }
    return result
  }

  /// Returns the extrapolated face.
  /// - Parameters:
  ///   - before: its box in the search before; `nil`: it stays where it is.
  ///   - share: the part of the movement since then by which it continues; at most half.
  private func predicted(_ face: Face, _ before: Box?, _ share: Float) -> Face {
    var box = face.box
    if let before {
      box.x += (box.x - before.x) * share
      box.y += (box.y - before.y) * share
      // Sizes stay positive.
      box.width = max(box.width + (box.width - before.width) * share, box.width / 2)
      box.height = max(box.height + (box.height - before.height) * share, box.height / 2)
    }
    let scale = (x: box.width / face.box.width, y: box.height / face.box.height)
    let points = face.points?.map { point in
      Point(x: box.x + (point.x - face.box.x) * scale.x, y: box.y + (point.y - face.box.y) * scale.y)
    }
    var predicted = Face(box: box, confidence: face.confidence, points: points)
    predicted.track = face.track
    predicted.isPredicted = true
    return predicted
  }
}
