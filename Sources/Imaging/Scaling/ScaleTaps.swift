/// For each pixel of a shorter row or column, the source pixels it is made of and their weights, 256ths that sum to 256.
struct ScaleTaps {
  private var firsts: [Int] = []
  private var starts: [Int] = [0]
  private var allWeights: [UInt16] = []

  var count: Int { firsts.count }
  /// The first source pixel of target pixel `index`.
  func first(_ index: Int) -> Int { firsts[index] }

  /// The weights of it and the pixels after it.
  func weights(_ index: Int) -> ArraySlice<UInt16> { allWeights[starts[index]..<starts[index + 1]] }

  /// - Parameters:
  ///   - count: of target pixels.
  ///   - weights: of all of them, about.
  private init(count: Int, weights: Int) {
    firsts.reserveCapacity(count)
    starts.reserveCapacity(count + 1)
    allWeights.reserveCapacity(weights)
  }

  /// Goes on to the next target pixel, which is made of source pixels from `first` on.
  private mutating func begin(_ first: Int) {
    firsts.append(first)
    starts.append(allWeights.count)
  }

  /// The weight of the next source pixel.
  private mutating func weigh(_ weight: UInt16) {
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
      taps.begin(first)
      var before = 0
      for pixel in first...(end - 1) / target {
        let covered = min(end, (pixel + 1) * target) - start
        let upTo = (covered * 256 + side / 2) / side
        taps.weigh(UInt16(upTo - before))
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
      taps.begin(inside / 256)
      taps.weigh(256 - part)
      if part > 0 { taps.weigh(part) }
    }
    return taps
  }

  /// The same for rows of which each stands for two of these.
  func halved() -> ScaleTaps {
    var taps = ScaleTaps(count: count, weights: allWeights.count)
    for index in 0..<count {
      let first = firsts[index]
      taps.begin(first / 2)
      for (offset, weight) in weights(index).enumerated() {
        if offset == 0 || (first + offset) % 2 == 0 {
          taps.weigh(weight)
        } else {
          taps.allWeights[taps.allWeights.count - 1] += weight
        }
      }
    }
    return taps
  }

  /// Makes a row of BGRA pixels narrower.
  func narrow(_ line: UnsafePointer<UInt8>, into target: UnsafeMutableRawPointer) {
    firsts.withUnsafeBufferPointer { firsts in
      starts.withUnsafeBufferPointer { starts in
        allWeights.withUnsafeBufferPointer { weights in
          var next = 0
          for column in 0..<firsts.count {
            var sum: UInt64 = 0
            var place = firsts[column]
            let end = starts[column &+ 1]
            while next < end {
              sum &+= PixelLanes.load(line, place) &* UInt64(weights[next])
              place &+= 1
              next &+= 1
            }
            target.storeBytes(of: PixelLanes.pixel(sum), toByteOffset: 4 &* column, as: UInt32.self)
          }
        }
      }
    }
  }
}
