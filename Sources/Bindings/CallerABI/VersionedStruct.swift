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

  /// Reads the caller's struct.
  ///
  /// Throws `invalidArgument` for NULL or a size below the struct's, `unimplemented` for a longer
  /// struct that uses members this library does not know.
  public static func read<Struct: BitwiseCopyable>(
    _ pointer: UnsafePointer<Struct>?, name: String
  ) throws(Status) -> Struct {
    let bytes = try validBytes(of: UnsafeRawPointer(pointer), Struct.self, name: name)
    guard bytes[MemoryLayout<Struct>.stride...].allSatisfy({ $0 == 0 }) else {
      throw Status(
        .unimplemented, "\(name) sets members that this version does not know; install a newer library")
    }
    return bytes.loadUnaligned(as: Struct.self)
  }

  /// Writes `value` to the caller's struct, and zeros to members that this library does not know. The size
  /// member stays.
  public static func write<Struct>(_ value: Struct, to pointer: UnsafeMutablePointer<Struct>?, name: String)
    throws(Status)
  {
    let bytes = try validBytes(of: UnsafeRawPointer(pointer), Struct.self, name: name)
    let target = UnsafeMutableRawBufferPointer(mutating: bytes)
    let sizeField = MemoryLayout<UInt32>.size
    withUnsafeBytes(of: value) { known in
      target[sizeField..<known.count].copyBytes(from: known[sizeField...])
      for index in known.count..<target.count { target[index] = 0 }
    }
  }

  private static func validBytes<Struct>(
    of pointer: UnsafeRawPointer?, _: Struct.Type, name: String
  ) throws(Status) -> UnsafeRawBufferPointer {
    guard let pointer else { throw Status(.invalidArgument, "\(name) is NULL; pass a \(Struct.self)") }
    let size = Int(pointer.load(as: UInt32.self))
    guard size >= MemoryLayout<Struct>.stride, size <= maxSize else {
      throw Status(
        .invalidArgument, "\(name)->struct_size is \(size); call \(Struct.self)_init before use")
    }
    return UnsafeRawBufferPointer(start: pointer, count: size)
  }

  /// A size above that of any struct: larger sizes are uninitialised memory.
  private static let maxSize = 4096
}
