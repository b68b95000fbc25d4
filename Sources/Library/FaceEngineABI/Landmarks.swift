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
    try write(found.map { UInt32(clamping: $0) }, to: indices, capacity, out_count)
  }
}

@c @implementation
public func face_constellation_path(
  _ constellation: face_constellation, _ region: face_region, _ out_path: UnsafeMutablePointer<face_path>!
) -> face_status {
  LastError.catching { () throws(Status) in
    guard let out_path else {
      throw Status(.invalidArgument, "out_path is NULL; pass a variable for the path")
    }
    out_path.pointee = face_path(
      try known(constellation: constellation).path(of: try known(region)).rawValue)
  }
}

private func known(_ region: face_region) throws(Status) -> LandmarkRegion {
  try known(region, "region", "; use one of FACE_REGION_...")
}

private func known(constellation: face_constellation) throws(Status) -> LandmarkConstellation {
  try known(constellation, "constellation", "; use one of FACE_CONSTELLATION_...")
}

private func write(
  _ region: LandmarkRegion, _ constellation: LandmarkConstellation, of face: Face,
  to points: UnsafeMutablePointer<face_landmark>?, _ capacity: UInt32,
  _ out_count: UnsafeMutablePointer<UInt32>?
) throws(Status) {
  guard let landmarks = face.landmarks else { throw notMeasured("landmarks", "FACE_OUTPUT_LANDMARKS") }
  let found = landmarks.points(of: region, constellation)
  try write(found.map { face_landmark(x: $0.x, y: $0.y, z: $0.z) }, to: points, capacity, out_count)
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
    try write(expressions.values, to: values, capacity)
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
      throw Status(.invalidArgument, "output is \(output); use a FACE_OUTPUT_... that has values")
    }
    guard let found = row.values(face) else { throw notMeasured(row.name, "that output") }
    try write(found, to: values, capacity, out_count)
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
    "the \(what) of this face were not measured; set \(output) in options.outputs, and a "
      + "max_analysed_faces above the number of faces")
}

/// Writes a list to the caller's array, unless that is NULL, and its length.
private func write<Value>(
  _ found: [Value], to values: UnsafeMutablePointer<Value>?, _ capacity: UInt32,
  _ out_count: UnsafeMutablePointer<UInt32>? = nil
) throws(Status) {
  if let values {
    guard Int(capacity) >= found.count else {
      throw Status(
        .outOfRange, "capacity is \(capacity), but there are \(found.count) values; pass a larger array")
    }
    values.update(from: found, count: found.count)
  }
  out_count?.pointee = UInt32(clamping: found.count)
}
