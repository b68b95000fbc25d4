public import FaceCore

extension JSON {
  /// The JSON of a face; unknown parts are left out.
  /// - Parameters:
  ///   - constellation: the constellation of the landmarks, in addition to the mesh; `nil` for none.
  ///   - screen: the screen for the point at which the eyes look.
  public init(_ face: Face, constellation: ShownConstellation? = nil, screen: Screen? = nil) {
    var members: [(String, JSON)] =
      face.track.map { [("id", JSON(id: $0.id)), ("frameCount", .integer(Int($0.frameCount)))] } ?? []
    if face.isPredicted { members.append(("predicted", .boolean(true))) }
    members += [("box", JSON(face.box)), ("confidence", .number(face.confidence))]
    if let points = face.points { members.append(("points", JSON(points))) }
    if let landmarks = face.landmarks, let constellation {
      members.append(("constellation", JSON(landmarks, constellation.points)))
    }
    if let landmarks = face.landmarks, constellation?.isWithMesh ?? true {
      members.append(("regions", JSON(regionsOf: landmarks)))
      members.append(("depth", .array(landmarks.points.map { .number($0.z) })))
      members.append(("landmarksConfidence", .number(landmarks.confidence)))
    }
    if let pose = face.pose {
      members.append(
        (
          "pose",
          .object(["yaw": .number(pose.yaw), "pitch": .number(pose.pitch), "roll": .number(pose.roll)])
        ))
    }
    if let mouth = face.mouth {
      members += [("smile", .number(mouth.smile)), ("mouthOpen", .number(mouth.open))]
    }
    if let eyes = face.eyes {
      members.append(
        ("eyesOpen", .object(["left": .number(eyes.leftOpen), "right": .number(eyes.rightOpen)])))
    }
    if let expressions = face.expressions {
      let named = zip(Expressions.names, expressions.values).map { ("\($0)", JSON.number($1)) }
      members.append(("blendshapes", .object(named)))
    }
    if let quality = face.quality { members.append(("quality", JSON(quality))) }
    if let quality = face.isoQuality { members.append(("isoQuality", JSON(quality))) }
    if let gaze = face.gaze { members.append(("gaze", JSON(gaze, on: screen))) }
    // The others are lists of numbers, under the names of the contract.
    let named: FaceOutputs = [
      .landmarks, .pose, .eyes, .mouth, .expressions, .quality, .isoQuality, .gaze,
    ]
    for row in FaceOutputs.table where !named.contains(row.output) {
      if let values = row.values(face) {
        members.append(("\(row.name)", .array(values.map { .number($0) })))
      }
    }
    self = .object(members)
  }

  /// An id. Ids count from 1 and stay far below the largest integer.
  public init(id: UInt64) {
    self = .integer(Int(clamping: id))
  }

  init(_ box: Box) {
    self = .object([
      "x": .number(box.x), "y": .number(box.y), "width": .number(box.width), "height": .number(box.height),
    ])
  }

  init(_ circle: Circle) {
    self = .object([
      "x": .number(circle.center.x), "y": .number(circle.center.y), "radius": .number(circle.radius),
    ])
  }

  private init(_ points: FivePoints) {
    self = .object([
      "leftEye": JSON(points.leftEye), "rightEye": JSON(points.rightEye), "noseTip": JSON(points.noseTip),
      "mouthLeft": JSON(points.mouthLeft), "mouthRight": JSON(points.mouthRight),
    ])
  }

  private init(regionsOf landmarks: Landmarks) {
    self = .object(
      LandmarkRegion.allCases.map { region in
        ("\(region)", .array(landmarks.points(of: region).map { JSON($0.point) }))
      })
  }

  private init(_ landmarks: Landmarks, _ constellation: LandmarkConstellation) {
    let regions = LandmarkRegion.allCases
    self = .object([
      "count": .integer(constellation.count),
      "regions": .object(
        regions.map { region in
          ("\(region)", .array(landmarks.points(of: region, constellation).map { JSON($0.point) }))
        }),
      "paths": .object(regions.map { ("\($0)", .string("\(constellation.path(of: $0))")) }),
    ])
  }

  private init(_ quality: CaptureQuality) {
    self = .object([
      "overall": .number(quality.overall), "sharpness": .number(quality.sharpness),
      "exposure": .number(quality.exposure), "size": .number(quality.size), "pose": .number(quality.pose),
      "framing": .number(quality.framing),
    ])
  }

  /// The gaze, with the point on the screen if the eyes look towards it.
  private init(_ gaze: Gaze, on screen: Screen?) {
    func eye(_ eye: Gaze.Eye) -> JSON {
      .object(["centre": JSON(eye.center), "direction": JSON(eye.direction)])
    }
    var members = [("left", eye(gaze.left)), ("right", eye(gaze.right))]
    if let screen, let point = gaze.point(on: screen) { members.append(("lookAt", JSON(point))) }
    self = .object(members)
  }

  private init(_ vector: SIMD3<Float>) {
    self = .array([.number(vector.x), .number(vector.y), .number(vector.z)])
  }

  private init(_ quality: ISOQuality) {
    self = .object(
      ISOMeasure.allCases.filter { quality.component($0) != ISOQuality.notAssessed }.map { measure in
        (
          "\(measure.name)",
          .object([
            "native": .number(quality.native(measure)),
            "component": .integer(Int(quality.component(measure))),
          ])
        )
      })
  }

  private init(_ point: Point) {
    self = .array([.number(point.x), .number(point.y)])
  }
}

/// A requested constellation.
public struct ShownConstellation: Sendable {
  public let points: LandmarkConstellation
  /// Whether the mesh was requested, too.
  public let isWithMesh: Bool

  public init(points: LandmarkConstellation, isWithMesh: Bool) {
    self.points = points
    self.isWithMesh = isWithMesh
  }
}
