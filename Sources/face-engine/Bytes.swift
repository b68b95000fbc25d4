import FaceCore

/// `Array.withUnsafeBytes` with a typed error.
func withBytes<Result>(
  of bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(Status) -> Result
) throws(Status) -> Result {
  let outcome = bytes.withUnsafeBytes { buffer in
    Swift.Result { () throws(Status) in try body(buffer) }
  }
  return try outcome.get()
}
