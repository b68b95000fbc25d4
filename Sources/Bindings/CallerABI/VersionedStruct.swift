import CFaceEngine
import CFaceEngineDraw
public import FaceCore

/// Reads and writes public structs, which begin with the size that the caller was compiled with so that they
/// can grow.
public enum VersionedStruct {
  /// Fills the caller's struct of `size` bytes with as much of `value` as fits. Does nothing for NULL, or for
  /// a size too small for any version.
  public static func initialize<Struct>(_ pointer: UnsafeMutablePointer<Struct>?, to value: Struct, size: Int)
  {
    guard let pointer, let structSize = UInt32(exactly: size), size >= MemoryLayout<UInt32>.size else {
      return
    }
    let target = UnsafeMutableRawBufferPointer(start: pointer, count: size)
    withUnsafeBytes(of: value) { known in
      for index in 0..<size { target[index] = index < known.count ? known[index] : 0 }
    }
    target.storeBytes(of: structSize, as: UInt32.self)
  }

  /// Copies the caller's struct over `value`.
  ///
  /// Throws `invalidArgument` for NULL or a size below the struct's, `unimplemented` for a longer
  /// struct that uses members this library does not know.
  public static func read<Struct>(_ pointer: UnsafePointer<Struct>?, into value: inout Struct, name: String)
    throws(Status)
  {
    let (source, size) = try validBytes(of: pointer.map(UnsafeRawPointer.init), Struct.self, name: name)
    let known = MemoryLayout<Struct>.stride
    guard source[min(size, known)..<size].allSatisfy({ $0 == 0 }) else {
      throw Status(
        .unimplemented, "\(name) uses members that this version does not know; install a newer library")
    }
    withUnsafeMutableBytes(of: &value) {
      $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<min(size, known)]))
    }
  }

  /// Writes as much of `value` to the caller's struct as fits. Its size member stays.
  public static func write<Struct>(_ value: Struct, to pointer: UnsafeMutablePointer<Struct>?, name: String)
    throws(Status)
  {
    let (bytes, size) = try validBytes(of: pointer.map(UnsafeRawPointer.init), Struct.self, name: name)
    let target = UnsafeMutableRawBufferPointer(mutating: bytes)
    let sizeField = MemoryLayout<UInt32>.size
    withUnsafeBytes(of: value) { known in
      let end = min(size, known.count)
      target[sizeField..<end].copyBytes(from: known[sizeField..<end])
      for index in end..<size { target[index] = 0 }
    }
  }

  private static func validBytes<Struct>(
    of pointer: UnsafeRawPointer?, _: Struct.Type, name: String
  ) throws(Status) -> (bytes: UnsafeRawBufferPointer, size: Int) {
    guard let pointer else { throw Status(.invalidArgument, "\(name) is NULL") }
    let size = Int(pointer.load(as: UInt32.self))
    guard size >= MemoryLayout<Struct>.stride, size <= maxSize else {
      throw Status(
        .invalidArgument, "\(name)->struct_size is \(size); call \(name)'s _init function before use")
    }
    return (UnsafeRawBufferPointer(start: pointer, count: size), size)
  }

  /// A size above that of any struct: larger sizes are uninitialised memory.
  private static let maxSize = 4096
}
