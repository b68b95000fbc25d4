/// The filter taps of each pixel of a shorter row or column: the source pixels it is made of and their weights, 256ths that
/// sum to 256.
struct ScaleTaps {
  private var firsts: [Int] = []
  private var starts: [Int] = [0]
  private var allWeights: [UInt16] = []

  var count: Int { firsts.count }
  /// The first source pixel of target pixel `index`.
  func first(_ index: Int) -> Int { firsts[index] }

  /// The source pixels of target pixel `index`.
  func range(_ index: Int) -> Range<Int> {
    firsts[index]..<firsts[index] + starts[index + 1] - starts[index]
  }

  /// The weights of it and the pixels after it.
  func weights(_ index: Int) -> ArraySlice<UInt16> { allWeights[starts[index]..<starts[index + 1]] }

  func withWeights<Result>(_ index: Int, _ body: (UnsafeBufferPointer<UInt16>) -> Result) -> Result {
    allWeights.withUnsafeBufferPointer {
      body(UnsafeBufferPointer(rebasing: $0[starts[index]..<starts[index + 1]]))
    }
  }

  /// The most weights of a pixel.
  var longest: Int { zip(starts, starts.dropFirst()).map { $1 - $0 }.max() ?? 0 }

  /// - Parameters:
  ///   - count: of target pixels.
  ///   - weights: of all of them, about.
  private init(count: Int, weights: Int) {
    firsts.reserveCapacity(count)
    starts.reserveCapacity(count + 1)
    allWeights.reserveCapacity(weights)
  }

  /// Adds a target pixel, which is made of source pixels from `first` on.
  private mutating func appendPixel(from first: Int) {
    firsts.append(first)
    starts.append(allWeights.count)
  }

  /// Adds the weight of the next source pixel.
  private mutating func append(weight: UInt16) {
    allWeights.append(weight)
    starts[firsts.count] = allWeights.count
  }

  /// The mean of what each target pixel covers, source pixels at its rim counted by the part covered: thin detail turns
  /// into its mean instead of into stripes that were not there.
  static func area(_ side: Int, to target: Int) -> ScaleTaps {
    var taps = ScaleTaps(count: target, weights: side + target)
    for index in 0..<target {
      // In whole numbers, source pixels being `target` long, so that neighbours meet exactly.
      let (start, end) = (index * side, (index + 1) * side)
      let first = start / target
      taps.appendPixel(from: first)
      var before = 0
      for pixel in first...(end - 1) / target {
        let covered = min(end, (pixel + 1) * target) - start
        let upTo = (covered * 256 + side / 2) / side
        taps.append(weight: UInt16(upTo - before))
        before = upTo
      }
    }
    return taps
  }

  /// The two pixels on either side of a target pixel's middle.
  static func bilinear(_ side: Int, to target: Int) -> ScaleTaps {
    var taps = ScaleTaps(count: target, weights: 2 * target)
    for index in 0..<target {
      // In 256ths of a source pixel, from the middle of the first one.
      let place = ((2 * index + 1) * side * 128 + target / 2) / target - 128
      let inside = min(max(place, 0), (side - 1) * 256)
      let part = UInt16(inside % 256)
      taps.appendPixel(from: inside / 256)
      taps.append(weight: 256 - part)
      if part > 0 { taps.append(weight: part) }
    }
    return taps
  }

  /// The same for columns, as libyuv's bilinear filter has it: sums are not rounded, and a 128th of each is lost. What networks
  /// find was measured on such pixels.
  static func bilinearColumns(_ side: Int, to target: Int) -> ScaleTaps {
    var taps = ScaleTaps(count: target, weights: 2 * target)
    // In 65536ths of a source pixel.
    let step = (side << 16) / target
    for index in 0..<target {
      let place = step / 2 - 32768 + index * step
      taps.appendPixel(from: place >> 16)
      if step == 1 << 16 {
        taps.append(weight: 256)
      } else {
        let part = UInt16(place >> 9 & 127)
        taps.append(weight: 2 * (127 - part))
        taps.append(weight: 2 * part)
      }
    }
    return taps
  }

  /// The same for rows of which each stands for two of these.
  func halved() -> ScaleTaps {
    var taps = ScaleTaps(count: count, weights: allWeights.count)
    for index in 0..<count {
      let first = firsts[index]
      taps.appendPixel(from: first / 2)
      for (offset, weight) in weights(index).enumerated() {
        if offset == 0 || (first + offset) % 2 == 0 {
          taps.append(weight: weight)
        } else {
          taps.allWeights[taps.allWeights.count - 1] += weight
        }
      }
    }
    return taps
  }
}
