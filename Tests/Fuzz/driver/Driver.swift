import Fuzz
import Glibc

/// The target that the environment or this program's own name selects, as in "fuzz_frames".
private let target: FuzzTarget = {
  let program = CommandLine.arguments.first?.split(separator: "/").last ?? ""
  let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? String(program.dropFirst("fuzz_".count))
  guard let target = FuzzTarget(rawValue: name) else {
    fatalError("FUZZ_TARGET must be one of \(FuzzTarget.allCases.map(\.rawValue))")
  }
  return target
}()

/// The function that libFuzzer calls.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  target.run(UnsafeBufferPointer(start: start, count: count).span)
  return 0
}
