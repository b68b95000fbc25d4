import FaceCore
import Testing

@Suite struct CheckPresetTests {
  @Test func presetsSetTheirLimitsOnly() throws {
    var options = CheckOptions()
    options.minSharpness = 0.7
    let before = options
    options.apply(.iso)
    #expect(
      options.maxYaw == 5 && options.maxPitch == 5 && options.maxRoll == 8 && options.minSharpness == 0.7)
    try options.validate()
    options.apply(.standard)
    #expect(options == before)
    #expect(CheckOptions(.standard) == CheckOptions() && CheckOptions(.iso).maxRoll == 8)
  }
}
