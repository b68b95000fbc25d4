public import FaceCore

/// Public structs begin with their size as the caller was compiled, so that they can grow.
public enum VersionedStruct {
  /// Fills the caller's struct, of which it has `size` bytes, with as much of `value` as there is room for; NULL, or
  /// too small a size for any version, does nothing.
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

  /// A copy of the caller's struct, with zeros for members its header did not have.
  ///
  /// Throws `invalidArgument` for NULL, for a size below the first version's, and for a longer struct that uses
  /// members this library does not know.
  public static func read<Struct>(_ pointer: UnsafePointer<Struct>?, into value: inout Struct, name: String)
    throws(Status)
  {
    let (source, size) = try check(pointer.map(UnsafeRawPointer.init), Struct.self, name: name)
    let known = MemoryLayout<Struct>.stride
    guard source[min(size, known)..<size].allSatisfy({ $0 == 0 }) else {
      throw Status(
        .unimplemented, "\(name) uses members that this version does not know; install a newer library")
    }
    withUnsafeMutableBytes(of: &value) {
      $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<min(size, known)]))
    }
  }

  /// Writes to the caller's struct as much of `value` as it has room for; its size stays.
  public static func write<Struct>(_ value: Struct, to pointer: UnsafeMutablePointer<Struct>?, name: String)
    throws(Status)
  {
    let (bytes, size) = try check(pointer.map(UnsafeRawPointer.init), Struct.self, name: name)
    let target = UnsafeMutableRawBufferPointer(mutating: bytes)
    let sizeField = MemoryLayout<UInt32>.size
    withUnsafeBytes(of: value) { known in
      let end = min(size, known.count)
      target[sizeField..<end].copyBytes(from: known[sizeField..<end])
      for index in end..<size { target[index] = 0 }
    }
  }

  private static func check<Struct>(
    _ pointer: UnsafeRawPointer?, _: Struct.Type, name: String
  ) throws(Status) -> (bytes: UnsafeRawBufferPointer, size: Int) {
    guard let pointer else { throw Status(.invalidArgument, "\(name) is NULL") }
    let size = Int(pointer.load(as: UInt32.self))
    // Every struct still has its first version's size; an older program cannot have a shorter one.
    guard size >= MemoryLayout<Struct>.stride, size <= maxSize else {
      throw Status(
        .invalidArgument, "\(name)->struct_size is \(size); call \(name)'s _init function before use")
    }
    return (UnsafeRawBufferPointer(start: pointer, count: size), size)
  }

  /// Above any struct to come; a larger size is memory that was never initialised.
  private static let maxSize = 4096
}
