internal import CFaceEngine
import FaceEngine
import Testing

@Suite struct SpaceTests {
  private let size = Size(width: 200, height: 100)
  private let box = Box(x: 20, y: 10, width: 40, height: 30)

  @Test func boxesAndPointsHaveTheCoordinatesOfEachFramework() throws {
    #expect(try box.converted(to: .normalised, of: size) == Box(x: 0.1, y: 0.1, width: 0.2, height: 0.3))
    #expect(try box.converted(to: .pixelsBottomLeft, of: size) == Box(x: 20, y: 60, width: 40, height: 30))
    let vision = try box.converted(to: .normalisedBottomLeft, of: size)
    #expect(abs(vision.y - 0.6) < 1e-6 && vision.height == 0.3)
    let view = Space.view(width: 400, height: 400, fit: .contain, isMirrored: true)
    let shown = try Point(x: 20, y: 10).converted(to: view, of: size)
    #expect(shown == Point(x: 360, y: 120))
    #expect(try shown.converted(from: view, of: size) == Point(x: 20, y: 10))
    #expect(
      try Circle(x: 100, y: 50, radius: 10).converted(to: view, of: size)
        == Circle(x: 200, y: 200, radius: 20))
    #expect(try Point(x: 40, y: 25).relative(to: box) == Point(x: 0.5, y: 0.5))
    #expect(throws: FaceError.self) { try box.converted(to: .normalised, of: Size(width: 0, height: 0)) }
    #expect(throws: FaceError.self) {
      try box.converted(to: .view(width: 1, height: 1, rotation: 45), of: size)
    }
  }

  @Test func facesAreConvertedWithTheirPoints() async throws {
    let faces = try await FaceEngine.load().faces(in: .file(Support.photo), .landmarks)
    let converted = try faces.converted(to: .normalised)
    let (face, normalised) = (faces[0], converted[0])
    let (width, height) = (Float(faces.imageSize.width), Float(faces.imageSize.height))
    #expect(normalised.box.x == face.box.x / width)
    #expect(normalised.points?.noseTip.y == face.points.map { $0.noseTip.y / height })
    #expect(normalised.landmarks?.points[7].x == face.landmarks.map { $0.points[7].x / width })
    #expect(normalised.landmarks?.points[7].z == face.landmarks?.points[7].z)
  }

  @Test func facesHaveVisionsNamesAndCoordinates() async throws {
    let faces = try await FaceEngine.load().faces(in: .file(Support.photo), [.landmarks, .pose, .quality])
    let observation = try #require(try faces.converted(to: .normalisedBottomLeft).first)
    let (face, height) = (faces[0], Float(faces.imageSize.height))
    #expect(abs(observation.boundingBox.y - (1 - (face.box.y + face.box.height) / height)) < 1e-5)
    #expect(observation.roll == face.pose?.roll && observation.yaw == face.pose?.yaw)
    #expect(observation.pitch == face.pose?.pitch && observation.captureQuality == face.quality?.quality)
    let pupil = try #require(observation.landmarks?.points(of: .leftPupil, in: .points76).first)
    let pixels = try #require(face.landmarks?.points(of: .leftPupil, in: .points76).first)
    #expect(abs(pupil.y - (1 - pixels.y / height)) < 1e-5)
  }

  @Test func constellationsHaveTheirPoints() async throws {
    let landmarks = try #require(
      try await FaceEngine.load().faces(in: .file(Support.photo), .landmarks)[0].landmarks)
    #expect(
      Constellation.allCases.map { landmarks.points(of: .allPoints, in: $0).count } == [478, 65, 76, 98])
    #expect(landmarks.points(of: .faceContour, in: .points98).count == 33)
    #expect(Region.allPoints.path() == .disconnected && Region.nose.path(in: .points98) == .open)
  }

  @Test func theMeshIsASurfaceWithThreeHoles() {
    let (edges, triangles) = (FaceMesh.edges, FaceMesh.triangles)
    #expect(edges.count == 2 * 1322 && triangles.count == 3 * 852)
    #expect(Set(triangles).count - edges.count / 2 + triangles.count / 3 == -2)
  }

  @Test func contoursAndPointsHaveNames() async throws {
    let landmarks = try #require(
      try await FaceEngine.load().faces(in: .file(Support.photo), .landmarks)[0].landmarks)
    #expect(Contour.allCases.map { landmarks.contour($0).count }.reduce(0, +) == 133)
    #expect(Contour.allCases.filter { $0.path == .closed } == [.face, .leftEye, .rightEye])
    #expect(landmarks.contour(.leftEye) == landmarks.leftEye)
    #expect(landmarks[.chin] == landmarks.points[152])
    #expect(landmarks[.leftCheek].x > landmarks[.rightCheek].x)
  }

  /// The regions are tables of Swift here; C computes its own.
  @Test func constellationsHaveThePointsOfC() async throws {
    var (engine, result): (OpaquePointer?, OpaquePointer?)
    var (image, options) = (face_image(), face_options())
    face_image_init(&image)
    face_options_init(&options)
    options.outputs = FACE_OUTPUT_LANDMARKS
    try #require(face_load_model(nil, &engine) == FACE_OK)
    defer { face_release(engine) }
    try #require(face_image_from_file(Support.photo, &image) == FACE_OK)
    defer { face_image_release(&image) }
    try #require(face_detect(engine, &image, &options, &result) == FACE_OK)
    defer { face_result_destroy(result) }
    let landmarks = try #require(
      try await FaceEngine.load().faces(in: .file(Support.photo), .landmarks)[0].landmarks)
    for constellation in Constellation.allCases {
      for region in Region.allCases {
        var points = [face_landmark](repeating: face_landmark(), count: 478)
        var count: UInt32 = 0
        let status = face_result_constellation(
          result, 0, constellation.rawValue, region.rawValue, &points, 478, &count)
        try #require(status == FACE_OK)
        let expected = points.prefix(Int(count)).map { Landmark(x: $0.x, y: $0.y, z: $0.z) }
        #expect(landmarks.points(of: region, in: constellation) == expected, "\(region) of \(constellation)")
      }
    }
  }

  @Test func aCameraInATurnedDeviceHasAnOrientation() throws {
    #expect(try Image.orientation(ofCamera: 90) == .right)
    #expect(try Image.orientation(ofCamera: 90, device: 90, facesUser: true) == .up)
    #expect(throws: FaceError.self) { try Image.orientation(ofCamera: 45) }
  }
}
