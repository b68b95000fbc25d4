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

  private mutating func append(first: Int, _ weights: some Sequence<UInt16>) {
    firsts.append(first)
    allWeights.append(contentsOf: weights)
    starts.append(allWeights.count)
  }

  /// The mean of what each target pixel covers, source pixels at its rim counted by the part covered: thin detail turns
  /// into its mean instead of into stripes that were not there.
  static func area(_ side: Int, to target: Int) -> ScaleTaps {
    var taps = ScaleTaps()
    for index in 0..<target {
      // In whole numbers, source pixels being `target` long, so that neighbours meet exactly.
      let (start, end) = (index * side, (index + 1) * side)
      let first = start / target
      var before = 0
      taps.append(
        first: first,
        (first...(end - 1) / target).map { pixel in
          let covered = min(end, (pixel + 1) * target) - start
          let upTo = (covered * 256 + side / 2) / side
          defer { before = upTo }
          return UInt16(upTo - before)
        })
    }
    return taps
  }

  /// The two pixels on either side of a target pixel's middle.
  static func bilinear(_ side: Int, to target: Int) -> ScaleTaps {
    var taps = ScaleTaps()
    for index in 0..<target {
      // In 256ths of a source pixel, from the middle of the first one.
      let place = ((2 * index + 1) * side * 128 + target / 2) / target - 128
      let inside = min(max(place, 0), (side - 1) * 256)
      let part = UInt16(inside % 256)
      taps.append(first: inside / 256, part == 0 ? [256] : [256 - part, part])
    }
    return taps
  }

  /// The same for rows of which each stands for two of these.
  func halved() -> ScaleTaps {
    var taps = ScaleTaps()
    for index in 0..<count {
      let first = firsts[index]
      var merged: [UInt16] = []
      for (offset, weight) in weights(index).enumerated() {
        let place = (first + offset) / 2 - first / 2
        if place == merged.count { merged.append(weight) } else { merged[place] += weight }
      }
      taps.append(first: first / 2, merged)
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
