import FaceCore
import Testing
import Tracking

@Suite struct FacePredictionTests {
  private let size = PixelSize(width: 640, height: 480)

  private func result(_ faces: [Face]) -> DetectionResult { DetectionResult(imageSize: size, faces: faces) }

  private func face(_ box: Box) -> Face {
    func at(_ x: Float, _ y: Float) -> Point { Point(x: box.x + x * box.width, y: box.y + y * box.height) }
    var face = Face(
      box: box, confidence: 0.75,
      points: FivePoints(
        leftEye: at(0.75, 0.25), rightEye: at(0.25, 0.25), noseTip: at(0.5, 0.5), mouthLeft: at(0.75, 0.75),
        mouthRight: at(0.25, 0.75)))
    face.track = Track(id: 7, frameCount: 3)
    face.pose = Pose(yaw: 1, pitch: 2, roll: 3)
    return face
  }

  @Test func nothingIsPredictedBeforeASearch() {
    var prediction = FacePrediction()
    #expect(prediction.faces(at: 0) == nil && prediction.imageSize == nil)
    prediction.record(result([]), [], at: 0)
    #expect(prediction.faces(at: 1)?.faces == [] && prediction.imageSize == size)
    prediction.forget()
    #expect(prediction.faces(at: 1) == nil)
  }

  @Test func predictedFaceMovesAtHalfSpeedForOneInterval() throws {
    var prediction = FacePrediction()
    prediction.record(result([face(Box(x: 100, y: 100, width: 80, height: 100))]), [1], at: 0)
    prediction.record(result([face(Box(x: 120, y: 110, width: 88, height: 100))]), [1], at: 200)
    for (time, box) in [
      (200, Box(x: 120, y: 110, width: 88, height: 100)),
      (300, Box(x: 125, y: 112.5, width: 90, height: 100)),
      (400, Box(x: 130, y: 115, width: 92, height: 100)), (9000, Box(x: 130, y: 115, width: 92, height: 100)),
      (100, Box(x: 120, y: 110, width: 88, height: 100)),
    ] {
      let predicted = try #require(prediction.faces(at: Int64(time))?.faces.first)
      #expect(predicted.box == box, "at \(time)")
      #expect(predicted.isPredicted && predicted.track == Track(id: 7, frameCount: 3))
      #expect(predicted.confidence == 0.75 && predicted.pose == nil)
      let points = try #require(predicted.points)
      #expect(points == face(box).points)
    }
  }

  @Test func newFaceOrPictureSizeIsNotMoved() throws {
    var prediction = FacePrediction()
    let box = Box(x: 100, y: 100, width: 80, height: 100)
    prediction.record(result([]), [], at: 0)
    prediction.record(result([face(box)]), [2], at: 100)
    #expect(prediction.faces(at: 150)?.faces.first?.box == box)
    let other = PixelSize(width: 480, height: 640)
    prediction.record(
      DetectionResult(imageSize: other, faces: [face(Box(x: 0, y: 0, width: 9, height: 9))]), [2], at: 200)
    #expect(prediction.faces(at: 250)?.faces.first?.box == Box(x: 0, y: 0, width: 9, height: 9))
    #expect(prediction.imageSize == other)
  }

  @Test func shrinkingFaceKeepsAPositiveSize() throws {
    var prediction = FacePrediction()
    prediction.record(result([face(Box(x: 0, y: 0, width: 100, height: 100))]), [1], at: 0)
    prediction.record(result([face(Box(x: 0, y: 0, width: 20, height: 20))]), [1], at: 10)
    let box = try #require(prediction.faces(at: 20)?.faces.first?.box)
    #expect(box.width == 10 && box.height == 10)
  }
}
