import FaceCore
import Testing
import Wire

@Suite struct DescribeCallTests {
  /// The length-delimited fields of a message, by number. Source: "Protocol Buffers: Encoding".
  private func fields(_ message: ArraySlice<UInt8>) -> [Int: [ArraySlice<UInt8>]] {
    var rest = message
    var fields: [Int: [ArraySlice<UInt8>]] = [:]
    func varint() -> Int {
      var value = 0
      var shift = 0
      while let byte = rest.popFirst() {
        value |= Int(byte & 0x7f) << shift
        if byte < 0x80 { break }
        shift += 7
      }
      return value
    }
    while !rest.isEmpty {
      let tag = varint()
      let number = varint()
      if tag & 7 == 2 {
        fields[tag >> 3, default: []].append(rest.prefix(number))
        rest = rest.dropFirst(number)
      }
    }
    return fields
  }

  private func text(_ bytes: ArraySlice<UInt8>?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }

  /// The field numbers are those of google/protobuf/descriptor.proto.
  @Test func descriptorSetNamesEveryMethodThatExists() throws {
    let frame = try DescribeCall.responseFrame(stream: 1)
    let body = Array(frame.dropFirst(FrameHeader.size))
    let payload = Array(body[try ResponseEnvelope(decoding: body.span).payload])
    let set = try DescribeCall.response(payload.span)

    let files = fields(set[...])[1] ?? []
    #expect(files.count == 1)
    let file = fields(try #require(files.first))
    #expect(text(file[1]?.first) == "face_engine.proto")
    let package = text(file[2]?.first)
    #expect(package == "faceengine.v1")
    var described: Set<String> = []
    for service in file[6] ?? [] {
      let service = fields(service)
      for method in service[2] ?? [] {
        described.insert("\(package).\(text(service[1]?.first))/\(text(fields(method)[1]?.first))")
      }
    }
    #expect(described.isSuperset(of: Method.allCases.map(\.fullName)))
    #expect(described.contains("faceengine.v1.Detector/Watch"))
  }
}
