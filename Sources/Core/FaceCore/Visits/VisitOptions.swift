/// The options for counting visits.
public struct VisitOptions: OptionTable, Equatable, Sendable, BitwiseCopyable {
  // generated: swift-options VisitOptions VisitOptions
  /// A person looks at the screen while the head points at the camera within this angle, and so do the eyes
  /// if `gaze` was measured, too. 0 to 90 degrees.
  public var maxLookAngle: Float = 25
  /// A person counts when the face has been in view for this long in all. Shorter appearances are not
  /// reported.
  public var minStay: TimeSpan = .milliseconds(500)
  /// A person has left when the face was not seen for longer than this. A face that is found again earlier
  /// continues its visit, with its old id or with a new id at the same place.
  public var maxAbsence: TimeSpan = .milliseconds(1500)

  /// The numeric options, by their names in VisitOptions and in C.
  // swift-format-ignore
  public static let fields: [OptionField] = [
    OptionField(
      "max_look_angle", \VisitOptions.maxLookAngle, 0...90,
      "A person looks at the screen while the head points at the camera within this angle, and so do the eyes if `gaze` was measured, too."),
    OptionField(
      "min_stay_ns", \VisitOptions.minStay, 0...(.infinity),
      "A person counts when the face has been in view for this long in all."),
    OptionField(
      "max_absence_ns", \VisitOptions.maxAbsence, 0...(.infinity),
      "A person has left when the face was not seen for longer than this."),
  ]
  // end of generated

  public init() {}

  /// Throws `invalidArgument`, naming the option, when a value is outside its range.
  public func validate() throws(Status) {
    try validate(VisitOptions.fields)
  }
}
