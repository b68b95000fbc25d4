import ArgumentParser
import FaceCore

/// What to tell of each face beyond its box, as flags of `face-engine detect`.
struct OutputArguments: ParsableArguments {
  @Flag(help: "Tell the 478 points of each face, and those of its eyes, eyebrows, nose, lips and contour.")
  var landmarks = false

  @Flag(help: "Tell how the head is turned, in degrees.")
  var pose = false

  @Flag(
    help: "Tell whether it smiles, how far mouth and eyes are open, and 52 coefficients of its expression.")
  var expressions = false

  @Flag(help: "Tell how good a picture of the face this is, 0 to 1.")
  var quality = false

  @Flag(help: "Tell all of this.")
  var all = false

  var outputs: FaceOutputs {
    if all { return .all }
    var outputs: FaceOutputs = []
    if landmarks { outputs.insert(.landmarks) }
    if pose { outputs.insert(.pose) }
    if expressions { outputs.formUnion([.expressions, .eyes, .mouth]) }
    if quality { outputs.insert(.quality) }
    return outputs
  }
}
