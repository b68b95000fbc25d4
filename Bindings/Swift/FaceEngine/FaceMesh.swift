internal import CFaceEngine

/// The face mesh as data. All numbers are indices of ``Landmarks/points``.
public enum FaceMesh {
  /// The edges of the mesh: two indices for each, the smaller one first, in ascending order.
  public static let edges: [UInt16] = table(2) { face_mesh_edges($0) }

  /// The triangles of the mesh: three indices for each, counter-clockwise as the camera sees the face. Both eyes and
  /// the mouth are holes.
  public static let triangles: [UInt16] = table(3) { face_mesh_triangles($0) }
}

extension Contour {
  /// The indices of the contour's points in ``Landmarks/points``, in drawing order.
  public var indices: [Int] { table(1) { face_contour_indices(rawValue, $0) }.map { Int($0) } }

  /// How the points of the contour are joined.
  public var path: RegionPath { RegionPath(rawValue: face_contour_path(rawValue)) ?? .disconnected }
}

/// Copies a table of the library, whose count is that of entries of `width` numbers.
private func table(
  _ width: Int, _ read: (UnsafeMutablePointer<UInt32>) -> UnsafePointer<UInt16>?
) -> [UInt16] {
  var count: UInt32 = 0
  let numbers = read(&count)
  return Array(UnsafeBufferPointer(start: numbers, count: width * Int(count)))
}
