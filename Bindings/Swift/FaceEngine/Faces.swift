internal import CFaceEngine

/// The faces of one image, the most confident first.
public struct Faces: Sendable, Hashable, RandomAccessCollection {
  private var faces: [Face]
  /// The size of the upright image, whose positions the faces have.
  public let imageSize: Size
  /// The models that made the result: the detectors, then those for landmarks and expressions.
  public let models: [Model]
  /// How many faces at the end were not measured: see ``DetectOptions/maxAnalysedFaces``.
  public let unanalysedCount: Int

  public var startIndex: Int { 0 }
  public var endIndex: Int { faces.count }
  public subscript(index: Int) -> Face { faces[index] }

  init(reading result: OpaquePointer?) {
    faces = (0..<face_result_count(result)).compactMap { FaceReader(result, index: $0)?.face }
    var (width, height): (UInt32, UInt32) = (0, 0)
    face_result_image_size(result, &width, &height)
    imageSize = Size(width: Int(width), height: Int(height))
    models = (0..<face_result_model_count(result)).map { index in
      var model = face_model()
      face_model_init(&model)
      face_result_model(result, index, &model)
      return Model(model)
    }
    unanalysedCount = Int(face_result_unanalysed_count(result))
  }

  /// Takes a result, and destroys it.
  init(taking result: OpaquePointer?) {
    self.init(reading: result)
    face_result_destroy(result)
  }

  /// No faces, of a frame that failed.
  init() { (faces, imageSize, models, unanalysedCount) = ([], Size(width: 0, height: 0), [], 0) }

  /// The faces with boxes, points and landmarks in another space, such as ``Space/normalisedBottomLeft``.
  public func converted(to space: Space) throws(FaceError) -> Faces {
    var copy = self
    for index in indices {
      copy.faces[index].box = try faces[index].box.converted(to: space, of: imageSize)
      copy.faces[index].clampedBox = try faces[index].clampedBox.converted(to: space, of: imageSize)
      try copy.faces[index].points?.convert(to: space, of: imageSize)
      try copy.faces[index].landmarks?.convert(to: space, of: imageSize)
    }
    return copy
  }
}

/// The width and height of an image, in pixels.
public struct Size: Sendable, Hashable {
  /// Pixels of a row.
  public var width: Int
  /// Rows.
  public var height: Int

  /// A size of its numbers.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}

/// Reads a face of a result of C.
struct FaceReader {
  private let result: OpaquePointer?
  private let index: UInt32
  private var c = face_info()

  init?(_ result: OpaquePointer?, index: UInt32) {
    self.result = result
    self.index = index
    face_info_init(&c)
    guard face_result_get(result, index, &c) == Status.ok.rawValue else { return nil }
  }

  var face: Face { Face(c, self) }

  /// The numbers of an output; nil where they are not known.
  func values(_ output: Outputs) -> [Float]? {
    var count: UInt32 = 0
    guard c.valid & output.rawValue != 0,
      face_result_values(result, index, output.rawValue, nil, 0, &count) == Status.ok.rawValue
    else { return nil }
    return [Float](unsafeUninitializedCapacity: Int(count)) { values, written in
      let status = face_result_values(result, index, output.rawValue, values.baseAddress, count, &count)
      written = status == Status.ok.rawValue ? Int(count) : 0
    }
  }

  func landmarks() -> Landmarks? {
    guard c.valid & Outputs.landmarks.rawValue != 0 else { return nil }
    return Landmarks(points: points(of: .mesh, .allPoints), outline: points(of: .points98, .faceContour))
  }

  private func points(of constellation: Constellation, _ region: Region) -> [Landmark] {
    withUnsafeTemporaryAllocation(of: face_landmark.self, capacity: Region.allPoints.indices.count) {
      points in
      var count: UInt32 = 0
      let status = face_result_constellation(
        result, index, constellation.rawValue, region.rawValue, points.baseAddress, UInt32(points.count),
        &count)
      return status == Status.ok.rawValue ? points.prefix(Int(count)).map(Landmark.init) : []
    }
  }
}
