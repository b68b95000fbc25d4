// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import CallerABI
import FaceCore
import Posix

@c @implementation
public func face_option_at(
  _ group: face_option_group, _ index: UInt32, _ size: Int
) -> UnsafePointer<face_option>! {
  Thread.withoutCancellation {
    Introspection.options[group].flatMap { options in
      let known = options.indices.lazy.filter { options[$0].end <= size }.dropFirst(Int(index)).first
      return known.flatMap { Introspection.entry(UInt32($0), of: options) }
    }
  }
}

extension face_option {
  /// Where the member ends in its struct.
  fileprivate var end: Int {
    let width = kind == face_option_kind(FACE_OPTION_KIND_NANOSECONDS) ? UInt64.bitWidth : UInt32.bitWidth
    return Int(offset) + width / 8
  }
}

@c @implementation
public func face_output_at(_ index: UInt32) -> UnsafePointer<face_output>! {
  Thread.withoutCancellation { Introspection.entry(index, of: Introspection.outputs) }
}

/// The tables of options and outputs in C. They stay in memory as long as the library.
private enum Introspection {
  nonisolated(unsafe) static let options: [face_option_group: UnsafeBufferPointer<face_option>] = [
    face_option_group(FACE_OPTION_GROUP_DETECTION): table(
      DetectionOptions.members, DetectionOptions(), DetectionOptions.switches),
    face_option_group(FACE_OPTION_GROUP_TRACKING): table(
      TrackingOptions.members, TrackingOptions(), TrackingOptions.switches),
    face_option_group(FACE_OPTION_GROUP_CHECK): table(
      CheckOptions.members, CheckOptions(), CheckOptions.switches),
  ]

  nonisolated(unsafe) static let outputs: UnsafeBufferPointer<face_output> = lasting(
    FaceOutputs.table.map { row in
      face_output(
        struct_size: UInt32(MemoryLayout<face_output>.size), bit: row.output.rawValue, name: row.name.cString,
        flag: row.flag.cString, meaning: row.meaning.cString, count: UInt32(row.count), reserved: 0)
    })

  static func entry<Entry>(_ index: UInt32, of table: UnsafeBufferPointer<Entry>) -> UnsafePointer<Entry>? {
    Int(index) < table.count ? table.baseAddress.map { $0 + Int(index) } : nil
  }

  private static func table(
    _ members: CFields, _ standard: some OptionTable, _ switches: [CSwitch]
  ) -> UnsafeBufferPointer<face_option> {
    let numbers = members.pairs.map { option, offset in
      let (kind, value): (Int, Double) =
        switch standard[option] {
        case .number(let value): (FACE_OPTION_KIND_FLOAT, Double(value))
        case .count(let value): (FACE_OPTION_KIND_COUNT, Double(value))
        case .time(let value): (FACE_OPTION_KIND_NANOSECONDS, Double(value.nanoseconds))
        }
      return face_option(
        struct_size: UInt32(MemoryLayout<face_option>.size), kind: face_option_kind(kind),
        name: option.name.cString, flag: lastingText(option.flag ?? ""), meaning: option.meaning.cString,
        least: option.least, most: option.most, standard: value, offset: UInt32(offset), reserved: 0)
    }
    return lasting(
      numbers
        + switches.map { option in
          face_option(
            struct_size: UInt32(MemoryLayout<face_option>.size),
            kind: face_option_kind(FACE_OPTION_KIND_SWITCH),
            name: option.name.cString, flag: option.flag.cString, meaning: option.meaning.cString,
            least: 0, most: 1, standard: 0, offset: UInt32(option.offset), reserved: 0)
        })
  }

  private static func lastingText(_ text: String) -> UnsafePointer<CChar>? {
    lasting(text.utf8CString.map { $0 }).baseAddress
  }
}

/// Returns a copy that lives as long as the process.
func lasting<Entry>(_ entries: [Entry]) -> UnsafeBufferPointer<Entry> {
  let copy = UnsafeMutableBufferPointer<Entry>.allocate(capacity: entries.count)
  _ = copy.initialize(fromContentsOf: entries)
  return UnsafeBufferPointer(copy)
}
