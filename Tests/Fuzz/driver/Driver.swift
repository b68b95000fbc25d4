import Fuzz
import Glibc

/// The target that the environment names.
private let target: FuzzTarget = {
  guard let name = getenv("FUZZ_TARGET"), let target = FuzzTarget(rawValue: String(cString: name)) else {
    fatalError("FUZZ_TARGET must be one of \(FuzzTarget.allCases.map(\.rawValue))")
  }
  return target
}()

/// What libFuzzer calls.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  target.run(UnsafeBufferPointer(start: start, count: count).span)
  return 0
}
