import FaceCore
import TestSupport
import Testing

@Suite struct OptionFieldTests {
  @Test func fieldReadsAndWritesItsMember() {
    var options = CheckOptions()
    for (number, field) in CheckOptions.fields.enumerated() {
      switch field.kind {
      case .number: options[field] = .number(Float(number))
      case .count: options[field] = .count(number)
      case .nanoseconds: options[field] = .time(.nanoseconds(Int64(number)))
      }
    }
    for (number, field) in CheckOptions.fields.enumerated() {
      switch options[field] {
      case .number(let value): #expect(value == Float(number))
      case .count(let value): #expect(value == number)
      case .time(let value): #expect(value.nanoseconds == Int64(number))
      }
    }
    #expect(options.startDelay == 0)
    #expect(options.minSmile == Float(CheckOptions.fields.count - 1))
  }

  @Test(arguments: [(0, 50), (1, 1), (50, 50), (51, 50)])
  func analysedFacesAreBoundedByTheEngine(asked: Int, expected: Int) {
    var (limits, options) = (EngineLimits(), DetectionOptions())
    limits.analysedFacesPerImage = 50
    options.maxAnalysedFaces = asked
    #expect(limits.bounding(options).maxAnalysedFaces == expected)
  }
}
