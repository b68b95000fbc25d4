/// Advice to the person in front of the camera. The numbers are those of `face_tip` and of the wire.
///
/// Left and right in `moveLeft` and `moveRight` are those of the view; all others are the person's own.
public enum Tip: UInt32, Sendable, CaseIterable {
  case prompt, noFace, severalFaces
  case moveLeft, moveRight, moveUp, moveDown, comeCloser, moveBack
  case tooDark, tooBright
  case lookLeft, lookRight, lookUp, lookDown, tiltLeft, tiltRight
  case openEyes, blurred, holdStill
  case lookStraight
  case blink, turnLeft, turnRight, smile, openMouth
  case done
  case unevenLight, colouredLight, closeMouth

  /// A stable name, for programs and tables of translations.
  public var name: StaticString { words.name }

  /// An English text, for people.
  public var text: StaticString { words.text }

  private var words: (name: StaticString, text: StaticString) {
    switch self {
    case .prompt: ("prompt", "Hold your face into the circle")
    case .noFace: ("no_face", "No face in the picture")
    case .severalFaces: ("several_faces", "One person only, please")
    case .moveLeft: ("move_left", "Move to the left")
    case .moveRight: ("move_right", "Move to the right")
    case .moveUp: ("move_up", "Move up")
    case .moveDown: ("move_down", "Move down")
    case .comeCloser: ("come_closer", "Come closer")
    case .moveBack: ("move_back", "Move back a little")
    case .tooDark: ("too_dark", "Too dark: find more light")
    case .tooBright: ("too_bright", "Too bright: avoid direct light")
    case .lookLeft: ("look_left", "Turn your head a little to the left")
    case .lookRight: ("look_right", "Turn your head a little to the right")
    case .lookUp: ("look_up", "Raise your chin a little")
    case .lookDown: ("look_down", "Lower your chin a little")
    case .tiltLeft: ("tilt_left", "Tilt your head a little to the left")
    case .tiltRight: ("tilt_right", "Tilt your head a little to the right")
    case .openEyes: ("open_eyes", "Open your eyes")
    case .blurred: ("blurred", "The picture is blurred: hold still, or clean the lens")
    case .holdStill: ("hold_still", "Hold still")
    case .lookStraight: ("look_straight", "Look straight into the camera")
    case .blink: ("blink", "Blink with both eyes")
    case .turnLeft: ("turn_left", "Turn your head to the left")
    case .turnRight: ("turn_right", "Turn your head to the right")
    case .smile: ("smile", "Smile")
    case .openMouth: ("open_mouth", "Open your mouth")
    case .done: ("done", "Done")
    case .unevenLight: ("uneven_light", "Turn so that the light falls on all of your face")
    case .colouredLight: ("coloured_light", "Coloured light: find white light")
    case .closeMouth: ("close_mouth", "Close your mouth")
    }
  }
}
