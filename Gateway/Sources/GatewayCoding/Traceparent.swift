/// The header that names a trace. Source: W3C, Trace Context, section 3.2.
package enum Traceparent {
  /// The only header of a call, if it has the form of version 00; `nil` otherwise, as the standard has it.
  package static func valid(_ headers: [String]) -> String? {
    guard headers.count == 1, headers[0].utf8.count == 55 else { return nil }
    let parts = headers[0].utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.map(\.count) == [2, 32, 16, 2], parts.joined().allSatisfy(isLowercaseHex),
      !parts[0].elementsEqual("ff".utf8), !parts[1].allSatisfy({ $0 == UInt8(ascii: "0") }),
      !parts[2].allSatisfy({ $0 == UInt8(ascii: "0") })
    else { return nil }
    return headers[0]
  }

  private static func isLowercaseHex(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }
}
