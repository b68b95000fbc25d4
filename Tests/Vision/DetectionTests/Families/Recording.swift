import Foundation
import Inference
import TestSupport

/// The outputs of a network, kept in a file: for each map its channels, height and width as 32-bit integers,
/// then its values as 32-bit floats, all with the low byte first.
struct Recording: Equatable {
  struct Map: Equatable {
    var channels: Int
    var height: Int
    var width: Int
    /// The values channel by channel, without gaps.
    var values: [Float]
  }

  var maps: [Map]

  init(maps: [Map]) {
    self.maps = maps
  }

  /// A copy of a network's outputs.
  init(_ views: [TensorView]) {
    maps = views.map { view in
      Map(
        channels: view.shape.channels, height: view.shape.height, width: view.shape.width,
        values: view.numbers)
    }
  }

  init(bytes: [UInt8]) {
    var words = stride(from: 0, to: bytes.count, by: 4).map { start in
      (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[start + $1]) << (8 * $1) }
    }[...]
    maps = []
    while words.count >= 3 {
      let shape = words.prefix(3).map { Int($0) }
      words = words.dropFirst(3)
      let count = shape.reduce(1, *)
      let values = words.prefix(count).map { Float(bitPattern: $0) }
      maps.append(Map(channels: shape[0], height: shape[1], width: shape[2], values: values))
      words = words.dropFirst(count)
    }
  }

  var bytes: [UInt8] {
    maps.flatMap { map in
      [map.channels, map.height, map.width].map { UInt32($0) } + map.values.map(\.bitPattern)
    }.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
  }

  /// Passes the maps to `body` as a network would, with `gap` NaN values after each channel.
  func withViews<Result>(gap: Int = 0, _ body: ([TensorView]) throws -> Result) rethrows -> Result {
    let stored = maps.map { map in
      let area = map.height * map.width
      let values = (0..<map.channels).flatMap { channel in
        map.values[channel * area..<(channel + 1) * area] + [Float](repeating: .nan, count: gap)
      }
      let memory = UnsafeMutableBufferPointer<Float>.allocate(capacity: values.count)
      _ = memory.initialize(from: values)
      return memory
    }
    defer { stored.forEach { $0.deallocate() } }
    return try body(
      zip(maps, stored).map { map, memory in
        TensorView(
          shape: TensorShape(
            channels: map.channels, height: map.height, width: map.width,
            channelStride: map.height * map.width + gap),
          values: UnsafeBufferPointer(memory))
      })
  }
}
