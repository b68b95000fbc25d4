import ArgumentParser
import FaceCore

/// Width and height, as in 640x480.
struct SizeArgument: ExpressibleByArgument {
  let size: PixelSize

  init?(argument: String) {
    guard let size = Numbers.size(argument[...]) else { return nil }
    self.size = size
  }
}
