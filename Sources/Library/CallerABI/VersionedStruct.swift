package import CFaceEngine
package import FaceCore

/// A public struct that begins with the size that the caller was compiled with, so that it can grow at its end.
package protocol SizedStruct {
  /// All zeros.
  init()
  /// What `face_..._init` fills in; members that an older caller's struct lacks have these values.
  static var defaults: Self { get }
}

extension SizedStruct {
  package static var defaults: Self { Self() }
}

extension face_image: SizedStruct {}
extension face_info: SizedStruct {}
extension face_listener: SizedStruct {}
extension face_model: SizedStruct {}
extension face_space: SizedStruct {}

/// Reads and writes the structs of callers that were compiled against this header, an older or a newer one.
package enum VersionedStruct {
  /// Fills the caller's struct of `size` bytes with as much of the defaults as fits. Does nothing for NULL, or
  /// for a size too small for any version.
  package static func initialize<Struct: SizedStruct & BitwiseCopyable>(
    _ pointer: UnsafeMutablePointer<Struct>?, size: Int
  ) {
    guard let pointer, let structSize = UInt32(exactly: size), size >= MemoryLayout<UInt32>.size else {
      return
    }
    let target = UnsafeMutableRawBufferPointer(start: pointer, count: size)
    withUnsafeBytes(of: Struct.defaults) { copy($0, to: target) }
    target.storeBytes(of: structSize, as: UInt32.self)
  }

  /// Reads the caller's struct. Members that a shorter one lacks have their defaults.
  ///
  /// Throws `invalidArgument` for NULL or a size that no version has, `unimplemented` for a longer struct that sets
  /// members this library does not know.
  package static func read<Struct: SizedStruct & BitwiseCopyable>(
    _ pointer: UnsafePointer<Struct>?, name: String
  ) throws(Status) -> Struct {
    let bytes = try validBytes(of: UnsafeRawPointer(pointer), Struct.self, name: name)
    let known = MemoryLayout<Struct>.size
    if let place = bytes.indices.dropFirst(known).first(where: { bytes[$0] != 0 }) {
      throw Status(
        .unimplemented,
        "\(name) sets a member at byte \(place), which version \(EngineVersion.text) of this library does not know; install a newer "
          + "library, or leave members that came later (\"Since\" in the header) as face_..._init sets them")
    }
    var value = Struct.defaults
    withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: bytes.prefix(known)) }
    return value
  }

  /// Writes as much of `value` as fits to the caller's struct, and zeros to members that this library does not know.
  /// The size member stays.
  package static func write<Struct: SizedStruct & BitwiseCopyable>(
    _ value: Struct, to pointer: UnsafeMutablePointer<Struct>?, name: String
  ) throws(Status) {
    let bytes = try validBytes(of: UnsafeRawPointer(pointer), Struct.self, name: name)
    let size = UInt32(bytes.count)
    let target = UnsafeMutableRawBufferPointer(mutating: bytes)
    withUnsafeBytes(of: value) { copy($0, to: target) }
    target.storeBytes(of: size, as: UInt32.self)
  }

  /// Copies what fits, and fills the rest with zeros.
  private static func copy(_ value: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer) {
    for index in target.indices { target[index] = index < value.count ? value[index] : 0 }
  }

  private static func validBytes<Struct>(
    of pointer: UnsafeRawPointer?, _: Struct.Type, name: String
  ) throws(Status) -> UnsafeRawBufferPointer {
    guard let pointer else { throw Status(.invalidArgument, "\(name) is NULL; pass a \(Struct.self)") }
    let size = Int(pointer.load(as: UInt32.self))
    // A multiple of the alignment never ends inside a number or a pointer.
    guard minSize...maxSize ~= size, size.isMultiple(of: MemoryLayout<Struct>.alignment) else {
      throw Status(
        .invalidArgument, "\(name)->struct_size is \(size); call \(Struct.self)_init before use")
    }
    return UnsafeRawBufferPointer(start: pointer, count: size)
  }

  /// The size with one member beside `struct_size`.
  private static let minSize = 8
  /// A size above that of any struct: larger sizes are uninitialised memory.
  private static let maxSize = 4096
}
