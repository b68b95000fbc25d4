import FaceCore
import Testing

struct ProtobufScannerTests {
  private func fields(_ bytes: [UInt8]) throws(Status) -> [ProtobufScanner.Field] {
    var scanner = ProtobufScanner(bytes.indices, of: "message")
    var fields: [ProtobufScanner.Field] = []
    while let field = try scanner.next(bytes.span) { fields.append(field) }
    return fields
  }

  @Test func everyWireTypeIsRead() throws {
    let fields = try fields([
      0x08, 0x96, 0x01, 0x11, 1, 2, 3, 4, 5, 6, 7, 8, 0x1d, 1, 2, 3, 4, 0x22, 2, 9, 9,
    ])
    #expect(fields.map(\.number) == [1, 2, 3, 4])
    guard case .varint(150) = fields[0].value, case .fixed64(0x0807_0605_0403_0201) = fields[1].value,
      case .fixed32(0x0403_0201) = fields[2].value, case .bytes(19..<21) = fields[3].value
    else {
      Issue.record("\(fields)")
      return
    }
  }

  @Test(
    arguments: [
      [0x00],  // field number 0
      [0x08], [0x08, 0x80],  // no number, and half of one
      [0x08] + Array(repeating: 0xff, count: 9) + [0x02],  // more than 64 bits
      [0x11, 1, 2, 3], [0x1d, 1],  // cut short
      [0x22, 3, 1, 2], [0x0b],  // longer than the message; a group
    ] as [[UInt8]])
  func damagedMessagesFail(_ bytes: [UInt8]) {
    #expect(throws: Status.self) { try fields(bytes) }
  }
}
