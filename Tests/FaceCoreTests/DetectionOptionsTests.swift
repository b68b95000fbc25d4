import FaceCore
import TestSupport
import Testing

@Suite struct DetectionOptionsTests {
  private func problem(_ change: (inout DetectionOptions) -> Void) -> Status? {
    var options = DetectionOptions()
    change(&options)
    return failure { () throws(Status) in try options.validate() }
  }

  @Test func theDefaultsAreAllowed() {
    #expect(problem { _ in } == nil)
  }

  @Test(arguments: [0, 1, 0.5, -0.0, Float.leastNonzeroMagnitude])
  func sharesFromNoneToAllAreAllowed(value: Float) {
    #expect(problem { $0.minConfidence = value } == nil)
    #expect(problem { $0.overlapThreshold = value } == nil)
  }

  @Test(arguments: [Float.nan, .signalingNaN, .infinity, -.infinity, -0.01, Float(1).nextUp])
  func otherSharesAreRefusedByName(value: Float) {
    expect(problem { $0.minConfidence = value }, names: "minimum confidence", field: "min_confidence")
    expect(problem { $0.overlapThreshold = value }, names: "overlap threshold", field: "overlap_threshold")
  }

  @Test func aNumberOfFacesIsNotNegative() {
    #expect(problem { $0.maxFaces = 0 } == nil)
    #expect(problem { $0.maxFaces = Int.max } == nil)
    expect(problem { $0.maxFaces = -1 }, names: "maximum number of faces", field: "max_faces")
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, -1])
  func aFaceSizeIsANumberOfPixels(value: Float) {
    #expect(problem { $0.minFaceSize = 0 } == nil)
    #expect(problem { $0.minFaceSize = 100_000 } == nil)
    expect(problem { $0.minFaceSize = value }, names: "minimum face size", field: "min_face_size")
  }

  @Test func aBoundOfTheLongSideIsAnImagesSideOrNone() {
    for side in [0, 16, 640, 8192] { #expect(problem { $0.maxSide = side } == nil) }
    for side in [-1, 1, 15, 8193, Int.max, Int.min] {
      expect(problem { $0.maxSide = side }, names: "max side", field: "max_side")
    }
  }

  private func expect(_ problem: Status?, names option: String, field: String) {
    #expect(problem?.code == .invalidArgument)
    #expect(problem?.message.hasPrefix(option) == true)
    // As the protocol names it.
    #expect(problem?.detail == .field("options.\(field)"))
  }
}
