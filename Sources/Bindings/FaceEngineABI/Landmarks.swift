// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore

@c @implementation
public func face_result_landmarks(
  _ handle: OpaquePointer!, _ index: UInt32, _ region: face_region,
  _ points: UnsafeMutablePointer<face_landmark>!, _ capacity: UInt32,
  _ out_count: UnsafeMutablePointer<UInt32>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let face = try Handles.results.get(handle, "result").face(index)
    try write(try known(region), .mesh, of: face, to: points, capacity, out_count)
  }
}

@c @implementation
public func face_result_constellation(
  _ handle: OpaquePointer!, _ index: UInt32, _ constellation: face_constellation, _ region: face_region,
  _ points: UnsafeMutablePointer<face_landmark>!, _ capacity: UInt32,
  _ out_count: UnsafeMutablePointer<UInt32>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let face = try Handles.results.get(handle, "result").face(index)
    try write(
      try known(region), try known(constellation: constellation), of: face, to: points, capacity, out_count)
  }
}

@c @implementation
public func face_constellation_indices(
  _ constellation: face_constellation, _ region: face_region, _ indices: UnsafeMutablePointer<UInt32>!,
  _ capacity: UInt32, _ out_count: UnsafeMutablePointer<UInt32>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let found = try known(constellation: constellation).indices(of: try known(region))
    if let indices = indices as UnsafeMutablePointer<UInt32>? {
      try checkCapacity(capacity, for: found.count)
      for (place, index) in found.enumerated() { indices[place] = UInt32(clamping: index) }
    }
    out_count?.pointee = UInt32(clamping: found.count)
  }
}

@c @implementation
public func face_constellation_path(
  _ constellation: face_constellation, _ region: face_region, _ out_path: UnsafeMutablePointer<face_path>!
) -> face_status {
  LastError.catching { () throws(Status) in
    guard let out_path else {
      throw Status(.invalidArgument, "out_path is NULL; give a place for the path")
    }
    out_path.pointee = face_path(
      try known(constellation: constellation).path(of: try known(region)).rawValue)
  }
}

private func known(_ region: face_region) throws(Status) -> LandmarkRegion {
  guard let known = UInt8(exactly: region).flatMap(LandmarkRegion.init(rawValue:)) else {
    throw Status(.invalidArgument, "region is \(region), which is none of FACE_REGION_...")
  }
  return known
}

private func known(constellation: face_constellation) throws(Status) -> LandmarkConstellation {
  guard let known = UInt8(exactly: constellation).flatMap(LandmarkConstellation.init(rawValue:)) else {
    throw Status(
      .invalidArgument, "constellation is \(constellation), which is none of FACE_CONSTELLATION_...")
  }
  return known
}

private func write(
  _ region: LandmarkRegion, _ constellation: LandmarkConstellation, of face: Face,
  to points: UnsafeMutablePointer<face_landmark>?, _ capacity: UInt32,
  _ out_count: UnsafeMutablePointer<UInt32>?
) throws(Status) {
  guard let landmarks = face.landmarks else { throw notMeasured("landmarks", "FACE_OUTPUT_LANDMARKS") }
  let found = landmarks.points(of: region, constellation)
  if let points {
    try checkCapacity(capacity, for: found.count)
    for (place, point) in found.enumerated() {
      points[place] = face_landmark(x: point.x, y: point.y, z: point.z)
    }
  }
  out_count?.pointee = UInt32(clamping: found.count)
}

@c @implementation
public func face_result_expressions(
  _ handle: OpaquePointer!, _ index: UInt32, _ values: UnsafeMutablePointer<Float>!, _ capacity: UInt32
) -> face_status {
  LastError.catching { () throws(Status) in
    let face = try Handles.results.get(handle, "result").face(index)
    guard let values else {
      throw Status(.invalidArgument, "values is NULL; give an array for the coefficients")
    }
    guard let expressions = face.expressions else {
      throw notMeasured("expressions", "FACE_OUTPUT_EXPRESSIONS")
    }
    try copy(expressions.values, to: values, capacity)
  }
}

@c @implementation
public func face_result_values(
  _ handle: OpaquePointer!, _ index: UInt32, _ output: face_outputs, _ values: UnsafeMutablePointer<Float>!,
  _ capacity: UInt32, _ out_count: UnsafeMutablePointer<UInt32>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let face = try Handles.results.get(handle, "result").face(index)
    guard let row = FaceOutputs.table.first(where: { $0.output.rawValue == output }), row.count > 0 else {
      throw Status(.invalidArgument, "output is \(output), which is not a FACE_OUTPUT_... that has values")
    }
    guard let found = row.values(face) else { throw notMeasured(row.name, "that output") }
    if let values = values as UnsafeMutablePointer<Float>? { try copy(found, to: values, capacity) }
    out_count?.pointee = UInt32(clamping: found.count)
  }
}

@c @implementation
public func face_expression_name(_ expression: UInt32) -> UnsafePointer<CChar>! {
  Int(expression) < Expressions.names.count ? Expressions.names[Int(expression)].cString : nil
}

@c @implementation
public func face_iso_measure_name(_ measure: face_iso_measure) -> UnsafePointer<CChar>! {
  ISOMeasure(rawValue: Int(measure))?.name.cString
}

private func notMeasured(_ what: StaticString, _ output: StaticString) -> Status {
  Status(
    .failedPrecondition,
    "the \(what) of this face are not known; ask for them with options.outputs = \(output), and with a "
      + "max_analysed_faces above the number of faces")
}

private func copy(
  _ found: [Float], to values: UnsafeMutablePointer<Float>, _ capacity: UInt32
) throws(Status) {
  try checkCapacity(capacity, for: found.count)
  for (place, value) in found.enumerated() { values[place] = value }
}

private func checkCapacity(_ capacity: UInt32, for count: Int) throws(Status) {
  guard Int(capacity) >= count else {
    throw Status(.outOfRange, "there is room for \(capacity) values, but there are \(count)")
  }
}
