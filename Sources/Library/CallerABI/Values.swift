public import CFaceEngine
public import FaceCore

/// Reads a caller's flag. Throws `invalidArgument` for a number other than 0 and 1.
public func flag(_ value: UInt32, _ name: StaticString) throws(Status) -> Bool {
  guard value <= 1 else { throw Status(.invalidArgument, "\(name) is \(value); give 0 or 1") }
  return value == 1
}

/// Throws `invalidArgument` for a member that has no meaning yet and is not 0.
public func unused(_ value: UInt32, _ name: StaticString) throws(Status) {
  guard value == 0 else {
    throw Status(.invalidArgument, "\(name) is \(value); initialise the struct before use")
  }
}

/// Reads a caller's choice. Throws `invalidArgument` for a number that is not one of the cases.
/// - Parameter advice: the rest of the message, as in "; use one of FACE_FIT_...".
public func known<Value: RawRepresentable>(
  _ number: UInt32, _ name: StaticString, _ advice: StaticString
) throws(Status) -> Value where Value.RawValue: FixedWidthInteger {
  guard let raw = Value.RawValue(exactly: number), let value = Value(rawValue: raw) else {
    throw Status(.invalidArgument, "\(name) is \(number)\(advice)")
  }
  return value
}

/// Reads a caller's text. Throws `invalidArgument`, naming it, if it is NULL, empty or not UTF-8.
public func text(_ pointer: UnsafePointer<CChar>?, _ name: StaticString) throws(Status) -> String {
  guard let pointer else { throw Status(.invalidArgument, "\(name) is NULL; pass a text") }
  guard let text = String(validatingCString: pointer), !text.isEmpty else {
    throw Status(.invalidArgument, "\(name) is empty or not UTF-8; pass a UTF-8 text")
  }
  return text
}

/// Reads a caller's path, which need not be UTF-8. Throws `invalidArgument`, naming it, if it is NULL or empty.
public func path(_ pointer: UnsafePointer<CChar>?, _ name: StaticString) throws(Status) -> String {
  guard let pointer, pointer.pointee != 0 else {
    throw Status(.invalidArgument, "\(name) is \(pointer == nil ? "NULL" : "empty"); give a path")
  }
  return String(path: pointer)
}

/// A C string that the caller may read for as long as this object lives.
public final class CText: @unchecked Sendable {
  // Written before the object is shared, and never again.
  public let pointer: UnsafePointer<CChar>

  public init(_ text: String) {
    let bytes = text.utf8CString
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    for (index, byte) in bytes.enumerated() { copy[index] = byte }
    pointer = UnsafePointer(copy)
  }

  deinit { pointer.deallocate() }
}

extension StaticString {
  /// The string as a C string: its bytes end with a NUL and never move.
  public var cString: UnsafePointer<CChar> {
    UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}

extension face_box {
  public init(_ box: Box) {
    self.init(x: box.x, y: box.y, width: box.width, height: box.height)
  }
}

extension Box {
  public init(_ box: face_box) {
    self.init(x: box.x, y: box.y, width: box.width, height: box.height)
  }
}

extension face_point {
  public init(_ point: Point) {
    self.init(x: point.x, y: point.y)
  }
}

extension Point {
  public init(_ point: face_point) {
    self.init(x: point.x, y: point.y)
  }
}

extension Circle {
  public init(_ circle: face_circle) {
    self.init(center: Point(x: circle.x, y: circle.y), radius: circle.radius)
  }
}
