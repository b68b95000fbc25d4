/// The filter taps of each pixel of a shorter row or column: its source pixels and their weights, 256ths that
/// sum to 256.
struct ScaleTaps {
  private var firsts: [Int] = []
  private var starts: [Int] = [0]
  private var allWeights: [UInt16] = []

  var count: Int { firsts.count }
  func first(_ index: Int) -> Int { firsts[index] }

  /// Returns the source pixels of target pixel `index`.
  func range(_ index: Int) -> Range<Int> {
    firsts[index]..<firsts[index] + starts[index + 1] - starts[index]
  }

  /// Returns the weights of that pixel and the ones after it.
  func weights(_ index: Int) -> ArraySlice<UInt16> { allWeights[starts[index]..<starts[index + 1]] }

  func withWeights<Result>(_ index: Int, _ body: (UnsafeBufferPointer<UInt16>) -> Result) -> Result {
    allWeights.withUnsafeBufferPointer {
      body(UnsafeBufferPointer(rebasing: $0[starts[index]..<starts[index + 1]]))
    }
  }

  /// The largest number of weights of a pixel.
  var longest: Int { zip(starts, starts.dropFirst()).map { $1 - $0 }.max() ?? 0 }

  /// - Parameters:
  ///   - count: the number of target pixels.
  ///   - weights: the approximate number of all weights.
  private init(count: Int, weights: Int) {
    firsts.reserveCapacity(count)
    starts.reserveCapacity(count + 1)
    allWeights.reserveCapacity(weights)
  }

  /// Adds a target pixel whose source pixels begin at `first`.
  private mutating func appendPixel(from first: Int) {
    firsts.append(first)
    starts.append(allWeights.count)
  }

  /// Adds the weight of the next source pixel.
  private mutating func append(weight: UInt16) {
    allWeights.append(weight)
    starts[firsts.count] = allWeights.count
  }

  /// Returns taps for the mean of the area that each target pixel covers, with source pixels at its edge
  /// weighted by the part covered: fine detail becomes its mean instead of aliasing to stripes.
  static func area(_ side: Int, to target: Int) -> ScaleTaps {
    precondition((1...side).contains(target))
    var taps = ScaleTaps(count: target, weights: side + target)
    for index in 0..<target {
      // Computed in integers, with source pixels of length `target`, so that neighbours meet exactly.
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
      assert(before == 256, "the weights of a pixel sum to 256")
    }
    return taps
  }

  /// Returns taps for the two pixels on either side of a target pixel's middle.
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

  /// Returns bilinear taps for columns, as in libyuv's filter: sums are not rounded, and a 128th of each is
  /// lost. Detection results were measured on such pixels.
  static func bilinearColumns(_ side: Int, to target: Int) -> ScaleTaps {
    var taps = ScaleTaps(count: target, weights: 2 * target)
    precondition((1...side).contains(target))
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

  /// Returns the taps for rows that each stand for two of these.
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
