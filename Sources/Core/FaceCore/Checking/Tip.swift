/// Advice to the person in front of the camera. The numbers are those of `face_tip` and of the wire.
///
/// Left and right in `moveLeft` and `moveRight` are those of the view; all others are the person's own.
public enum Tip: UInt32, Sendable, CaseIterable {
  // generated: swift-values Tip
  /// Nothing in particular.
  case prompt = 0
  case noFace = 1
  case severalFaces = 2
  case moveLeft = 3
  case moveRight = 4
  case moveUp = 5
  case moveDown = 6
  case comeCloser = 7
  case moveBack = 8
  case tooDark = 9
  case tooBright = 10
  /// Asks the person to look straight ahead, like the next five.
  case lookLeft = 11
  case lookRight = 12
  case lookUp = 13
  case lookDown = 14
  case tiltLeft = 15
  case tiltRight = 16
  case openEyes = 17
  case blurred = 18
  /// The face moves too much, or it meets all limits and must stay like that.
  case holdStill = 19
  /// Before an action: the person should relax, open the eyes and look ahead.
  case lookStraight = 20
  /// An action, like the next four.
  case blink = 21
  case turnLeft = 22
  case turnRight = 23
  case smile = 24
  case openMouth = 25
  case done = 26
  /// Only with limits of min_iso, like the next two.
  case unevenLight = 27
  case colouredLight = 28
  case closeMouth = 29
  /// An action, like the next one.
  case nod = 30
  case shake = 31

  /// A stable name, for programs.
  public var name: StaticString {
    switch self {
    case .prompt: "prompt"
    case .noFace: "no_face"
    case .severalFaces: "several_faces"
    case .moveLeft: "move_left"
    case .moveRight: "move_right"
    case .moveUp: "move_up"
    case .moveDown: "move_down"
    case .comeCloser: "come_closer"
    case .moveBack: "move_back"
    case .tooDark: "too_dark"
    case .tooBright: "too_bright"
    case .lookLeft: "look_left"
    case .lookRight: "look_right"
    case .lookUp: "look_up"
    case .lookDown: "look_down"
    case .tiltLeft: "tilt_left"
    case .tiltRight: "tilt_right"
    case .openEyes: "open_eyes"
    case .blurred: "blurred"
    case .holdStill: "hold_still"
    case .lookStraight: "look_straight"
    case .blink: "blink"
    case .turnLeft: "turn_left"
    case .turnRight: "turn_right"
    case .smile: "smile"
    case .openMouth: "open_mouth"
    case .done: "done"
    case .unevenLight: "uneven_light"
    case .colouredLight: "coloured_light"
    case .closeMouth: "close_mouth"
    case .nod: "nod"
    case .shake: "shake"
    }
  }
  // end of generated

  // generated: swift-texts Tip
  /// An English text, for people.
  public var text: StaticString {
    switch self {
    case .prompt: "Put your face in the circle"
    case .noFace: "No face in the picture"
    case .severalFaces: "One person only, please"
    case .moveLeft: "Move to the left"
    case .moveRight: "Move to the right"
    case .moveUp: "Move up"
    case .moveDown: "Move down"
    case .comeCloser: "Come closer"
    case .moveBack: "Move back a little"
    case .tooDark: "Too dark: find more light"
    case .tooBright: "Too bright: avoid direct light"
    case .lookLeft: "Turn your head a little to the left"
    case .lookRight: "Turn your head a little to the right"
    case .lookUp: "Raise your chin a little"
    case .lookDown: "Lower your chin a little"
    case .tiltLeft: "Tilt your head a little to the left"
    case .tiltRight: "Tilt your head a little to the right"
    case .openEyes: "Open your eyes"
    case .blurred: "The picture is blurred: hold still, or clean the lens"
    case .holdStill: "Hold still"
    case .lookStraight: "Look straight into the camera"
    case .blink: "Blink with both eyes"
    case .turnLeft: "Turn your head to the left"
    case .turnRight: "Turn your head to the right"
    case .smile: "Smile"
    case .openMouth: "Open your mouth"
    case .done: "Done"
    case .unevenLight: "Turn so that the light falls on all of your face"
    case .colouredLight: "Coloured light: find white light"
    case .closeMouth: "Close your mouth"
    case .nod: "Nod your head"
    case .shake: "Shake your head"
    }
  }
  // end of generated
}
