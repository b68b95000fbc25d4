// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore
import Posix

@c @implementation
public func face_mesh_edges(_ out_count: UnsafeMutablePointer<UInt32>!) -> UnsafePointer<UInt16>! {
  Thread.withoutCancellation { MeshTables.edges.given(by: 2, out_count) }
}

@c @implementation
public func face_mesh_triangles(_ out_count: UnsafeMutablePointer<UInt32>!) -> UnsafePointer<UInt16>! {
  Thread.withoutCancellation { MeshTables.triangles.given(by: 3, out_count) }
}

@c @implementation
public func face_contour_indices(
  _ contour: face_contour, _ out_count: UnsafeMutablePointer<UInt32>!
) -> UnsafePointer<UInt16>! {
  Thread.withoutCancellation {
    guard let table = MeshTables.contours[contour] else {
      out_count?.pointee = 0
      return nil
    }
    return table.given(by: 1, out_count)
  }
}

@c @implementation
public func face_contour_path(_ contour: face_contour) -> face_path {
  Thread.withoutCancellation { face_path((known(contour)?.path ?? .disconnected).rawValue) }
}

@c @implementation
public func face_contour_name(_ contour: face_contour) -> UnsafePointer<CChar>! {
  Thread.withoutCancellation { known(contour)?.name.cString }
}

@c @implementation
public func face_mesh_point_name(_ point: face_mesh_point) -> UnsafePointer<CChar>! {
  Thread.withoutCancellation { Landmarks.names[Int(point)]?.cString }
}

private func known(_ contour: face_contour) -> FaceContour? {
  UInt8(exactly: contour).flatMap(FaceContour.init)
}

/// The tables of the mesh, which live as long as the process.
private enum MeshTables {
  nonisolated(unsafe) static let edges = lasting(Landmarks.edges)
  nonisolated(unsafe) static let triangles = lasting(Landmarks.triangles)
  nonisolated(unsafe) static let contours = Dictionary(
    uniqueKeysWithValues: FaceContour.allCases.map { contour in
      (face_contour(contour.rawValue), lasting(contour.indices.map { UInt16($0) }))
    })
}

extension UnsafeBufferPointer<UInt16> {
  /// Returns the table, and writes how many entries of `size` numbers it has.
  fileprivate func given(by size: Int, _ out_count: UnsafeMutablePointer<UInt32>?) -> UnsafePointer<UInt16>? {
    out_count?.pointee = UInt32(clamping: count / size)
    return baseAddress
  }
}
