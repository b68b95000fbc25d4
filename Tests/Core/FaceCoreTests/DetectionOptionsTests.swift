import FaceCore
import TestSupport
import Testing

@Suite struct DetectionOptionsTests {
  private func problem(_ change: (inout DetectionOptions) -> Void) -> Status? {
    var options = DetectionOptions()
    change(&options)
    return failure { () throws(Status) in try options.validate() }
  }

  /// Values of shares, sizes and counts that are allowed, and others.
  @Test func valuesOutsideTheirRangeAreRefusedByName() {
    let none = [Float.nan, .signalingNaN, .infinity, -.infinity]
    let shares: [Float] = [0, 1, 0.5, -0.0, .leastNonzeroMagnitude]
    for value in shares {
      #expect(problem { ($0.minConfidence, $0.overlapThreshold) = (value, value) } == nil)
    }
    for value in none + [-0.01, Float(1).nextUp] {
      expect(problem { $0.minConfidence = value }, names: "min_confidence")
      expect(problem { $0.overlapThreshold = value }, names: "overlap_threshold")
    }
    for (faces, size) in [(0, Float(0)), (Int.max, 100_000)] {
      #expect(problem { ($0.maxFaces, $0.minFaceSize) = (faces, size) } == nil)
    }
    expect(problem { $0.maxFaces = -1 }, names: "max_faces")
    for value in none + [-1] {
      expect(problem { $0.minFaceSize = value }, names: "min_face_size")
    }
    for side in [0, 16, 640, 8192] { #expect(problem { $0.maxSide = side } == nil) }
    for side in [-1, 1, 15, 8193, Int.max, Int.min] {
      expect(problem { $0.maxSide = side }, names: "max_side")
    }
  }

  @Test func givenBoxesHaveAnAreaAndSomethingToMeasure() {
    let box = Box(x: 1, y: 2, width: 3, height: 4)
    #expect(problem { ($0.boxes, $0.outputs) = ([box], .pose) } == nil)
    #expect(problem { ($0.boxes, $0.outputs) = ([box, box], .all) } == nil)
    #expect(problem { ($0.boxes, $0.outputs) = ([], .pose) } == nil)
    for boxes in [[box], []] {
      #expect(problem { $0.boxes = boxes }?.message.contains("nothing to measure") == true)
    }
    for wrong in [
      Box(x: 1, y: 2, width: 0, height: 4), Box(x: 1, y: 2, width: 3, height: -4),
      Box(x: .nan, y: 2, width: 3, height: 4), Box(x: 1, y: 2, width: .infinity, height: 4),
    ] {
      #expect(
        problem { ($0.boxes, $0.outputs) = ([box, wrong], .pose) }?.message.hasPrefix("box 1 ") == true)
    }
    let many = Array(repeating: box, count: DetectionOptions.maxBoxes + 1)
    #expect(problem { ($0.boxes, $0.outputs) = (many, .pose) }?.message.contains("at most 1000") == true)
    #expect(problem { ($0.boxes, $0.outputs) = (many.dropLast(), .pose) } == nil)
  }

  @Test func theMostProminentFaceIsLargeAndNearTheMiddle() {
    func face(_ x: Float, _ side: Float) -> Face {
      Face(
        box: Box(x: x - side / 2, y: 50 - side / 2, width: side, height: side), confidence: 0.9, points: nil)
    }
    func prominent(_ faces: [Face]) -> [Face] {
      var result = DetectionResult(imageSize: PixelSize(width: 200, height: 100), faces: faces)
      result.keepMostProminent()
      return result.faces
    }
    #expect(prominent([]).isEmpty)
    #expect(prominent([face(100, 20), face(180, 30)]) == [face(100, 20)])
    #expect(prominent([face(100, 20), face(180, 60)]) == [face(180, 60)])
    #expect(prominent([face(300, 30), face(120, 20)]) == [face(120, 20)])
  }

  private func expect(_ problem: Status?, names option: String) {
    #expect(problem?.code == .invalidArgument)
    #expect(problem?.message.hasPrefix(option) == true)
    // The protocol's name for the field.
    #expect(problem?.detail == .field("options.\(option)"))
  }
}
